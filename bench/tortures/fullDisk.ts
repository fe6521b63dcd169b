import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endProgram } from '../../test/support/realMonitor.ts'
import { until } from '../../test/support/startMonitor.ts'
import type { Scene } from './scene.ts'
import { demand, lacks, type Torture } from './torture.ts'

const missing = () => lacks('mount', 'umount')
const neighbour = (scene: Scene) => join(scene.state, 'neighbour')
const saying = ({ inbox }: Scene, words: RegExp) => inbox.messages.filter(({ text }) => words.test(text))

interface FullDisk {
  readonly daemon: Awaited<ReturnType<Scene['start']>>
  readonly failures: readonly string[]
  /** Somebody else gives back what they took. */
  readonly makeRoom: () => void
}

/** A state folder of 12 MB, of which somebody else takes whatever is free, again and again, while withdrawals fail. */
async function onFullDisk<T>(scene: Scene, work: (disk: FullDisk) => Promise<T>): Promise<T> {
  mkdirSync(scene.state)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m,mode=700', 'tmpfs', scene.state])
  let filling: NodeJS.Timeout | undefined
  const makeRoom = () => {
    clearInterval(filling)
    rmSync(neighbour(scene))
  }
  try {
    const daemon = await scene.start()
    await scene.allTold([scene.addFailure()])
    filling = setInterval(() => fill(neighbour(scene)), 100)
    const failures = await scene.addFailures(25, 500)
    await scene.allTold(failures)
    await until(() => saying(scene, /state folder cannot be relied on/).length > 0, 30_000)
    for (const failure of failures)
      demand(scene.naming(failure).length === 1, 'a failure was told twice while the disk was full')
    return await work({ daemon, failures, makeRoom })
  } finally {
    clearInterval(filling)
    execFileSync('umount', ['--lazy', scene.state])
  }
}

/** What becomes of the judging, and of what was judged, when a disk is full. */
export const fullDiskTortures: readonly Torture[] = [
  {
    name: 'F16: a full disk: what fails is told all the same, and saved once there is room',
    missing,
    run: (scene) =>
      onFullDisk(scene, async ({ daemon, failures, makeRoom }) => {
        makeRoom()
        await until(() => saying(scene, /resolved/i).length > 0, 60_000)
        daemon.kill('SIGKILL')
        await daemon.ended
        await scene.start()
        const later = scene.addFailure()
        await scene.allTold([later])
        for (const failure of [...failures, later])
          demand(scene.naming(failure).length === 1, 'a failure was told again after it was saved')
        return '25 of 25 failures told, none twice'
      }),
  },
  {
    name: 'F16: a full disk, kill -9, room again: nothing is lost, what is sent again says so',
    missing,
    run: (scene) =>
      onFullDisk(scene, async ({ daemon, failures, makeRoom }) => {
        daemon.kill('SIGKILL')
        await daemon.ended
        makeRoom()
        const meanwhile = scene.addFailure()
        await scene.start()
        await scene.allTold([meanwhile])
        // What was saved before the reserve was used up is not sent again.
        const again = () => failures.filter((failure) => scene.naming(failure).length > 1)
        await until(() => again().length > 0, 60_000)
        await sleep(10_000)
        for (const failure of again())
          demand(
            scene.naming(failure)[1]?.text.includes('may have been sent before') === true,
            'a failure was sent again without saying so',
          )
        return `26 of 26 failures told, ${again().length} of them again, marked`
      }),
  },
  {
    name: 'F16: a full disk, a stop and a start on it, which says what it needs',
    missing,
    run: (scene) =>
      onFullDisk(scene, async ({ daemon }) => {
        demand((await endProgram(daemon)) === 0, 'it did not stop in order')
        const again = scene.startAnyway()
        const code = await Promise.race([again.ended, until(() => /"page":/.test(again.stderr()), 40_000)])
        demand(code !== 1 || again.stderr().includes('is full: free space'), 'the start does not say why')
        demand(!again.stderr().includes('    at '), `the start ends in a stack trace:\n${again.stderr()}`)
        return `stopped with 0, the start ${typeof code === 'number' && code < 100 ? `ended with ${code}` : 'went on'}`
      }),
  },
]

/** Writes until the disk takes no more. */
function fill(path: string): void {
  for (const bytes of [64 * 1024, 1]) {
    const block = Buffer.alloc(bytes)
    try {
      for (;;) appendFileSync(path, block)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
  }
}
