/**
 * The real process for hours: `npm run bench:soak -- --minutes 120`. Honest traffic over a second implementation of the API, a
 * failed withdrawal every two minutes, somebody who looks at the page and a Prometheus. Prints memory, descriptors and threads
 * each minute, and the slopes of their least values of each minute without the first quarter, by least squares. Ends with 1
 * when a failure was not told, something else was, or it grows.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createSystemClock } from '../src/lib/clock.ts'
import { createSlackInbox } from '../src/sandbox/inbox/slackInbox.ts'
import { createProject, endProgram, startDaemon } from '../test/support/realMonitor.ts'
import { type Chain, createChance } from './otherBridge/chain.ts'
import { createBridge } from './otherBridge/createBridge.ts'
import { serveBridge } from './otherBridge/serve.ts'
import { addTraffic } from './otherBridge/traffic.ts'
import { plainService } from './otherBridge/watchBridge.ts'

/** What the process was like at one moment. */
interface Sample {
  /** Since the start. */
  readonly minutes: number
  /** Resident. */
  readonly megabytes: number
  /** What was alive after the last full collection of garbage. */
  readonly live: number
  readonly descriptors: number
  readonly threads: number
}

const failureEveryMs = 120_000
const sampleEveryMs = 10_000
const samplesAMinute = 6
/** What a failure may take until it is told. */
const patienceMs = 120_000
/** Per hour, without the first quarter: V8's heap breathes by several MB. */
const allowed = { live: 10, megabytes: 30, descriptors: 2, threads: 1 }

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    perMinute: { type: 'string', default: '60' },
    seed: { type: 'string', default: '2' },
  },
})
const minutes = Number(values.minutes)
const bridge = createBridge(Number(values.seed), Date.now() + 2_000)
addTraffic(bridge, minutes, Number(values.perMinute))
const failures = addFailures()
const served = await serveBridge(bridge.chain, plainService, createSystemClock(), createChance('soak'))
const inbox = await createSlackInbox({ keep: 100_000 })
const project = createProject({
  url: served.url,
  explorer: { pace: { maxRequestsPerSecond: 4, concurrency: 8 }, timeout: '10s' },
  channels: { ops: { type: 'slack', url: inbox.url } },
  more: { poll: {}, preconf: { url: served.rpcUrl }, bridge: describeBridge(bridge.chain) },
})
const startedAt = Date.now()
const daemon = await startDaemon(project, { node: ['--trace-gc'] })
const samples: Sample[] = []
console.log('minutes     MB   live  descriptors  threads  told')
while (daemon.isRunning() && Date.now() < startedAt + minutes * 60_000) {
  await visit(['', 'metrics', 'healthz', 'api/v1/alerts'])
  await sleep(sampleEveryMs)
  samples.push(look(daemon.pid))
  if (samples.length % samplesAMinute === 0) print()
}
const problems = judge()
for (const problem of problems) console.log(`FAILED: ${problem}`)
if (problems.length > 0) process.exitCode = 1
const logPath = join(process.cwd(), 'soak.log')
if (problems.length > 0) writeFileSync(logPath, daemon.stderr())
await endProgram(daemon)
await inbox.close()
await served.close()
project.remove()

/** Their zone hashes and when each happens. */
function addFailures(): { readonly hash: string; readonly at: number }[] {
  const { actors, chain } = bridge
  const token = chain.tokens.find(({ type }) => type === 'ERC20')
  if (token === undefined) throw new Error('this bridge has no ERC-20')
  const found: { hash: string; at: number }[] = []
  const end = chain.startAt + minutes * 60_000 - patienceMs
  for (let at = chain.startAt + failureEveryMs; at < end; at += failureEveryMs) {
    const deal = actors.deal(token)
    const left = actors.leaves(at, [deal], { failed: 'insufficient balance' })
    actors.list(deal, { direction: 'ZoneToMain', main: null, zone: left })
    found.push({ hash: left.hash, at })
  }
  chain.zoneTxs.sort((one, other) => one.at - other.at)
  return found
}

function describeBridge(chain: Chain): object {
  return {
    contracts: [chain.bridge],
    escrows: chain.tokens
      .filter(({ type }) => type !== 'ERC1155')
      .map(({ address }) => ({ address: chain.escrow, token: address })),
    tokens: chain.tokens.map(({ address, symbol, decimals }) => ({ address, symbol, decimals })),
  }
}

async function visit(paths: readonly string[]): Promise<void> {
  for (const path of paths)
    await fetch(new URL(path, daemon.page))
      .then((answer) => answer.text())
      .catch(() => undefined)
}

function look(pid: number): Sample {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const numberOf = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1])
  return {
    minutes: (Date.now() - startedAt) / 60_000,
    megabytes: numberOf('VmRSS') / 1_024,
    live: readLive(),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: numberOf('Threads'),
  }
}

/** V8's own line: `Mark-Compact (reduce) 98.1 (121.4) -> 71.2 (108.9) MB`. */
function readLive(): number {
  const [, megabytes] = [...daemon.stdout().matchAll(/Mark-Compact[^\n]*? -> ([\d.]+) /g)].at(-1) ?? []
  return Number(megabytes ?? 0)
}

function print(): void {
  const { minutes: at, megabytes, live, descriptors, threads } = samples.at(-1) as Sample
  const told = failures.filter(({ hash }) => messagesOf(hash) > 0).length
  console.log(
    `${at.toFixed(0).padStart(7)} ${megabytes.toFixed(0).padStart(6)} ${live.toFixed(0).padStart(6)} ${String(descriptors).padStart(12)} ${String(threads).padStart(8)}  ${told} of ${failures.filter((one) => one.at < Date.now()).length}`,
  )
}

function messagesOf(hash: string): number {
  return inbox.messages.filter(({ text }) => text.includes(hash)).length
}

function judge(): string[] {
  const found: string[] = []
  if (!daemon.isRunning()) found.push(`the process ended:\n${daemon.stderr().slice(-2_000)}`)
  const untold = failures.filter(({ hash }) => messagesOf(hash) === 0)
  if (untold.length > 0) found.push(`${untold.length} of ${failures.length} failures were not told`)
  const others = inbox.messages.filter(({ text }) => !failures.some(({ hash }) => text.includes(hash)))
  for (const { text } of others)
    found.push(`told beside the failures: ${text.replaceAll('\n', ' ').slice(0, 300)}`)
  const settled = samples.filter(({ minutes: at }) => at > minutes / 4)
  for (const name of ['live', 'megabytes', 'descriptors', 'threads'] as const) {
    const perHour = slope(leasts(settled, name))
    console.log(`${name}: ${perHour >= 0 ? '+' : ''}${perHour.toFixed(2)} an hour`)
    if (!(perHour <= allowed[name])) found.push(`${name} grow by ${perHour.toFixed(2)} an hour`)
  }
  return found
}

/** The least of each minute, by the hour: what is open for a moment comes and goes, and what leaks raises the least too. */
function leasts(from: readonly Sample[], name: keyof typeof allowed): [number, number][] {
  return Array.from({ length: Math.floor(from.length / samplesAMinute) }, (_, minute) => {
    const some = from.slice(minute * samplesAMinute, (minute + 1) * samplesAMinute)
    return [(some[0]?.minutes ?? 0) / 60, Math.min(...some.map((sample) => sample[name]))]
  })
}

/** Of the line that fits best, y for each x. */
function slope(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(points.map(([one]) => one)), mean(points.map(([, one]) => one))]
  const sum = (of: (dx: number, dy: number) => number) =>
    points.reduce((total, [px, py]) => total + of(px - x, py - y), 0)
  return sum((dx, dy) => dx * dy) / sum((dx) => dx * dx)
}
