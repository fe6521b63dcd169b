/**
 * The same work on a ledger of ten thousand transfers and of a million, or as many as asked for:
 * `npm run bench:ledger -- [transfers]`. Measured are a commit of 100 new records with 20 rules, a tick and a run of the
 * upkeep with the shipped rules, the start until the first poll, and the memory of a daemon that runs. Work is the thread's
 * own CPU time.
 */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { App } from '../src/monitor/createMonitor.ts'
import { createUpkeep } from '../src/monitor/watching.ts'
import type { YamlInput } from '../src/lib/parseYamlDocument.ts'
import { type Figure, note } from './support/figures.ts'
import { fillLedger } from './support/fillLedger.ts'
import { openDaemon, readShippedRules, serveQuiet, writeQuietConfig } from './support/quietDaemon.ts'
import { toObservation } from './support/records.ts'

const small = 10_000
const commits = { warmUp: 100, measured: 200 }
const ticks = { warmUp: 20, measured: 200 }
const pageSize = 100
const growing = /^SCAN (transfers|leg_answers|evidence_queue|alerts|outbox|decisions|flow_\w+|escrow_legs)\b/

interface Work {
  readonly commitMs: number
  readonly tickMs: number
  readonly upkeepMs: number
  readonly scans: readonly string[]
}

interface Life {
  readonly startMs: number
  readonly rss: number
  readonly lifeScans: readonly string[]
}

if (process.argv[2] === 'work') report(await measureWork(process.argv[3] ?? ''))
else if (process.argv[2] === 'life') report(await live(process.argv[3] ?? ''))
else await compare(Number(process.argv[2] ?? 1_000_000))

/** To the process that asked for it. */
function report(result: Work | Life): void {
  process.send?.(result, () => process.exit())
}

async function compare(large: number): Promise<void> {
  const explorer = await serveQuiet()
  const { url } = explorer
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
    note({
      name: 'a tick against one with 10 thousand',
      value: many.tickMs / few.tickMs,
      unit: 'times',
      target: { atMost: 1.2 },
    })
    show('a tick, CPU', ({ tickMs }) => tickMs, 'ms')
    show('a commit of 100 new records, CPU', ({ commitMs }) => commitMs, 'ms')
    show('a run of the upkeep, CPU', ({ upkeepMs }) => upkeepMs, 'ms')
    show('from the first line of the program to the first poll', ({ startMs }) => startMs, 'ms', {
      atMost: 700,
    })
    show('resident after 20 s', ({ rss }) => rss / 1_048_576, 'MB')
    for (const scan of new Set([...many.scans, ...many.lifeScans])) console.log(`scans: ${scan}`)
  } finally {
    explorer.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(parent: string, url: string, count: number) {
  const folder = join(parent, String(count))
  fillLedger(join(folder, 'state'), count, Date.now() - 60_000)
  writeQuietConfig(folder, url)
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

/** Rules that look at each record and find nothing. */
function writeRules(): YamlInput[] {
  const told = ['failed', 'unbacked', 'mismatch', 'duplicate', 'rewritten', 'out_of_order', 'large']
  const text = Array.from({ length: 20 }, (_, index) => {
    const kind = told[index % told.length] ?? ''
    return `  - { name: r${index}, on: transfer.${kind}, where: 'transfer.amount > amount("${10 ** 12 + index}")' }`
  })
  return [{ path: 'rules.yaml', text: `rules:\n${text.join('\n')}\n` }]
}

/** From before the ledger is opened until the newest part of the list was asked for; then 20 s of an ordinary life. */
async function live(folder: string): Promise<Life> {
  const began = performance.now()
  const app = openDaemon(folder, writeRules())
  const statements = noteStatements(app)
  await app.start()
  const runs = () => app.parts.runner.status().find(({ poller }) => poller === 'transfers')?.runs ?? 0
  while (runs() === 0) await sleep(2)
  const startMs = performance.now() - began
  await sleep(20_000)
  const rss = process.memoryUsage.rss()
  const lifeScans = listScans(join(folder, 'state', 'ledger.sqlite'), statements)
  await app.stop()
  return { startMs, rss, lifeScans }
}

async function measureWork(folder: string): Promise<Work> {
  const app = openDaemon(folder, writeRules())
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
  const commitMs = mean(times)
  const scans = listScans(join(folder, 'state', 'ledger.sqlite'), statements)
  await app.stop()
  const judged = await measureJudging(folder)
  return { commitMs, ...judged, scans: [...new Set([...scans, ...judged.scans])] }
}

/** A tick with every shipped rule, and the upkeep. */
async function measureJudging(folder: string): Promise<Omit<Work, 'commitMs'>> {
  const app = openDaemon(folder, readShippedRules())
  const statements = noteStatements(app)
  const { evaluate } = app.parts
  evaluate.start()
  const tick = async () => {
    const { total } = evaluate.counts()
    const begun = process.threadCpuUsage()
    evaluate.wake()
    while (evaluate.counts().total === total) await setImmediate()
    return since(begun)
  }
  for (let number = 0; number < ticks.warmUp; number += 1) await tick()
  const times: number[] = []
  for (let number = 0; number < ticks.measured; number += 1) times.push(await tick())
  const upkeep = createUpkeep({ ...app.parts }, [...app.parts.opened.values()])
  await upkeep()
  const begun = process.threadCpuUsage()
  await upkeep()
  const upkeepMs = since(begun)
  const scans = listScans(join(folder, 'state', 'ledger.sqlite'), statements)
  await app.stop()
  return { tickMs: mean(times), upkeepMs, scans }
}

function mean(times: readonly number[]): number {
  return times.reduce((sum, time) => sum + time, 0) / times.length
}

function since(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(begun)
  return (user + system) / 1_000
}

/** Every statement that is asked for from now on. */
function noteStatements(app: App): ReadonlySet<string> {
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
    const details = steps.map(({ detail }) => String(detail))
    // One that goes along an index may stop soon, unless it sorts all of it.
    const isSorted = details.some((detail) => detail.includes('TEMP B-TREE FOR ORDER BY'))
    const isFull = (detail: string) => growing.test(detail) && (isSorted || !detail.includes('INDEX'))
    return details.some(isFull) ? [sql.replaceAll(/\s+/g, ' ')] : []
  })
  db.close()
  return scans
}
