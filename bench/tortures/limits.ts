import { spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endProgram, type Program, type Surroundings } from '../../test/support/realMonitor.ts'
import type { Scene } from './scene.ts'
import { demand, lacksPrograms, type Torture } from './torture.ts'

const missing = () => (process.platform === 'linux' ? lacksPrograms('prlimit') : 'it needs Linux')

/**
 * Lives with too little for half a minute while withdrawals fail: it goes on and tells them, or ends with an error that
 * says of what there was too little. Without the limit nothing was lost.
 */
async function liveWith(scene: Scene, surroundings: Surroundings, reason: RegExp): Promise<string> {
  const program = scene.startAnyway(surroundings)
  const failures = await scene.addFailures(30, 1_000)
  const isAlive = program.isRunning()
  if (isAlive) await scene.allTold(failures)
  else demand(reason.test(program.stderr()), `it ended without a clear error: ${endOf(program)}`)
  const untold = scene.untold(failures).length
  await endProgram(program)
  await scene.start()
  await scene.allTold([...failures, scene.addFailure()])
  return isAlive
    ? `goes on, 30 of 30 failures told`
    : `ends: ${reason.exec(program.stderr())?.[0]}; ${untold} of 30 failures untold until it has more, then all are`
}

function endOf(program: Program): string {
  return program.stderr().slice(-800)
}

/** The least address space at which Node starts and the program says its version, in megabytes. */
function leastAddressSpace(): number {
  const starts = (megabytes: number) =>
    spawnSync('prlimit', [
      `--as=${megabytes * 1_048_576}`,
      process.execPath,
      join(import.meta.dirname, '../../bin/spanwatch.js'),
      '--version',
    ]).status === 0
  let [low, high] = [256, 4_096]
  while (high - low > 32) {
    const middle = (low + high) / 2
    if (starts(middle)) high = middle
    else low = middle
  }
  return high
}

/** Too little of what a process gets of the system. */
export const limitTortures: readonly Torture[] = [
  {
    name: 'F90: 64 descriptors',
    missing,
    run: (scene) => liveWith(scene, { under: ['prlimit', '--nofile=64'] }, /EMFILE/),
  },
  {
    name: 'F90: 64 descriptors, and 100 visitors of the page who say nothing',
    missing,
    async run(scene) {
      const daemon = await scene.start({ under: ['prlimit', '--nofile=64'] })
      await scene.allTold([scene.addFailure()])
      const port = Number(new URL(daemon.page).port)
      const visitors = Array.from({ length: 100 }, () =>
        connect(port, '127.0.0.1').on('error', () => undefined),
      )
      await sleep(500)
      const failures = await scene.addFailures(10, 500)
      await scene.allTold(failures, 60_000)
      const untold = scene.untold(failures).length
      for (const visitor of visitors) visitor.destroy()
      demand(daemon.isRunning(), 'the process ended')
      await scene.allTold([scene.addFailure()])
      return `${10 - untold} of 10 failures told meanwhile`
    },
  },
  ...[1.1, 6].map(
    (share): Torture => ({
      name: `F91: address space of ${share} times what Node needs to start`,
      missing,
      run(scene) {
        const bytes = Math.floor(leastAddressSpace() * share) * 1_048_576
        const clear = /out of memory|ERR_WORKER|Cannot allocate|ENOMEM|FATAL ERROR[^\n]*/i
        return liveWith(scene, { under: ['prlimit', `--as=${bytes}`] }, clear)
      },
    }),
  ),
  ...[40, 64].map(
    (megabytes): Torture => ({
      name: `F11: a heap of ${megabytes} MB`,
      run(scene) {
        const env = { NODE_OPTIONS: `--max-old-space-size=${megabytes}` }
        return liveWith(scene, { env }, /JavaScript heap out of memory/)
      },
    }),
  ),
]
