/**
 * How soon a webhook hears of something, through the whole daemon and over sockets: `npm run bench:alerts -- [findings]`.
 * The API and the receiver are a process of their own. Waiting for the disk is part of it: commits are durable. In the heap that
 * Node allows itself within the 1 GB of the shipped units, as bench/storm.ts.
 */
import { kinds } from '../src/checks/index.ts'
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createApp } from '../src/monitor/createMonitor.ts'
import { createCaseActions } from '../src/monitor/caseActions.ts'
import { loadConfig } from '../src/config/loadConfig.ts'
import type { Observation } from '../src/bridge/observation.ts'
import { type CommitInSlices, createCommitInSlices } from '../src/kernel/commitInSlices.ts'
import { createSystemClock } from '../src/lib/clock.ts'
import { createLog } from '../src/lib/log.ts'
import { loadRules } from '../src/rules/loadRules.ts'
import { countCommit } from '../src/store/openFiles.ts'
import { note } from './support/figures.ts'
import { now, type Noted, type Order } from './support/alertWorld.ts'
import { toObservation } from './support/records.ts'

// As the program itself keeps its heap.
const { limitHeap }: { limitHeap: () => void } = await import(
  new URL('../bin/limitHeap.js', import.meta.url).href
)
limitHeap()

const stormSize = Number(process.argv[2] ?? 100_000)
const pageSize = 100
/** Between two looks at the loop, ms. */
const resolutionMs = 10
const rules = `rules:
  - { name: failed, on: transfer.failed, where: 'transfer.amount < amount("999999999")', severity: warning }
  - { name: failed-large, on: transfer.failed, where: 'transfer.amount >= amount("999999999")', severity: critical }
`

// What the bench counts of its heap is the monitor's alone.
const world = fork(fileURLToPath(new URL('support/alertWorld.ts', import.meta.url)), ['world'], {
  execArgv: [],
})
const port = Number(await new Promise<unknown>((resolve) => world.once('message', resolve)))
const url = `http://127.0.0.1:${port}`
const folder = mkdtempSync(join(tmpdir(), 'spanwatch-bench-'))
try {
  await withApp('first', async (app) => {
    await app.start()
    await sleep(3_000)
    await measureVisible(app)
    await measureFirst(app)
    await measureMany(app)
  })
  await withApp('storm', measureStorm)
} finally {
  world.kill()
  rmSync(folder, { recursive: true, force: true })
}

type App = ReturnType<typeof createApp>

async function withApp(name: string, work: (app: App) => Promise<void>): Promise<void> {
  const path = join(folder, `${name}.yaml`)
  writeFileSync(
    path,
    `explorer: { baseUrl: "${url}", chains: { main: MAINCHAIN, zone: ZONE_CHAIN }, pace: { maxRequestsPerSecond: 1000, concurrency: 4 } }
state: ./${name}
http: null
poll: { transfers: "* * * * * *" }
channels: { ops: { type: webhook, url: "${url}/hook" } }
routes: [ { channels: [ops], groupBy: [] } ]
`,
  )
  const loaded = loadConfig({ path, env: {} })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const checked = loadRules([{ path: 'rules.yaml', text: rules }], kinds)
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems))
  const app = createApp(
    { clock: createSystemClock(), log: createLog({ write: () => {} }), write: () => {}, random: Math.random },
    { config: loaded.config, rules: checked.rules, version: 'bench' },
  )
  try {
    await work(app)
  } finally {
    await app.stop()
  }
}

function tell(order: Order): void {
  world.send(order)
}

async function readNoted(process: ChildProcess): Promise<Noted> {
  const answer = new Promise<unknown>((resolve) => process.once('message', resolve))
  tell({ report: true })
  // What bench/support/alertWorld.ts sends.
  return (await answer) as Noted
}

function failed(index: number, overrides: Partial<Observation> = {}): Observation {
  return { ...toObservation(index, Date.now()), status: 'failed', ...overrides }
}

/** The least that is possible is two of them: a finding is on the disk before anybody hears of it, and so is what is being sent. */
function commitTimes(app: App): number[] {
  return Array.from({ length: 50 }, () => {
    const begun = now()
    app.parts.db.transaction(() => countCommit(app.parts.db))
    return now() - begun
  })
}

/** From the answer that first holds a record until its alert is in the receiver's socket: the waiting for a poll is not part. */
async function measureVisible(app: App): Promise<void> {
  const indexes = Array.from({ length: 40 }, (_, index) => 1_000_000 + index)
  for (const index of indexes) {
    tell({ show: index })
    await sleep(700)
  }
  await sleep(2_000)
  const { shown, told } = await readNoted(world)
  const times = Object.entries(shown).flatMap(([hash, at]) =>
    told[hash] === undefined ? [] : [told[hash] - at],
  )
  const two = 2 * percentile(commitTimes(app), 0.5)
  const name = 'visible at the API to the socket'
  note({
    name: `${name}, median`,
    value: percentile(times, 0.5),
    unit: 'ms',
    floor: two,
    target: { atMost: 15 },
  })
  note({
    name: `${name}, p99`,
    value: percentile(times, 0.99),
    unit: 'ms',
    floor: two,
    target: { atMost: 40 },
  })
  if (times.length < indexes.length) console.log(`not told: ${indexes.length - times.length}`)
}

/** From before the commit of one finding, with nothing else to say, until it is in the receiver's socket. */
async function measureFirst(app: App): Promise<void> {
  show('one durable commit', commitTimes(app), 'two of them before a message')
  const begun = new Map<string, number>()
  for (let index = 0; index < 100; index += 1) {
    const record = failed(2_000_000 + index)
    begun.set(record.zoneHash ?? '', now())
    app.parts.commit({ answers: [[record]] })
    await sleep(120)
  }
  await sleep(1_000)
  const { told } = await readNoted(world)
  const times = [...begun].flatMap(([hash, at]) => (told[hash] === undefined ? [] : [told[hash] - at]))
  show('first notification', times, 'median 20 ms')
}

/** A thousand findings of one commit, from before it. */
async function measureMany(app: App): Promise<void> {
  await sleep(5_000)
  const records = Array.from({ length: 1_000 }, (_, index) => failed(3_000_000 + index))
  const begun = now()
  app.parts.commit({ answers: [records] })
  await sleep(8_000)
  const { told } = await readNoted(world)
  const times = records.flatMap(({ zoneHash }) => told[zoneHash ?? ''] ?? [])
  const lastMs = Math.max(...times) - begun
  console.log(
    `1,000 distinct alerts: ${times.length} told, the last after ${lastMs.toFixed(0)} ms (target 1000 ms)`,
  )
}

/** Commits as pollers of the list do: what each slice, and each commit on the disk, takes of the process at once goes to `turns`. */
function measureSlices({ parts: { commit, db } }: App, turns: number[]): CommitInSlices {
  const measured = <T>(work: () => T): T => {
    const begun = process.threadCpuUsage()
    const result = work()
    turns.push(since(begun))
    return result
  }
  return createCommitInSlices((result) => measured(() => commit(result)), {
    clock: createSystemClock(),
    db: { rollbacks: () => db.rollbacks(), held: { save: () => measured(() => db.held.save()) } },
  })
}

/** Pages of failures one after the other, one of them with a large amount in the middle. */
async function measureStorm(app: App): Promise<void> {
  app.parts.db.transaction(() => app.parts.engine.start(Date.now()))
  const { operations, alerts: store } = app.parts
  app.parts.sending.start(createCaseActions({ operations, store }))
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  const turns: number[] = []
  let [rss, begun, critical] = [0, 0, '']
  const commitInSlices = measureSlices(app, turns)
  const cpu = process.threadCpuUsage()
  for (let first = 0; first < stormSize; first += pageSize) {
    const isMiddle = first === Math.floor(stormSize / 2 / pageSize) * pageSize
    const records = Array.from({ length: pageSize }, (_, index) =>
      failed(
        4_000_000 + first + index,
        isMiddle && index === 50 ? { value: '1000000000', amountRaw: 10n ** 15n } : {},
      ),
    )
    if (isMiddle) {
      begun = now()
      critical = records[50]?.zoneHash ?? ''
    }
    await commitInSlices({ answers: [records] })
    rss = Math.max(rss, process.memoryUsage.rss())
    const others = process.threadCpuUsage()
    await setImmediate()
    turns.push(since(others))
  }
  const spentMs = since(cpu)
  delay.disable()
  await sleep(5_000)
  const { told, messages, mostItems, mostBytes } = await readNoted(world)
  const middleMs = (told[critical] ?? Number.NaN) - begun
  console.log(
    `storm of ${stormSize} findings: ${((spentMs * 1_000) / stormSize).toFixed(0)} µs of CPU time each`,
  )
  const storm = `a storm of ${new Intl.NumberFormat('en').format(stormSize)}`
  note({ name: `resident in ${storm}, at most`, value: rss / 1_048_576, unit: 'MB', target: { atMost: 300 } })
  const held = Math.max(0, delay.percentile(99) / 1e6 - resolutionMs)
  note({ name: `the loop held in ${storm}, p99`, value: held, unit: 'ms', target: { atMost: 50 } })
  show('  CPU time of a turn of the event loop', turns, 'p99 200 ms')
  const cpuName = `CPU time of a turn of the loop in ${storm}, p99`
  note({ name: cpuName, value: percentile(turns, 0.99), unit: 'ms', target: { atMost: 50 } })
  console.log(`  the critical one      after ${middleMs.toFixed(0)} ms (target 5000 ms)`)
  console.log(
    `  messages so far       ${messages}, at most ${mostItems} items and ${(mostBytes / 1e6).toFixed(1)} MB each`,
  )
}

/** This thread's CPU time since, ms. */
function since(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(begun)
  return (user + system) / 1_000
}

function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function show(name: string, times: readonly number[], target: string): void {
  const at = (share: number) => percentile(times, share).toFixed(1)
  console.log(
    `${name}: median ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms of ${times.length} (target ${target})`,
  )
}
