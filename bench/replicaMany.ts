/**
 * `npm run bench:replica-many [bridges] [seconds]`: many bridges on one PostgreSQL. Three are real daemons against a sandbox, the
 * others ledgers of this process that get a transfer a second by the real commit, each with its own holder, connections
 * and rows that people query. How long a commit takes to be in PostgreSQL, what that costs there.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { loadConfig } from '../src/config/loadConfig.ts'
import { createShownReader } from '../src/daemon/readShown.ts'
import { createSystemClock } from '../src/lib/clock.ts'
import { createSilentLog } from '../src/lib/log.ts'
import { Secret } from '../src/lib/secret.ts'
import { createApp } from '../src/monitor/createMonitor.ts'
import { type Connections, openConnections } from '../src/replicas/connect.ts'
import { createHolder, type Holder } from '../src/replicas/holder.ts'
import { readLease, takeLease } from '../src/replicas/lease.ts'
import { setupSchema } from '../src/replicas/setupSchema.ts'
import { keepShown } from '../src/replicas/shown/showing.ts'
import { migrations } from '../src/store/migrate.ts'
import { openReplicaWorld } from '../test/support/replicaWorld.ts'
import { startPostgres } from '../test/support/startPostgres.ts'
import { note } from './support/figures.ts'
import { toObservation } from './support/records.ts'

const bridges = Number(process.argv[2] ?? 50)
const seconds = Number(process.argv[3] ?? 120)
const realCount = 3

const clock = createSystemClock()
const log = createSilentLog()
const folder = mkdtempSync(join(tmpdir(), 'spanwatch-many-'))
const postgres = await startPostgres({ fsync: 'on', max_connections: '500', shared_buffers: '256MB' })
const database = await postgres.createDatabase('many')
const setup = openConnections({ database: new Secret(database) }, { most: 1, timeoutMs: 5_000 }, 'setup')
await setupSchema(setup)
await setup.close()

const worlds = await Promise.all(
  Array.from({ length: realCount }, (_, index) =>
    openReplicaWorld({
      databases: [database],
      bridge: `real${index}`,
      scenario: `name: quiet\ndescription: Steady traffic\nseed: ${index + 1}\n`,
    }),
  ),
)
for (const world of worlds) world.nodes[0]?.start()

const lags: number[] = []
const fed: Awaited<ReturnType<typeof open>>[] = []
for (let index = realCount; index < bridges; index += 1) fed.push(await open(index))
await pause(5_000)
const client = new Client({ connectionString: database })
await client.connect()
const [walBefore, cpuBefore, ownBefore] = [await readWal(), readServerCpu(), process.cpuUsage()]
const begun = Date.now()
await Promise.all(fed.map((bridge, index) => feed(bridge, index)))
const tookS = (Date.now() - begun) / 1_000
const sorted = lags.toSorted((a, b) => a - b)
const at = (share: number) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0
const own = process.cpuUsage(ownBefore)
const { rows } = await client.query<{ count: string }>(
  "SELECT count(*) AS count FROM pg_stat_activity WHERE application_name LIKE 'spanwatch%'",
)
const held = await client.query<{ count: string }>(
  'SELECT count(*) AS count FROM spanwatch.leases WHERE until > clock_timestamp()',
)
const shown = await client.query<{ count: string }>('SELECT count(*) AS count FROM spanwatch.transfers')
const ahead = await client.query<{ most: string }>(
  'SELECT max(s) AS most FROM (SELECT extract(epoch FROM clock_timestamp() - at) AS s FROM spanwatch.bridges) b',
)
console.log(
  `${bridges} bridges, ${tookS.toFixed(0)} s, ${lags.length} commits of fed bridges; ${held.rows[0]?.count} leases held, ${shown.rows[0]?.count} transfers shown, oldest row of a bridge ${Number(ahead.rows[0]?.most).toFixed(1)} s`,
)
note({ name: 'a commit in PostgreSQL, median', value: at(0.5), unit: 'ms' })
note({
  name: 'a commit in PostgreSQL, 99th percentile',
  value: at(0.99),
  unit: 'ms',
  target: { atMost: 2_000 },
})
note({ name: 'connections', value: Number(rows[0]?.count), unit: '' })
note({ name: 'CPU of PostgreSQL', value: (readServerCpu() - cpuBefore) / tookS, unit: 'cores' })
note({
  name: 'CPU of the process with the fed bridges',
  value: (own.user + own.system) / 1e6 / tookS,
  unit: 'cores',
})
note({
  name: 'write-ahead log of PostgreSQL',
  value: ((((await readWal()) - walBefore) / tookS) * 86_400) / 1e9,
  unit: 'GB a day',
})
await client.end()
for (const bridge of fed) await bridge.close()
for (const world of worlds) await world.close()
await postgres.stop()
rmSync(folder, { recursive: true, force: true })

async function open(index: number) {
  const id = { bridge: `fed${index}`, node: 'a' }
  const path = join(folder, `${id.bridge}.yaml`)
  writeFileSync(
    path,
    `explorer: { baseUrl: "http://127.0.0.1:9", chains: { main: MAINCHAIN, zone: ZONE_CHAIN } }\nstate: ./${id.bridge}\nhttp: null\nchannels: { ops: { type: webhook, url: "http://127.0.0.1:9/" } }\n`,
  )
  const loaded = loadConfig({ path, env: {} })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const connect = (most: number) =>
    openConnections({ database: new Secret(database) }, { most, timeoutMs: 10_000 }, `${id.bridge} a`)
  const pools = { lease: connect(2), data: connect(3), shown: connect(2) } satisfies Record<
    string,
    Connections
  >
  await readLease(pools.lease.query, id.bridge)
  const lease = await takeLease(pools.lease.query, id, { seq: 0, ledgerVersion: migrations.length })
  if (lease === null) throw new Error('the lease is not there')
  await pools.lease.query(
    "INSERT INTO spanwatch.snapshots (bridge, id, seq, hash, epoch, ledger_version, pieces, bytes) VALUES ($1, 1, 0, '', 1, $2, 0, 0)",
    [id.bridge, migrations.length],
  )
  let holder: Holder | null = null
  const app = createApp(
    { clock, log, write: () => undefined, random: Math.random },
    {
      config: loaded.config,
      rules: [],
      version: 'bench',
      replica: {
        role: { role: 'holder', epoch: lease.epoch },
        wake: () => holder?.wake(),
        mayLeave: async () => ({ may: true, mark: null }),
        status: () => ({
          node: 'a',
          role: 'holder',
          holder: null,
          unreachable: null,
          missing: [],
          inStepAt: null,
          epoch: 1,
          behind: null,
          nodes: [],
        }),
        stop: async () => undefined,
      },
    },
  )
  const { db } = app.parts
  const own = createHolder({
    ...id,
    ...pools,
    clock,
    bootMs: () => null,
    log,
    db,
    program: 'bench',
    pageUrl: null,
    publish: async () => null,
  })
  holder = own
  own.start(lease)
  const ending = new AbortController()
  const showing = keepShown(
    {
      bridge: id.bridge,
      epoch: lease.epoch,
      clock,
      log,
      connections: pools.shown,
      db,
      reader: createShownReader(app.parts),
      pushedSeq: () => (db.changes.state()?.seq ?? 0) - own.status().behind,
    },
    ending.signal,
  )
  return {
    commit: app.parts.commit,
    holder: own,
    async close() {
      ending.abort()
      await showing
      await own.stop()
      await app.stop()
      await Promise.all(Object.values(pools).map((pool) => pool.close()))
    },
  }
}

async function feed({ commit, holder }: (typeof fed)[number], index: number): Promise<void> {
  await pause((index * 1_000) / bridges)
  for (let second = 0; second < seconds; second += 1) {
    const from = performance.now()
    commit({ answers: [[toObservation(index * 1_000_000 + second, Date.now())]] })
    const leave = await holder.mayLeave({ isCritical: false })
    if (!leave.may || leave.mark !== null)
      console.log(`a commit was not in PostgreSQL in time: ${JSON.stringify(leave)}`)
    lags.push(performance.now() - from)
    await pause(Math.max(1_000 - (performance.now() - from), 0))
  }
}

async function readWal(): Promise<number> {
  const result = await client.query<{ bytes: string }>(
    "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS bytes",
  )
  return Number(result.rows[0]?.bytes)
}

/** Of all processes of the server so far, s. */
function readServerCpu(): number {
  const pids = execFileSync('pgrep', ['-f', `postgres.*${postgres.port}|^postgres:`], { encoding: 'utf8' })
    .trim()
    .split('\n')
  return pids.reduce((sum, pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return sum + (Number(fields[11]) + Number(fields[12])) / 100
    } catch {
      return sum
    }
  }, 0)
}
