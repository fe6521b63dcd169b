/**
 * How long the page over all bridges takes with so many transfers in PostgreSQL: `npm run bench:fleet -- [transfers]`. Fifty
 * bridges, each with cases and alerts; the page, the search for a hash and the API, asked in turn without anything kept:
 * the target is 200 ms at the 99th percentile.
 */
import { createHash } from 'node:crypto'
import { createFleetApp } from '../src/fleet/createFleetApp.ts'
import { readFleetDay } from '../src/fleet/daily/fleetDay.ts'
import { createSystemClock } from '../src/lib/clock.ts'
import { createSilentLog } from '../src/lib/log.ts'
import { Secret } from '../src/lib/secret.ts'
import { openConnections, type Query } from '../src/replicas/connect.ts'
import { setupSchema } from '../src/replicas/setupSchema.ts'
import { openDatabase } from '../src/store/database.ts'
import { postgresBin, startPostgres } from '../test/support/startPostgres.ts'

const transfers = Number(process.argv[2] ?? 1_000_000)
const bridges = 50
const rounds = 300
const days = 30
const hourMs = 3_600_000

if (postgresBin === null) throw new Error('PostgreSQL is not installed')
const postgres = await startPostgres({ max_wal_size: '4GB', maintenance_work_mem: '512MB' })
try {
  await measure(await postgres.createDatabase('fleet'))
} finally {
  await postgres.stop()
}

async function measure(url: string): Promise<void> {
  const { query, close } = openConnections(
    { database: new Secret(url) },
    { most: 4, timeoutMs: 600_000 },
    'bench',
  )
  await setupSchema({ query, close, transaction: (work) => work(query) })
  const from = performance.now()
  await fill(query)
  console.log(
    `filled ${transfers} transfers of ${bridges} bridges in ${Math.round((performance.now() - from) / 1_000)} s`,
  )
  const db = openDatabase(':memory:')
  let skippedMs = 0
  const real = createSystemClock()
  const app = createFleetApp(
    {
      // Nothing that is kept for a second answers twice.
      clock: { ...real, monotonicMs: () => real.monotonicMs() + (skippedMs += 2_000) },
      log: createSilentLog(),
      db,
      accesses: new Map(),
      listeners: new Set(),
      query,
      version: '1',
      stop: new AbortController().signal,
    },
    { listenHost: '127.0.0.1', token: null },
  )
  const paths: Readonly<Record<string, (round: number) => string>> = {
    page: () => '/',
    search: (round) => `/search?q=${hashOf(round)}`,
    'search, nothing there': (round) => `/search?q=${hashOf(-1 - round)}`,
    'search, a key': (round) => `/search?q=t${1 + round}`,
    case: (round) => `/bridges/bridge-${1 + (round % bridges)}/cases/c${1 + (round % 20)}`,
    'api bridges': () => '/api/bridges',
    'api cases': () => '/api/cases',
    'api search': (round) => `/api/search?q=${hashOf(round)}`,
  }
  for (const [name, pathOf] of Object.entries(paths)) {
    const times: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const begun = performance.now()
      const answer = await app.request(pathOf(round))
      await answer.text()
      if (answer.status !== 200) throw new Error(`${name}: ${answer.status}`)
      times.push(performance.now() - begun)
    }
    const sorted = times.toSorted((a, b) => a - b)
    const rank = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
    console.log(`${name.padEnd(22)} p50 ${rank(0.5).padStart(7)} ms   p99 ${rank(0.99).padStart(7)} ms`)
  }
  const begun = performance.now()
  const until = Math.floor(Date.now() / hourMs) * hourMs
  await readFleetDay(query, { day: '2026-03-08', zone: 'UTC', from: until - 24 * hourMs, until }, until)
  console.log(`the counts of a day's report ${Math.round(performance.now() - begun)} ms`)
  db.close()
  await close()
}

/** As SQL makes it of a transfer's number. */
function hashOf(round: number): string {
  const number = round < 0 ? round : 1 + Math.floor((round * transfers) / rounds)
  return `0x${createHash('sha256').update(String(number)).digest('hex')}`
}

async function fill(query: Query): Promise<void> {
  await query(
    `INSERT INTO spanwatch.leases (bridge, epoch, node, since, until)
     SELECT 'bridge-' || b, 1, 'node-a', clock_timestamp(), clock_timestamp() + interval '1 d' FROM generate_series(1, $1::int) b`,
    [bridges],
  )
  await query(
    `INSERT INTO spanwatch.bridges (bridge, verdict, reasons, main_chain, zone_chain, page_url, in_flight, open_cases, at_risk_usd, program, at)
     SELECT bridge, 'attention', '["c1: a withdrawal waits"]', 'M', 'Z', 'https://example.com', 5, 20, 12345.67, '1', clock_timestamp() + interval '1 d'
     FROM spanwatch.leases`,
  )
  await query(
    `INSERT INTO spanwatch.coverage (bridge, source, last_good_at, stale_after, at)
     SELECT bridge, 'source-' || s, clock_timestamp(), interval '15 s', clock_timestamp()
     FROM spanwatch.leases, generate_series(1, 6) s`,
  )
  await query(
    `INSERT INTO spanwatch.cases (bridge, id, title, severity, state, alerts, at_risk_usd, money, opened_at)
     SELECT bridge, c, 'case ' || c, 'warning', CASE WHEN c % 50 < 20 THEN 'open' ELSE 'closed' END, 3, c * 17.5,
       '[{"token": "0x1", "symbol": "USDC", "amount": "17.5", "usd": "17.5"}]', clock_timestamp() - c * interval '1 h'
     FROM spanwatch.leases, generate_series(1, 2000) c`,
  )
  // Made afterwards an index takes a fraction of the time.
  const indexes = await query<{ indexname: string; indexdef: string }>(
    `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'spanwatch' AND tablename = 'transfers' AND indexname <> 'transfers_pkey'`,
  )
  for (const { indexname } of indexes) await query(`DROP INDEX spanwatch.${indexname}`)
  // The keys of all bridges go on from each other here, so that a key is of one bridge.
  await query(
    `INSERT INTO spanwatch.transfers (bridge, key, state, direction, main_hash, zone_hash, token, symbol, amount, sender, recipient, origin_at, destination_at)
     SELECT 'bridge-' || (1 + n % ${bridges}), n, CASE WHEN n % 500 = 0 THEN 'pending' ELSE 'completed' END,
       CASE WHEN n % 2 = 0 THEN 'MainToZone' ELSE 'ZoneToMain' END, sha256(n::text::bytea), sha256(('z' || n)::bytea),
       '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 'USDC', n / 100.0, '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
       '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb49', clock_timestamp() - (n::float8 / $1) * interval '${days} d', clock_timestamp()
     FROM generate_series(1, $1::bigint) n`,
    [transfers],
  )
  for (const { indexdef } of indexes) await query(indexdef)
  await query(
    `INSERT INTO spanwatch.alerts (bridge, number, id, case_id, rule, kind, severity, state, subject, summary, transfer_key, hashes, since)
     SELECT bridge, key, substr(encode(main_hash, 'hex'), 1, 8), 1 + key % 2000, 'stalled', 'transfer.stalled', 'warning', 'resolved',
       't' || key, 'it waited', key, ARRAY[main_hash, zone_hash], origin_at
     FROM spanwatch.transfers WHERE key % 100 = 1`,
  )
  await query('ANALYZE')
}
