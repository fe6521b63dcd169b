/**
 * The same work on a ledger of ten thousand transfers and of a million, or as many as asked for:
 * `npm run bench:ledger -- [transfers]`. Measured are a commit of 100 new records with 20 rules, the start until the
 * first poll, the memory of a daemon that runs, and a run of the upkeep. Work is the thread's own CPU time.
 */
import { kinds } from '../src/checks/index.ts'
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createApp } from '../src/monitor/createMonitor.ts'
import { loadConfig } from '../src/config/loadConfig.ts'
import { createSystemClock } from '../src/lib/clock.ts'
import { createLog } from '../src/lib/log.ts'
import { createUpkeep } from '../src/monitor/watching.ts'
import { loadRules } from '../src/rules/loadRules.ts'
import { type Figure, note } from './support/figures.ts'
import { createRecord, toObservation, toPage } from './support/records.ts'
import { fillLedger } from './support/fillLedger.ts'

const small = 10_000
const commits = { warmUp: 100, measured: 200 }
const pageSize = 100
const fullScan =
  /^SCAN (transfers|leg_answers|evidence_queue|alerts|outbox|decisions|flow_\w+|escrow_legs)\b(?!.*INDEX)/

interface Work {
  readonly commitMs: number
  readonly upkeepMs: number
  readonly scans: readonly string[]
}

interface Life {
  readonly startMs: number
  readonly rss: number
}

if (process.argv[2] === 'work') report(await measureWork(process.argv[3] ?? ''))
else if (process.argv[2] === 'life') report(await live(process.argv[3] ?? ''))
else await compare(Number(process.argv[2] ?? 1_000_000))

/** To the process that asked for it. */
function report(result: Work | Life): void {
  process.send?.(result, () => process.exit())
}

async function compare(large: number): Promise<void> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(answer(request.url ?? '/'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-bench-'))
  try {
    const few = await measure(folder, url, small)
    const many = await measure(folder, url, large)
    const format = (number: number) => new Intl.NumberFormat('en').format(number)
    const show = (name: string, of: (one: typeof few) => number, unit: string, target?: Figure['target']) =>
      note({ name, value: of(many), unit, floor: of(few), ...(target && { target }) })
    console.log(
      `ledgers of ${format(small)} and ${format(large)} transfers (${many.gigabytes.toFixed(1)} GB)`,
    )
    note({
      name: 'a commit against one with 10 thousand',
      value: many.commitMs / few.commitMs,
      unit: 'times',
      target: { atMost: 1.2 },
    })
    show('a commit of 100 new records, CPU', ({ commitMs }) => commitMs, 'ms')
    show('a run of the upkeep, CPU', ({ upkeepMs }) => upkeepMs, 'ms')
    show('from the first line of the program to the first poll', ({ startMs }) => startMs, 'ms', {
      atMost: 700,
    })
    show('resident after 20 s', ({ rss }) => rss / 1_048_576, 'MB')
    for (const scan of many.scans) console.log(`scans: ${scan}`)
  } finally {
    server.close()
    server.closeAllConnections()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(parent: string, url: string, count: number) {
  const folder = join(parent, String(count))
  fillLedger(join(folder, 'state'), count, Date.now() - 60_000)
  writeFileSync(
    join(folder, 'spanwatch.yaml'),
    `explorer: { baseUrl: "${url}", chains: { main: MAINCHAIN, zone: ZONE_CHAIN }, pace: { maxRequestsPerSecond: 50, concurrency: 4 } }
state: ./state
http: null
channels: { ops: { type: webhook, url: "http://127.0.0.1:9/" } }
`,
  )
  const gigabytes = statSync(join(folder, 'state', 'ledger.sqlite')).size / 2 ** 30
  const life = (await runIn('life', folder)) as Life
  const work = (await runIn('work', folder)) as Work
  rmSync(folder, { recursive: true, force: true })
  return { ...life, ...work, gigabytes }
}

function runIn(mode: string, folder: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [mode, folder])
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`${mode} ended with ${code}`)))
  })
}

/** A list of one page, and blocks that keep up with the clock; of everything else there is nothing. */
function answer(url: string): string {
  const { pathname } = new URL(url, 'http://x')
  const now = Date.now()
  if (pathname.endsWith('/cross/transaction-list')) {
    const data = Array.from({ length: 20 }, (_, index) => createRecord(index, now - 60_000 - index))
    return toPage(data, { page: 1, total: 20 })
  }
  return JSON.stringify({ code: '0', msg: '', data: [] })
}

function open(folder: string) {
  const loaded = loadConfig({ path: join(folder, 'spanwatch.yaml'), env: {} })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const told = ['failed', 'unbacked', 'mismatch', 'duplicate', 'rewritten', 'out_of_order', 'large']
  const text = Array.from({ length: 20 }, (_, index) => {
    const kind = told[index % told.length] ?? ''
    return `  - { name: r${index}, on: transfer.${kind}, where: 'transfer.amount > amount("${10 ** 12 + index}")' }`
  })
  const rules = loadRules([{ path: 'rules.yaml', text: `rules:\n${text.join('\n')}\n` }], kinds)
  if (!rules.ok) throw new Error(JSON.stringify(rules.problems))
  return createApp(
    { clock: createSystemClock(), log: createLog({ write: () => {} }), write: () => {}, random: Math.random },
    { config: loaded.config, rules: rules.rules, version: 'bench' },
  )
}

/** From before the ledger is opened until the newest part of the list was asked for; then 20 s of an ordinary life. */
async function live(folder: string): Promise<Life> {
  const began = performance.now()
  const app = open(folder)
  await app.start()
  const runs = () => app.parts.runner.status().find(({ poller }) => poller === 'transfers')?.runs ?? 0
  while (runs() === 0) await sleep(2)
  const startMs = performance.now() - began
  await sleep(20_000)
  const rss = process.memoryUsage.rss()
  await app.stop()
  return { startMs, rss }
}

async function measureWork(folder: string): Promise<Work> {
  const app = open(folder)
  const statements = noteStatements(app)
  const commit = (number: number) => {
    const first = 500_000_000 + number * pageSize
    const records = Array.from({ length: pageSize }, (_, index) => toObservation(first + index, Date.now()))
    const begun = process.threadCpuUsage()
    app.parts.commit({ answers: [records] })
    return since(begun)
  }
  for (let number = 0; number < commits.warmUp; number += 1) commit(number)
  const times = Array.from({ length: commits.measured }, (_, number) => commit(commits.warmUp + number))
  const upkeep = createUpkeep({ ...app.parts }, [...app.parts.opened.values()])
  await upkeep()
  const begun = process.threadCpuUsage()
  await upkeep()
  const upkeepMs = since(begun)
  const scans = listScans(join(folder, 'state', 'ledger.sqlite'), statements)
  await app.stop()
  return { commitMs: times.reduce((sum, time) => sum + time, 0) / times.length, upkeepMs, scans }
}

function since(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(begun)
  return (user + system) / 1_000
}

/** Every statement that is asked for from now on. */
function noteStatements(app: ReturnType<typeof open>): ReadonlySet<string> {
  const statements = new Set<string>()
  const { db } = app.parts
  const own = { ...db }
  Object.assign(db, { prepare: (sql: string) => (statements.add(sql), own.prepare(sql)) })
  return statements
}

/** Statements that look at every row of a table that grows. */
function listScans(path: string, statements: ReadonlySet<string>): string[] {
  const db = new DatabaseSync(path, { readOnly: true })
  const scans = [...statements].flatMap((sql) => {
    if (!/^\s*(SELECT|UPDATE|DELETE|WITH)/i.test(sql)) return []
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
    return steps.some(({ detail }) => fullScan.test(String(detail))) ? [sql.replaceAll(/\s+/g, ' ')] : []
  })
  db.close()
  return scans
}
