import { kinds } from '../../src/checks/index.ts'
import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { type App, createApp } from '../../src/monitor/createMonitor.ts'
import type { Replica } from '../../src/monitor/options.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { createSystemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { createExplorerReads } from '../../src/kernel/reads/reads.ts'
import { loadRules } from '../../src/rules/loadRules.ts'
import { createRecord, toPage } from './records.ts'

const warmUp = 100
const pages = 500
const pageSize = 100

export interface ReplicaOfBench {
  readonly replica: Replica
  opened(app: App): void
}

/** Serves the pages, each written once. */
function serve(): void {
  const base = Date.now() - 3_600_000
  const written = Array.from({ length: pages }, (_, page) => {
    const first = page * pageSize
    const data = Array.from({ length: pageSize }, (__, index) =>
      createRecord(first + index, base - first - index),
    )
    return toPage(data, { page: page + 1, total: pages * pageSize })
  })
  const server = createServer((request_, response) => {
    const page = Number(new URL(request_.url ?? '/', 'http://x').searchParams.get('page') ?? 1)
    response.setHeader('content-type', 'application/json')
    response.end(written[page - 1])
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}

/** Records a second of this thread's CPU time, over all pages after the warm-up. */
async function measure(readPage: (page: number) => Promise<void>): Promise<number> {
  for (let page = 1; page <= warmUp; page += 1) await readPage(page)
  const begun = process.threadCpuUsage()
  for (let page = warmUp + 1; page <= pages; page += 1) await readPage(page)
  const { user, system } = process.threadCpuUsage(begun)
  return ((pages - warmUp) * pageSize * 1_000_000) / (user + system)
}

async function fetchPage(url: string, page: number): Promise<Record<string, string>[]> {
  const path = `/api/v5/chain/zone/cross/transaction-list?page=${page}&limit=${pageSize}`
  const { body } = await request(`${url}${path}`)
  const parsed = (await body.json()) as { data: { data: Record<string, string>[] }[] }
  return parsed.data[0]?.data ?? []
}

/** The least that the work takes. */
export async function measureFloor(url: string, folder: string): Promise<number> {
  const db = new DatabaseSync(join(folder, 'floor.sqlite'))
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE records (id TEXT PRIMARY KEY, body TEXT)',
  )
  const insert = db.prepare('INSERT OR REPLACE INTO records VALUES (?, ?)')
  const rate = await measure(async (page) => {
    const records = await fetchPage(url, page)
    db.exec('BEGIN')
    for (const record of records) insert.run(record['id'] ?? '', JSON.stringify(record))
    db.exec('COMMIT')
  })
  db.close()
  return rate
}

function writeRules(count: number): string {
  const rules = Array.from(
    { length: count },
    (_, index) =>
      `  - { name: r${index}, on: transfer.failed, where: 'transfer.amount >= amount("${index}") && transfer.token.type == "ERC20"', severity: warning }`,
  )
  return `rules:\n${rules.join('\n')}\n`
}

/** Records a second, new and seen before. `replica`: what the process is among several. */
export async function measureIngest(
  url: string,
  folder: string,
  rulesCount: number,
  replica?: ReplicaOfBench,
): Promise<{ fresh: number; known: number }> {
  const path = join(folder, 'spanwatch.yaml')
  writeFileSync(
    path,
    `explorer: { baseUrl: "${url}", chains: { main: MAINCHAIN, zone: ZONE_CHAIN }, pace: { maxRequestsPerSecond: 1000, concurrency: 4 } }
state: ./state${rulesCount}${replica ? '-replica' : ''}
http: null
channels: { ops: { type: webhook, url: "http://127.0.0.1:9/" } }
`,
  )
  const loaded = loadConfig({ path, env: {} })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const rules = loadRules([{ path: 'rules.yaml', text: writeRules(rulesCount) }], kinds)
  if (!rules.ok) throw new Error(JSON.stringify(rules.problems))
  const clock = createSystemClock()
  const app = createApp(
    { clock, log: createLog({ write: () => {} }), write: () => {}, random: Math.random },
    {
      config: loaded.config,
      rules: rules.rules,
      version: 'bench',
      ...(replica && { replica: replica.replica }),
    },
  )
  replica?.opened(app)
  const reads = createExplorerReads({ ...app.parts, clock })
  const signal = new AbortController().signal
  const readPage = async (page: number) => {
    const { records, bad } = await reads.feedPage(page, { priority: 'urgent', signal })
    app.parts.commit({ answers: [records], bad, mayWait: true })
  }
  const fresh = await measure(readPage)
  const known = await measure(readPage)
  await app.stop()
  return { fresh, known }
}

/** The API in a process of its own, and a folder, for as long as `work` takes. */
export async function withApi(work: (url: string, folder: string) => Promise<void>): Promise<void> {
  const api = fork(fileURLToPath(import.meta.url), ['serve'])
  const port = await new Promise<unknown>((resolve) => api.once('message', resolve))
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-bench-'))
  try {
    await work(`http://127.0.0.1:${Number(port)}`, folder)
  } finally {
    api.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === 'serve') serve()
