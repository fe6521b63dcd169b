import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'

/** Where Debian keeps the server's programs, the newest version first; null where it is not installed. */
export const postgresBin = findBin()

function findBin(): string | null {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return null
  const versions = readdirSync(root).toSorted((a, b) => Number(b) - Number(a))
  return (
    versions.map((version) => join(root, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb'))) ??
    null
  )
}

export interface Postgres {
  readonly port: number
  readonly folder: string
  /** Of its superuser, in the database `postgres`. */
  readonly url: string
  /** A database of its own, and its address. */
  createDatabase(name: string): Promise<string>
  /** As with a pulled plug. */
  kill(): Promise<void>
  /** Of a standby: from here on it is the one that is written to. */
  promote(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/**
 * A server of its own on a free port, run as a plain user: it refuses to be run by root. It does not wait for the disk unless
 * it is told to: a busy one may stand still for longer than a question may take, and a killed process loses nothing by that.
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  given: { readonly folder?: string; readonly standbyOf?: Postgres } = {},
): Promise<Postgres> {
  if (postgresBin === null) throw new Error('PostgreSQL is not installed')
  const bin = postgresBin
  const owner = plainUser()
  const folder = given.folder ?? mkdtempSync(join(tmpdir(), 'spanwatch-postgres-'))
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const environment = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' }
  if (given.standbyOf)
    execFileSync(
      join(bin, 'pg_basebackup'),
      ['-D', data, '-R', '-c', 'fast', '-d', `${given.standbyOf.url}?application_name=standby`],
      { stdio: 'ignore', env: environment, ...owner },
    )
  else if (!existsSync(data))
    execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync'], {
      stdio: 'ignore',
      env: environment,
      ...owner,
    })
  const port = await findPort()
  const options = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    fsync: 'off',
    ...settings,
  }
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let server: ChildProcess | null = null
  const end = async (signal: 'SIGKILL' | 'SIGINT' | 'SIGQUIT') => {
    const running = server
    server = null
    if (running === null || running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill(signal)
    await ended
  }
  const start = async () => {
    server = spawn(
      join(bin, 'postgres'),
      [
        '-D',
        data,
        '-p',
        String(port),
        ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      { stdio: 'ignore', env: environment, ...owner },
    )
    for (let left = 1_200; ; left -= 1) {
      const client = new Client({ connectionString: url })
      try {
        await client.connect()
        await client.query('SELECT 1')
        return
      } catch (error) {
        if (left === 0 || server.exitCode !== null) throw error
        await new Promise((resolve) => setTimeout(resolve, 50))
      } finally {
        await client.end().catch(() => undefined)
      }
    }
  }
  await start()
  return {
    port,
    folder,
    url,
    async createDatabase(name) {
      const client = new Client({ connectionString: url })
      await client.connect()
      await client.query(`CREATE DATABASE ${name}`)
      await client.end()
      return `postgres://postgres@127.0.0.1:${port}/${name}`
    },
    // Immediate shutdown recovers from the log at the next start, as after a crash.
    kill: () => end('SIGQUIT'),
    start,
    async promote() {
      const client = new Client({ connectionString: url })
      await client.connect()
      await client.query('SELECT pg_promote()')
      await client.end()
    },
    async stop() {
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function plainUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const read = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: read('-u'), gid: read('-g') }
}

function findPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
