// npm run bench:torture [words]: each fault against the real process, those whose names hold all words when some are
// given (those that take long need theirs), or a few that take seconds and no rights (`short`). Loopback only; some need root, or a program of Debian's, and say so. Ends with
// 1 when one was not survived.
// A new torture is a row of a list in bench/tortures.
import { clockTortures } from './tortures/clocks.ts'
import { diskTortures } from './tortures/disk.ts'
import { killTortures } from './tortures/kills.ts'
import { limitTortures } from './tortures/limits.ts'
import { recoveryTortures } from './tortures/recovery.ts'
import { stateFolderTortures } from './tortures/stateFolder.ts'
import { syncTortures } from './tortures/sync.ts'
import { fullDiskTortures } from './tortures/fullDisk.ts'
import { networkTortures } from './tortures/network.ts'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { openScene } from './tortures/scene.ts'
import { choose } from './support/choose.ts'
import { demand, type Torture } from './tortures/torture.ts'
import type { Surroundings } from '../test/support/realMonitor.ts'

const tortures: readonly Torture[] = [
  ...diskTortures,
  ...fullDiskTortures,
  ...syncTortures,
  ...stateFolderTortures,
  ...recoveryTortures,
  ...limitTortures,
  ...killTortures,
  ...networkTortures,
  ...clockTortures,
]

/** The one that this process was started for, by another one, within what it asks for. */
const ownName = process.env['TORTURE']
const words = process.argv.slice(2)
/** One of each sort. */
const short = [
  'the write-ahead log is overwritten while running',
  'F17: the state folder is removed while running',
  'F85: the ledger of another bridge',
]

const chosen =
  ownName === undefined
    ? choose(tortures, words, short).filter(({ word: own }) => own === undefined || words.includes(own))
    : tortures.filter(({ name }) => name === ownName)
const counts = { survived: 0, failed: 0, leftOut: 0 }
for (const torture of chosen) {
  const { outcome, said } = await endure(torture)
  counts[outcome] += 1
  console.log(
    ownName === undefined ? `${torture.name.padEnd(68)} ${said}` : JSON.stringify({ outcome, said }),
  )
}
const { survived, failed, leftOut } = counts
if (ownName === undefined) console.log(`${survived} of ${survived + failed} survived, ${leftOut} left out`)
if (failed > 0 || chosen.length === 0) process.exitCode = 1

interface Outcome {
  readonly outcome: keyof typeof counts
  readonly said: string
}

async function endure(torture: Torture): Promise<Outcome> {
  const missing = torture.missing?.() ?? null
  if (missing !== null) return { outcome: 'leftOut', said: `left out: ${missing}` }
  return torture.within === undefined || ownName !== undefined
    ? endureHere(torture)
    : endureWithin(torture, torture.within)
}

/** The same bench once more, in other surroundings, for this one. */
async function endureWithin({ name }: Torture, { under = [], env = {} }: Surroundings): Promise<Outcome> {
  const [command, ...rest] = [...under, process.execPath, import.meta.filename]
  const child = spawn(command, rest, {
    env: { ...process.env, ...env, TORTURE: name },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = await text(child.stdout)
  try {
    // The line that this very file wrote.
    return JSON.parse(said) as Outcome
  } catch {
    return { outcome: 'failed', said: `FAILED: the bench did not come to an end: ${said.slice(0, 200)}` }
  }
}

async function endureHere(torture: Torture): Promise<Outcome> {
  const beganAt = performance.now()
  const scene = await openScene(torture.options)
  try {
    const said = await torture.run(scene)
    const untrue = scene.listFalse()
    demand(untrue.length === 0, untrue.join('; '))
    return {
      outcome: 'survived',
      said: `${said}, in ${((performance.now() - beganAt) / 1_000).toFixed(0)} s`,
    }
  } catch (error) {
    return { outcome: 'failed', said: `FAILED: ${error instanceof Error ? error.message : String(error)}` }
  } finally {
    await scene.close()
  }
}
