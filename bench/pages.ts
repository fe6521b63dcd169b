/**
 * How long readers wait for each page and each answer of the API, on a ledger of so many transfers, while nothing happens
 * and in a storm: `npm run bench:pages -- [transfers] [findings]`. In the storm so many withdrawals fail within a minute, as the list
 * shows them, while the pages are asked for all the time; then once more with all of it open. The daemon has a process of its
 * own, and is asked over a socket, one page at a time.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { kinds } from '../src/checks/index.ts'
import type { Observation } from '../src/bridge/observation.ts'
import { createLog } from '../src/lib/log.ts'
import type { App } from '../src/monitor/createMonitor.ts'
import { buildDailyReport } from '../src/report/buildDailyReport.ts'
import { dayOf, windowOf } from '../src/report/reportDay.ts'
import { createReportStore } from '../src/report/store.ts'
import { createWebApp } from '../src/web/createWebApp.ts'
import { startWebServer } from '../src/web/startWebServer.ts'
import { createWebDeps } from '../src/web/views/createWebDeps.ts'
import { note } from './support/figures.ts'
import { fillLedger } from './support/fillLedger.ts'
import { watchLoop } from './support/loopDelay.ts'
import { openDaemon, readShippedRules, serveQuiet, writeQuietConfig } from './support/quietDaemon.ts'
import { toObservation } from './support/records.ts'

/** Each page so often in each of the three states. */
const rounds = 5
const stormMs = 60_000
const pageSize = 100
const slowest = 8

/** What the daemon says of itself. */
interface Said {
  readonly url: string
  readonly day: string
  /** Of a transfer, and where the list goes on behind it. */
  readonly hash: string
  readonly cursor: string
}
interface Held {
  readonly p99: number
  readonly most: number
}

if (process.argv[2] === 'serve') await serve(process.argv[3] ?? '')
else await measure(Number(process.argv[2] ?? 1_000_000), Number(process.argv[3] ?? 100_000))

async function measure(transfers: number, findings: number): Promise<void> {
  const explorer = await serveQuiet()
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-bench-'))
  try {
    fillLedger(join(folder, 'state'), transfers, Date.now() - 60_000)
    writeQuietConfig(folder, explorer.url)
    const child = fork(fileURLToPath(import.meta.url), ['serve', folder])
    const said = (await next(child)) as Said
    const size = new Intl.NumberFormat('en').format(transfers)
    console.log(`a ledger of ${size} transfers, ${listPaths(said).length} pages and answers`)
    await readAll(said, listPaths(said))
    await tell(child, 'page p99, quiet', readRounds(said))
    child.send({ storm: findings })
    const over = next(child)
    await sleep(2_000)
    await tell(child, 'page p99 in a storm', readUntil(said, over), { atMost: 100 })
    await tell(child, 'page p99 with all of the storm open', readRounds(said), { atMost: 100 })
    child.kill()
  } finally {
    explorer.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function next(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`the daemon ended with ${code}`)))
  })
}

interface Read {
  readonly path: string
  readonly ms: number
}

async function tell(
  child: ChildProcess,
  name: string,
  reading: Promise<readonly Read[]>,
  target?: { readonly atMost: number },
): Promise<void> {
  child.send({ watch: true })
  const reads = await reading
  child.send({ held: true })
  const held = (await next(child)) as Held
  const rising = reads.map(({ ms }) => ms).sort((a, b) => a - b)
  const p99 = rising[Math.ceil(rising.length * 0.99) - 1] ?? NaN
  note({ name, value: p99, unit: 'ms', ...(target && { target }) })
  console.log(
    `  ${rising.length} requests, median ${(rising[rising.length >> 1] ?? NaN).toFixed(1)} ms; the loop held: p99 ${held.p99.toFixed(0)}, longest ${held.most.toFixed(0)} ms`,
  )
  const worst = [...Map.groupBy(reads, ({ path }) => path)].map(([path, all]) => ({
    path,
    ms: all.map(({ ms }) => ms).sort((a, b) => a - b),
  }))
  for (const { path, ms } of worst
    .toSorted((a, b) => (b.ms[b.ms.length >> 1] ?? 0) - (a.ms[a.ms.length >> 1] ?? 0))
    .slice(0, slowest))
    console.log(`  ${ms.map((one) => one.toFixed(0)).join(' ')} ms ${path}`)
}

async function readRounds(said: Said): Promise<Read[]> {
  const reads: Read[] = []
  for (let round = 0; round < rounds; round += 1) reads.push(...(await readAll(said, listPaths(said))))
  return reads
}

async function readUntil(said: Said, over: Promise<unknown>): Promise<Read[]> {
  const reads: Read[] = []
  const ending = { isOver: false }
  void over.then(() => (ending.isOver = true))
  while (!ending.isOver) reads.push(...(await readAll(said, listPaths(said))))
  return reads
}

async function readAll({ url }: Said, paths: readonly string[]): Promise<Read[]> {
  const reads: Read[] = []
  for (const path of paths) {
    const begun = performance.now()
    const response = await fetch(`${url}${path}`, { redirect: 'manual' })
    await response.arrayBuffer()
    reads.push({ path, ms: performance.now() - begun })
    if (response.status >= 500) console.log(`  ${response.status} ${path}`)
    // What lies on the disk is read by others as well, and readers pause.
    await sleep(20)
  }
  return reads
}

function listPaths({ day, hash, cursor }: Said): string[] {
  const address = `0x${'c'.repeat(40)}`
  const ends = `${hash.slice(0, 6)}…${hash.slice(-4)}`
  const lists = ['transfers', 'api/transfers'].flatMap((list) => [
    `/${list}`,
    `/${list}?cursor=${cursor}`,
    `/${list}?state=failed`,
    `/${list}?state=pending&age=30m`,
    `/${list}?direction=MainToZone&token=${address}`,
    `/${list}?q=${hash}`,
    `/${list}?q=0x${'d'.repeat(40)}`,
    `/${list}?q=${encodeURIComponent(ends)}`,
    `/${list}/${hash}`,
  ])
  return [
    '/',
    ...lists,
    '/breaks',
    '/breaks?sort=amount',
    '/cases',
    '/cases?state=all',
    '/cases/c1',
    '/cases/c1/findings?cursor=5000',
    '/cases/c1/timeline',
    '/alerts',
    '/alerts?show=events',
    '/alerts?show=all&cursor=5000',
    '/search?q=0xabcdef',
    `/search?q=${hash}`,
    '/rules',
    '/outbox',
    '/silences',
    '/audit',
    '/escrows',
    '/reports',
    `/reports/${day}`,
    `/reports/${day}/transfers.csv`,
    '/charts/flow.svg',
    '/charts/latency.svg?theme=dark',
    '/runbooks/transfer.failed',
    '/metrics',
    '/healthz',
    '/readyz',
    '/api/openapi.json',
    '/api/status',
    '/api/series',
    `/api/transfers/${hash}/verdict`,
    '/api/cases',
    '/api/cases?state=all',
    '/api/cases/c1',
    '/api/breaks',
    '/api/escrows',
    '/api/alerts',
    '/api/alerts?nature=event',
    '/api/alerts?state=open',
    '/api/alerts?q=0xabcdef',
    '/api/silences',
    '/api/audit',
    '/api/outbox',
    '/api/outbox?state=dead',
    '/api/outbox?state=sent',
    '/api/rules',
    '/api/reports',
    `/api/reports/${day}`,
  ]
}

async function serve(folder: string): Promise<void> {
  const app = openDaemon(folder, readShippedRules())
  await app.start()
  const { parts } = app
  const window = windowOf(dayOf(parts.clock.now(), 'UTC'), 'UTC')
  if (window === null) throw new Error('today is no day')
  const report = await buildDailyReport(
    { ...parts, kinds, before: null, knows: {} },
    window,
    parts.clock.now(),
  )
  parts.commit({ apply: (now) => (createReportStore(parts.db).queue(report, now), []) })
  const web = createWebApp(
    createWebDeps({ clock: parts.clock, log: createLog({ write: () => {} }) }, parts),
    {
      listenHost: '127.0.0.1',
      token: null,
    },
  )
  const { url } = await startWebServer({ app: web, clock: parts.clock, host: '127.0.0.1', port: 0 })
  const one = parts.ledger.listTransfers({ limit: 1_000 }).at(-1)
  const loop = watchLoop()
  process.on('message', (order: { storm: number } | { watch: true } | { held: true }) => {
    if ('storm' in order) void storm(app, order.storm).then(() => process.send?.('over'))
    else if ('watch' in order) loop.reset()
    else process.send?.(loop.read() satisfies Held)
  })
  process.send?.({
    url,
    day: window.day,
    hash: one?.zone?.hash ?? '',
    cursor: `${one?.originAt}-${one?.key.slice(1)}`,
  } satisfies Said)
}

/** As the list shows them, a page at a time. */
async function storm({ parts }: App, findings: number): Promise<void> {
  const pages = findings / pageSize
  const begun = performance.now()
  for (let page = 0; page < pages; page += 1) {
    const records = Array.from({ length: pageSize }, (_, index) => fail(page * pageSize + index))
    await parts.commitInSlices({
      answers: [records],
      evidence: records.flatMap(({ zoneHash, zoneHeight }) =>
        zoneHash === null
          ? []
          : [
              {
                chain: 'zone' as const,
                hash: zoneHash,
                source: 'E9' as const,
                requestedAt: Date.now(),
                status: 'failed' as const,
                errorMessage: 'execution reverted: nonce too low',
                moves: null,
                height: zoneHeight,
              },
            ],
      ),
    })
    await sleep(Math.max(0, begun + ((page + 1) * stormMs) / pages - performance.now()))
  }
}

function fail(index: number): Observation {
  const value = String(10 + (index % 500))
  return {
    ...toObservation(1_000_000_000 + 2 * index, Date.now()),
    status: 'failed',
    value,
    amountRaw: BigInt(value) * 10n ** 6n,
  }
}
