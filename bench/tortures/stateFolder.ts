import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endProgram, type Program } from '../../test/support/realMonitor.ts'
import type { Scene } from './scene.ts'
import { demand, lacks, type Torture } from './torture.ts'

const ledgerOf = (scene: Scene) => join(scene.state, 'ledger.sqlite')
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

/** Ends with 2 within half a minute, with a reason and without a stack trace. */
async function refuses(program: Program, reason: RegExp): Promise<void> {
  const code = await Promise.race([program.ended, sleep(30_000, 'not at all' as const)])
  const said = program.stderr()
  demand(code === 2, `it ended with ${code}, not with 2: ${said.slice(-500)}`)
  demand(reason.test(said), `the reason is not ${String(reason)}: ${said.slice(-500)}`)
  demand(!said.includes('    at '), `it showed a stack trace: ${said.slice(-1_500)}`)
}

/** Started, told of a failure, and stopped: what is damaged while nobody looks. */
async function stopOnce(scene: Scene): Promise<void> {
  const daemon = await scene.start()
  await scene.allTold([scene.addFailure()])
  await endProgram(daemon)
}

const goneWhileRunning = (name: string, take: (state: string) => void): Torture => ({
  name: `F17: the state folder is ${name} while running`,
  async run(scene) {
    const daemon = await scene.start()
    await scene.allTold([scene.addFailure()])
    take(scene.state)
    const telling = scene.toldOf('it was removed or replaced', 15_000)
    const [toldMs, failures] = await Promise.all([telling, scene.addFailures(5, 500)])
    await scene.allTold(failures)
    demand(daemon.isRunning(), 'the process ended')
    return `told after ${seconds(toldMs)}, 5 of 5 failures told`
  },
})

const nobody = 65_534
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']

const withoutRights = (name: string, take: (scene: Scene) => void): Torture => ({
  name: `F20: without rights at the start: ${name}`,
  missing: () => lacks('setpriv'),
  async run(scene) {
    for (const path of [dirname(scene.state), scene.configPath]) chmodSync(path, 0o755)
    mkdirSync(scene.state, { mode: 0o700 })
    chownSync(scene.state, nobody, nobody)
    const first = await scene.start({ under: asNobody })
    await scene.allTold([scene.addFailure()])
    await endProgram(first)
    take(scene)
    const missed = scene.addFailure()
    await refuses(scene.startAnyway({ under: asNobody }), /cannot be|permission/i)
    execFileSync('chown', ['-R', `${nobody}:${nobody}`, scene.state])
    execFileSync('chmod', ['-R', 'u+rwX', scene.state])
    await scene.start({ under: asNobody })
    await scene.allTold([missed, scene.addFailure()])
    return 'ended with 2; with its rights back it told what it had missed'
  },
})

/** The state folder is a file system of its own. */
const mounted = (
  name: string,
  of: { readonly options: string; readonly run: (scene: Scene) => Promise<string> },
): Torture => ({
  name,
  missing: () => lacks('mount', 'umount'),
  async run(scene) {
    mkdirSync(scene.state)
    execFileSync('mount', ['-t', 'tmpfs', '-o', `mode=700,${of.options}`, 'tmpfs', scene.state])
    try {
      return await of.run(scene)
    } finally {
      execFileSync('umount', ['--lazy', scene.state])
    }
  },
})

/** Takes every inode that is left; gives what gives them back. */
function takeInodes(folder: string): () => void {
  const hoard = join(folder, 'hoard')
  mkdirSync(hoard)
  try {
    for (let n = 0; ; n += 1) writeFileSync(join(hoard, String(n)), '')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
  return () => rmSync(hoard, { recursive: true })
}

/** Faults of the state folder as a whole. */
export const stateFolderTortures: readonly Torture[] = [
  goneWhileRunning('removed', (state) => rmSync(state, { recursive: true })),
  goneWhileRunning('replaced', (state) => {
    renameSync(state, `${state}.moved`)
    mkdirSync(state, { mode: 0o700 })
  }),
  withoutRights('the folder belongs to root', ({ state }) => {
    execFileSync('chown', ['-R', '0:0', state])
  }),
  withoutRights('the folder cannot be written', ({ state }) => chmodSync(state, 0o500)),
  withoutRights('the ledger belongs to root', (scene) => chownSync(ledgerOf(scene), 0, 0)),
  withoutRights('the ledger cannot be written', (scene) => chmodSync(ledgerOf(scene), 0o400)),
  withoutRights('the cursors cannot be read', ({ state }) => chmodSync(join(state, 'cursors.json'), 0)),
  withoutRights('the lock belongs to root', ({ state }) => chownSync(join(state, 'lock.sqlite'), 0, 0)),
  mounted('F20: the state folder is mounted read-only at the start', {
    options: 'size=64m',
    async run(scene) {
      await stopOnce(scene)
      const missed = scene.addFailure()
      execFileSync('mount', ['-o', 'remount,ro', scene.state])
      await refuses(scene.startAnyway(), /read-?only|cannot be/i)
      execFileSync('mount', ['-o', 'remount,rw', scene.state])
      await scene.start()
      await scene.allTold([missed])
      return 'ended with 2; written to again it told what it had missed'
    },
  }),
  mounted('F89: no inode is left', {
    options: 'size=64m,nr_inodes=200',
    async run(scene) {
      const daemon = await scene.start()
      await scene.allTold([scene.addFailure()])
      const giveBack = takeInodes(scene.state)
      const telling = scene.toldOf('the state folder cannot be relied on', 15_000)
      const [toldMs, failures] = await Promise.all([telling, scene.addFailures(10, 500)])
      await scene.allTold(failures)
      daemon.kill('SIGKILL')
      await daemon.ended
      const missed = scene.addFailure()
      const second = await scene.start()
      await scene.allTold([missed, scene.addFailure()])
      giveBack()
      await scene.allTold(await scene.addFailures(3, 500))
      await endProgram(second)
      // What a clean end left free is taken as well: without a log there is no ledger.
      const giveBackAll = takeInodes(scene.state)
      const missedToo = scene.addFailure()
      await refuses(scene.startAnyway(), /cannot be/i)
      giveBackAll()
      await scene.start()
      await scene.allTold([missedToo])
      return `told after ${seconds(toldMs)}; failures told meanwhile, and after kill -9 with still none`
    },
  }),
  {
    name: 'F14: the ledger is empty beside its cursors',
    async run(scene) {
      await stopOnce(scene)
      for (const log of ['-wal', '-shm']) rmSync(`${ledgerOf(scene)}${log}`, { force: true })
      truncateSync(ledgerOf(scene))
      await refuses(scene.startAnyway(), /--reset-state/)
      demand(existsSync(join(scene.state, 'cursors.json')), 'the cursors are gone')
      return 'ended with 2 and the remedy'
    },
  },
  {
    name: 'F85: the ledger of another bridge',
    async run(scene) {
      await stopOnce(scene)
      const text = readFileSync(scene.configPath, 'utf8')
      writeFileSync(scene.configPath, text.replace('ZONE_CHAIN', 'OTHER_CHAIN'))
      await refuses(scene.startAnyway(), /--adopt-state/)
      const adopted = scene.startAnyway({}, '--adopt-state')
      await scene.allTold([scene.addFailure()])
      await endProgram(adopted)
      await scene.start()
      await scene.allTold([scene.addFailure()])
      return 'ended with 2; with --adopt-state it was taken, and from then on without'
    },
  },
]
