/**
 * Reads 20,000 records from a local API, pages of 100, as the transfers poller does, with 20 rules: `npm run bench:ingest`.
 * The floor is the same pages fetched with bare undici, parsed, and inserted into one table, a commit a page.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { request } from 'undici'
import { createApp } from '../src/app/createApp.ts'
import { loadConfig } from '../src/config/loadConfig.ts'
import { createSystemClock } from '../src/lib/clock.ts'
import { createLog } from '../src/lib/log.ts'
import { createExplorerReads } from '../src/pollers/explorerReads.ts'
import { loadRules } from '../src/rules/loadRules.ts'
import { writeFileSync } from 'node:fs'

const pages = 200
const pageSize = 100
const steadyTicks = 50

const hash = (side: number, index: number) => `0x${side}${index.toString(16).padStart(63, '0')}`

function createRecord(index: number, at: number): Record<string, string> {
  return {
    id: hash(1, index),
    txType: index % 2 === 0 ? 'ZoneToMain' : 'MainToZone',
    crossType: index % 2 === 0 ? 'Withdraw' : 'Deposit',
    status: '0x1',
    mainTxHash: hash(2, index),
    mainBlockHeight: String(1_000_000 + index),
    mainBlockTime: String(at),
    zoneTxHash: hash(3, index),
    zoneBlockHeight: String(9_000_000 + index),
    zoneBlockTime: String(at - 20_000),
    from: `0x${'f'.repeat(40)}`,
    to: `0x${'e'.repeat(40)}`,
    sourceAddress: `0x${(index % 5_000).toString(16).padStart(40, '0')}`,
    targetAddress: `0x${(index % 7_000).toString(16).padStart(40, '0')}`,
    value: `${index + 1}.5`,
    valueRaw: `${index + 1}500000`,
    tokenContractAddress: `0x${(index % 5).toString().repeat(40)}`,
    tokenType: 'ERC20',
    tokenId: '',
    tokenName: 'Token',
  }
}

const base = Date.now() - 3_600_000
const server = createServer((request_, response) => {
  const page = Number(new URL(request_.url ?? '/', 'http://x').searchParams.get('page') ?? 1)
  const first = (page - 1) * pageSize
  const data = Array.from({ length: pageSize }, (_, index) =>
    createRecord(first + index, base - first - index),
  )
  const body = {
    page: String(page),
    limit: String(pageSize),
    totalPage: String(pages),
    total: String(pages * pageSize),
    data,
  }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ code: '0', msg: '', data: [body] }))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const folder = mkdtempSync(join(tmpdir(), 'spanwatch-bench-'))

async function measureFloor(): Promise<number> {
  const db = new DatabaseSync(join(folder, 'floor.sqlite'))
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE records (id TEXT PRIMARY KEY, body TEXT)',
  )
  const insert = db.prepare('INSERT OR REPLACE INTO records VALUES (?, ?)')
  const begun = performance.now()
  for (let page = 1; page <= pages; page += 1) {
    const { body } = await request(
      `${url}/api/v5/chain/zone/cross/transaction-list?page=${page}&limit=${pageSize}`,
    )
    const parsed = (await body.json()) as { data: { data: Record<string, string>[] }[] }
    db.exec('BEGIN')
    for (const record of parsed.data[0]?.data ?? []) insert.run(record['id'] ?? '', JSON.stringify(record))
    db.exec('COMMIT')
  }
  const took = performance.now() - begun
  db.close()
  return (pages * pageSize * 1_000) / took
}

async function measureIngest(): Promise<{ first: number; again: number }> {
  const path = join(folder, 'spanwatch.yaml')
  writeFileSync(
    path,
    `explorer: { baseUrl: "${url}", chains: { main: MAINCHAIN, zone: ZONE_CHAIN }, pace: { maxRequestsPerSecond: 1000, concurrency: 4 } }
state: ./state
http: null
channels: { ops: { type: webhook, url: "http://127.0.0.1:9/" } }
`,
  )
  const loaded = loadConfig({ path, env: {} })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const text = `rules:\n${Array.from({ length: 20 }, (_, index) => `  - { name: r${index}, on: transfer.failed, where: 'transfer.amount >= amount("${index}") && transfer.token.type == "ERC20"', severity: warning }`).join('\n')}\n`
  const rules = loadRules([{ path: 'rules.yaml', text }])
  if (!rules.ok) throw new Error(JSON.stringify(rules.problems))
  const app = createApp(
    { clock: createSystemClock(), log: createLog({ write: () => {} }), write: () => {}, random: Math.random },
    { config: loaded.config, rules: rules.rules, version: 'bench' },
  )
  const reads = createExplorerReads(app.parts.explorer, app.parts.ledger)
  const signal = new AbortController().signal
  const readPage = async (page: number) => {
    const { records, bad } = await reads.feedPage(page, { priority: 'urgent', signal })
    app.parts.commit({ answers: [records], bad })
  }
  // The pace starts at 4 requests a second and doubles: what is measured is the work, not the waiting.
  let working = 0
  for (let page = 1; page <= pages; page += 1) {
    const { records, bad } = await reads.feedPage(page, { priority: 'urgent', signal })
    const begun = performance.now()
    app.parts.commit({ answers: [records], bad })
    working += performance.now() - begun
  }
  const begun = performance.now()
  for (let tick = 0; tick < steadyTicks; tick += 1) await readPage(1 + (tick % pages))
  const again = performance.now() - begun
  await app.stop()
  return { first: (pages * pageSize * 1_000) / working, again: (steadyTicks * pageSize * 1_000) / again }
}

try {
  const floor = await measureFloor()
  const { first, again } = await measureIngest()
  console.log(`floor                  ${floor.toFixed(0)} records a second (fetch, parse, insert)`)
  console.log(
    `new records            ${first.toFixed(0)} records a second (judge and commit only), ${(first / floor).toFixed(2)} of the floor`,
  )
  console.log(
    `records seen before    ${again.toFixed(0)} records a second (fetch to commit), ${(again / floor).toFixed(2)} of the floor`,
  )
} finally {
  server.close()
  server.closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
}
