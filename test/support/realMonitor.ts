import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { until } from './startMonitor.ts'

/** A folder with a configuration, rules and room for the state. */
export interface Project {
  readonly folder: string
  readonly configPath: string
  remove(): void
}

export interface ProjectOptions {
  readonly url: string
  /** YAML of rules; the shipped ones when left out. */
  readonly rules?: string
  readonly explorer?: object
  readonly channels?: Readonly<Record<string, object>>
  readonly routes?: readonly object[]
  readonly listen?: string
  /** Beside `listen`. */
  readonly http?: object
  /** Other sections of the configuration. */
  readonly more?: object
}

const everySecond = '* * * * * *'

/** Everything each second, all messages to all channels as soon as they can be. */
export function createProject(options: ProjectOptions): Project {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-e2e-'))
  const channels = options.channels ?? { console: { type: 'console' } }
  const config = {
    explorer: {
      baseUrl: options.url,
      chains: { main: 'MAINCHAIN', zone: 'ZONE_CHAIN' },
      pace: { maxRequestsPerSecond: 200, concurrency: 2 },
      timeout: '2s',
      ...options.explorer,
    },
    poll: { transfers: everySecond, openTransfers: everySecond, heads: everySecond },
    state: './state',
    rules: options.rules === undefined ? join(import.meta.dirname, '../../rules') : './rules',
    channels,
    routes: options.routes ?? [
      { channels: Object.keys(channels), groupBy: ['rule'], groupWait: '0s', groupInterval: '1s' },
    ],
    http: { listen: options.listen ?? '127.0.0.1:0', ...options.http },
    ...options.more,
  }
  const configPath = join(folder, 'spanwatch.yaml')
  writeFileSync(configPath, stringify(config))
  if (options.rules !== undefined) {
    const rulesDir = join(folder, 'rules')
    mkdirSync(rulesDir)
    writeFileSync(join(rulesDir, 'rules.yaml'), options.rules)
  }
  return { folder, configPath, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** One run of the program in a process of its own. */
export interface Program {
  readonly pid: number
  stdout(): string
  stderr(): string
  kill(signal: NodeJS.Signals): void
  /** The exit code; null after a signal that it did not handle. */
  readonly ended: Promise<number | null>
  isRunning(): boolean
}

/** What is installed can be put to the same tests: `SPANWATCH_BIN=…/node_modules/spanwatch/bin/spanwatch.js`. */
export const programPath = process.env['SPANWATCH_BIN'] ?? join(import.meta.dirname, '../../bin/spanwatch.js')

/** What the program runs in. */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  /** A command that runs it, with its options: `['prlimit', '--nofile=64']`. */
  readonly under?: readonly string[]
  /** Node's own options, those that no variable of the environment may set. */
  readonly node?: readonly string[]
  /** The program itself, where another is meant. */
  readonly bin?: string
}

export function startProgram(
  args: readonly string[],
  { env = {}, under = [], node = [], bin = programPath }: Surroundings = {},
): Program {
  const [command, ...rest] = [...under, process.execPath, ...node, bin, ...args] as [string, ...string[]]
  const child = spawn(command, rest, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  let isRunning = true
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      isRunning = false
      resolve(code)
    })
  })
  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal) => void child.kill(signal),
    ended,
    isRunning: () => isRunning,
  }
}

/** A command that ends by itself. */
export async function runProgram(args: readonly string[], surroundings: Surroundings = {}) {
  const program = startProgram(args, surroundings)
  const code = await program.ended
  return { code, stdout: program.stdout(), stderr: program.stderr() }
}

/** The daemon of a project, once it says that it is watching; `page` is its status page's address. */
export async function startDaemon(
  project: Project,
  surroundings: Surroundings = {},
  options: readonly string[] = [],
): Promise<Program & { readonly page: string }> {
  const program = startProgram(['run', '-c', project.configPath, ...options], surroundings)
  const page = () => /"page":"([^"]+)"/.exec(program.stderr())?.[1]
  await until(() => page() !== undefined || !program.isRunning(), 40_000)
  const url = page()
  if (url === undefined) throw new Error(`the daemon did not start:\n${program.stderr()}`)
  return { ...program, page: url }
}

/** SIGTERM, and SIGKILL when that does not help: nothing outlives its test. */
export async function endProgram(program: Program): Promise<number | null> {
  program.kill('SIGTERM')
  const patience = setTimeout(() => program.kill('SIGKILL'), 10_000)
  const code = await program.ended
  clearTimeout(patience)
  return code
}

/** The most memory that the process ever held, in megabytes; null where /proc does not tell. */
export function readPeakMegabytes(pid: number): number | null {
  try {
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? null : Number(kilobytes) / 1024
  } catch {
    return null
  }
}

/** Everything that lies in a folder and below, as bytes read as Latin-1: for looking for what must not be there. */
export function readWholeFolder(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')
}
