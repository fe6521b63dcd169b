#!/usr/bin/env node
// Plain JavaScript that any Node can read: it must be able to say that the Node running it is too old.
// It starts no child process: a killed wrapper would leave a daemon behind that still holds the state lock.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { limitHeap } from './limitHeap.js'
import { listSources } from './listSources.js'

const wanted = 24
const major = Number.parseInt(process.versions.node, 10)
const source = new URL('../src/main.ts', import.meta.url)
const isClone = existsSync(source)
const home = fileURLToPath(new URL('..', import.meta.url))

if (major < wanted) {
  console.error(
    'spanwatch needs Node ' +
      wanted +
      ' or newer; this is Node ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ').\n' +
      (isClone
        ? 'After "npm ci" a matching Node lies in node_modules/.bin: start spanwatch through npm\n' +
          '("npm start", or "npm run spanwatch -- run -c spanwatch.yaml"), or install a newer Node.'
        : 'Install a newer Node: https://nodejs.org/en/download'),
  )
  process.exitCode = 2
} else {
  limitHeap()
  // Node 24 calls its SQLite experimental. It is what was tested, and standard error is the log.
  const { emitWarning } = process
  process.emitWarning = (warning, ...rest) => {
    if (!String(warning).startsWith('SQLite is an experimental feature')) emitWarning(warning, ...rest)
  }
  if (!isClone || wasBuiltFrom()) await import(new URL('../dist/main.js', import.meta.url))
  else {
    // Stripped and compiled code is kept beside the packages, where whoever installed them can write and nobody else:
    // a start takes half as long. Where it cannot be written, nothing is kept. Of what is built it would spare little,
    // and Node holds all of it in memory.
    const { enableCompileCache } = await import('node:module')
    enableCompileCache(home + 'node_modules/.cache/spanwatch')
    await import(source)
  }
}

/** Whether what `npm ci` built is what lies here: an edited clone runs its sources, which takes longer to start. */
function wasBuiltFrom() {
  try {
    return readFileSync(home + 'dist/sources.txt', 'utf8') === listSources(home)
  } catch {
    return false
  }
}
