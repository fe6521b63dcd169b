import type { QueryResultRow } from 'pg'
import { MonitorError } from '../../src/lib/errors.ts'
import type { Query } from '../../src/replicas/connect.ts'
import { migrations } from '../../src/store/migrate.ts'

/** The one bridge of a PostgreSQL that is not there: its lease, and how it behaves. */
export interface FakePostgres {
  readonly query: Query
  /** Whether it answers. */
  isReachable: boolean
  /** Whether it does the next push and its answer is lost. */
  losesAnswer: boolean
  epoch: number
  node: string
  head: { seq: number; hash: Buffer }
  hasSnapshot: boolean
  wanted: string | null
  asked: string | null
  /** Numbers of the changes that were pushed. */
  readonly pushed: number[]
  renewals: number
  isReleased: boolean
}

/** Understands the statements of a holder, by their beginning. */
export function createFakePostgres(): FakePostgres {
  const fake: FakePostgres = {
    query: async <R extends QueryResultRow>(sql: string, values: readonly unknown[] = []) => {
      await Promise.resolve()
      if (!fake.isReachable)
        throw new MonitorError('replica.unreachable', 'PostgreSQL cannot be reached: planned', {
          retryable: true,
        })
      // Each statement's rows are of its own type.
      return answer(fake, sql.trim(), values) as R[]
    },
    isReachable: true,
    losesAnswer: false,
    epoch: 1,
    node: 'a',
    head: { seq: 0, hash: Buffer.alloc(0) },
    hasSnapshot: true,
    wanted: null,
    asked: null,
    pushed: [],
    renewals: 0,
    isReleased: false,
  }
  return fake
}

function answer(fake: FakePostgres, sql: string, values: readonly unknown[]): object[] {
  if (sql.startsWith('SELECT epoch, node')) return [toRow(fake)]
  if (sql.startsWith('UPDATE spanwatch.leases SET until = clock_timestamp() WHERE')) {
    fake.isReleased = true
    return []
  }
  if (sql.startsWith('UPDATE spanwatch.leases SET until')) {
    if (values[1] !== fake.node || values[2] !== fake.epoch) return []
    fake.renewals += 1
    return [toRow(fake)]
  }
  if (sql.startsWith('WITH held')) return push(fake, values)
  if (sql.startsWith('WITH before')) {
    const { asked } = fake
    fake.asked = null
    return [{ asked }]
  }
  if (sql.startsWith('SELECT id, seq, hash'))
    return fake.hasSnapshot
      ? [
          {
            id: '1',
            seq: '0',
            hash: Buffer.alloc(0),
            epoch: '1',
            ledger_version: migrations.length,
            pieces: 1,
            bytes: '1',
          },
        ]
      : []
  throw new Error(`not understood: ${sql}`)
}

function push(fake: FakePostgres, values: readonly unknown[]): object[] {
  const [, epoch, seq, hash, lastSeq, lastHash, , seqs] = values as [
    string,
    number,
    number,
    Buffer,
    number,
    Buffer,
    number,
    number[],
  ]
  if (epoch !== fake.epoch || seq !== fake.head.seq || !hash.equals(fake.head.hash)) return []
  fake.head = { seq: lastSeq, hash: lastHash }
  fake.pushed.push(...seqs)
  if (fake.losesAnswer) {
    fake.losesAnswer = false
    throw new MonitorError('replica.unreachable', 'the answer was lost: planned', { retryable: true })
  }
  return seqs.map((one) => ({ seq: String(one) }))
}

function toRow(fake: FakePostgres): object {
  return {
    epoch: String(fake.epoch),
    node: fake.node,
    over_ms: -5_000,
    since: new Date(0),
    head_seq: String(fake.head.seq),
    head_hash: fake.head.hash,
    ledger_version: migrations.length,
    wanted: fake.wanted,
  }
}
