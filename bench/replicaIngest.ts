/**
 * What replicas cost the reading of records: `npm run bench:replica-ingest`. The same pages as in bench:ingest, alone and as the
 * holder of a bridge with a real PostgreSQL, into which every commit is pushed by the same thread; three times in turn.
 */
import { Secret } from '../src/lib/secret.ts'
import { createSilentLog } from '../src/lib/log.ts'
import { createSystemClock } from '../src/lib/clock.ts'
import { openConnections } from '../src/replicas/connect.ts'
import { createHolder, type Holder } from '../src/replicas/holder.ts'
import { readLease, takeLease } from '../src/replicas/lease.ts'
import { setupSchema } from '../src/replicas/setupSchema.ts'
import { migrations } from '../src/store/migrate.ts'
import { startPostgres } from '../test/support/startPostgres.ts'
import { note } from './support/figures.ts'
import { measureIngest, type ReplicaOfBench, withApi } from './support/ingest.ts'

const rounds = 3
const postgres = await startPostgres({ fsync: 'on' })
const shares: number[] = []
for (let round = 0; round < rounds; round += 1) {
  await withApi(async (url, folder) => {
    const alone = await measureIngest(url, folder, 20)
    const database = await postgres.createDatabase(`ingest${round}`)
    const opened = await openReplica(database)
    const shared = await measureIngest(url, folder, 20, opened.replica)
    await opened.close()
    shares.push(shared.fresh / alone.fresh)
    console.log(
      `alone ${alone.fresh.toFixed(0)}, as a holder ${shared.fresh.toFixed(0)} new records a second of CPU time; ${opened.pushed()} changes in PostgreSQL`,
    )
  })
}
await postgres.stop()
const sorted = shares.toSorted((a, b) => a - b)
note({
  name: 'ingest with replicas beside without',
  value: sorted[Math.floor(rounds / 2)] ?? 0,
  unit: 'times',
  target: { atLeast: 0.7 },
})

async function openReplica(
  database: string,
): Promise<{ replica: ReplicaOfBench; close(): Promise<void>; pushed(): number }> {
  const pool = openConnections({ database: new Secret(database) }, { most: 3, timeoutMs: 5_000 }, 'bench')
  await setupSchema(pool)
  const id = { bridge: 'bench', node: 'a' }
  await readLease(pool.query, id.bridge)
  const lease = await takeLease(pool.query, id, { seq: 0, ledgerVersion: migrations.length })
  if (lease === null) throw new Error('the lease is not there')
  // A copy of the empty ledger is there already, so that the pushing begins at once.
  await pool.query(
    "INSERT INTO spanwatch.snapshots (bridge, id, seq, hash, epoch, ledger_version, pieces, bytes) VALUES ('bench', 1, 0, '', 1, $1, 0, 0)",
    [migrations.length],
  )
  let holder: Holder | null = null
  let pushed = 0
  return {
    pushed: () => pushed,
    close: () => pool.close(),
    replica: {
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
        async stop() {
          await holder?.stop()
          const status = holder?.status()
          if (status === undefined || status.behind > 0) throw new Error('not all was pushed')
          pushed = (await readLease(pool.query, id.bridge)).head.seq
        },
      },
      opened(app) {
        holder = createHolder({
          ...id,
          clock: createSystemClock(),
          bootMs: () => null,
          log: createSilentLog(),
          lease: pool,
          data: pool,
          db: app.parts.db,
          program: 'bench',
          pageUrl: null,
          publish: async () => null,
        })
        holder.start(lease)
      },
    },
  }
}
