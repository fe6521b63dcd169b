/**
 * What a power loss leaves (F15): `npm run bench:power [losses]`, as root on Linux with losetup. A process writes on a
 * file system of its own, beside a neighbour that syncs all the time; at a moment of chance it stands still, and the
 * device is copied as it is, without what the kernel still holds. The copy is mounted and opened.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openState } from '../src/store/openState.ts'

const losses = Number(process.argv[2] ?? 10)
const writer = fileURLToPath(new URL('support/durableWriter.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'spanwatch-power-'))
const systems = [
  { name: 'ext4', make: 'mkfs.ext4', options: 'loop' },
  { name: 'ext4, noauto_da_alloc', make: 'mkfs.ext4', options: 'loop,noauto_da_alloc' },
  { name: 'xfs', make: 'mkfs.xfs', options: 'loop' },
  { name: 'btrfs', make: 'mkfs.btrfs', options: 'loop' },
]

console.log('F15: a power loss, with a neighbour that syncs all the time')
let isBroken = false
try {
  for (const system of systems) {
    if (!canRun(system.make)) {
      console.log(`${system.name.padEnd(24)} left out: ${system.make} is not there`)
      continue
    }
    const found = { lost: 0, refused: 0, rebuilt: 0, acknowledged: 0 }
    for (let n = 0; n < losses; n += 1) await lose(system, join(folder, String(n)), found)
    isBroken ||= found.lost + found.refused > 0
    console.log(
      `${system.name.padEnd(24)} ${losses} losses: ${found.acknowledged} commits acknowledged, ${found.lost} times one of them lost (target 0), ${found.refused} times not to be opened (target 0), cursors rebuilt ${found.rebuilt} times`,
    )
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (isBroken) process.exitCode = 1

function canRun(program: string): boolean {
  return ['/sbin', '/usr/sbin', '/usr/bin'].some((path) => existsSync(join(path, program)))
}

async function lose(
  system: (typeof systems)[number],
  path: string,
  found: { lost: number; refused: number; rebuilt: number; acknowledged: number },
): Promise<void> {
  const [image, copy] = [`${path}.img`, `${path}.copy`]
  writeFileSync(image, '')
  // As small as every file system takes.
  truncateSync(image, 320 * 1_048_576)
  execFileSync(system.make, [system.make === 'mkfs.ext4' ? '-qF' : '-q', image])
  const acknowledged = await mounted(image, system.options, async (mount) => {
    const child = spawn(process.execPath, [writer, join(mount, 'state')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
    const neighbour = spawn('sh', ['-c', 'while :; do echo x >> n; sync n; done'], {
      cwd: mount,
      stdio: 'ignore',
    })
    await once(child.stdout, 'data')
    await sleep(200 + Math.random() * 1_500)
    child.kill('SIGSTOP')
    // What it had said before it stood still.
    await sleep(20)
    copyFileSync(image, copy)
    await Promise.all([end(child), end(neighbour)])
    return Number(said.slice(0, said.lastIndexOf('\n')).split('\n').at(-1))
  })
  found.acknowledged += acknowledged
  await mounted(copy, system.options, async (mount) => {
    try {
      const state = openState({ folder: join(mount, 'state'), since: 1_000, now: 5_000 })
      const written = state.db.prepare("SELECT value FROM meta WHERE name = 'written'").get()
      if (Number(written?.['value']) < acknowledged) found.lost += 1
      if (state.recovered !== null) found.rebuilt += 1
      else if (state.cursors.read().sweep.page < acknowledged) found.lost += 1
      state.close()
    } catch (error) {
      found.refused += 1
      console.log(`${system.name}: ${String(error)}`)
    }
  })
  rmSync(image)
  rmSync(copy)
}

async function mounted<T>(image: string, options: string, work: (mount: string) => Promise<T>): Promise<T> {
  const mount = `${image}.mount`
  mkdirSync(mount)
  execFileSync('mount', ['-o', options, image, mount])
  try {
    return await work(mount)
  } finally {
    await unmount(mount)
    rmSync(mount, { recursive: true })
  }
}

/** What was killed a moment ago may still be leaving. */
async function unmount(mount: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      execFileSync('umount', [mount], { stdio: 'ignore' })
      return
    } catch (error) {
      if (attempt === 50) throw error
      await sleep(100)
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}
