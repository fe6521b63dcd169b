#!/usr/bin/env node
// Plain JavaScript that any Node can read: it must be able to say that the Node running it is too old.
// It starts no child process: a killed wrapper would leave a daemon behind that still holds the state lock.
import { fileURLToPath } from 'node:url'

const wanted = 24
const major = Number.parseInt(process.versions.node, 10)

if (major < wanted) {
  console.error(
    'spanwatch needs Node ' +
      wanted +
      ' or newer; this is Node ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ').\n' +
      'After "npm ci" a matching Node lies in node_modules/.bin: start spanwatch through npm\n' +
      '("npm start", or "npm run spanwatch -- run -c spanwatch.yaml"), or install a newer Node.',
  )
  process.exitCode = 2
} else {
  // Stripped and compiled code is kept beside the packages, where whoever installed them can write and nobody else:
  // a start takes half as long. Where it cannot be written, nothing is kept.
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/spanwatch', import.meta.url)))
  await import('../src/main.ts')
}
