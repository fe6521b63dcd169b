import type { Change, Head } from '../store/changeLog.ts'
import type { Query } from './connect.ts'
import { leaseMs } from './leaseTime.ts'

/**
 * Adds changes that follow each other to those of a bridge, and renews its lease, all in one statement: under an older epoch, or
 * after another change than is there, it finds no row.
 * @returns whether they are there now
 */
export async function pushChanges(
  query: Query,
  of: {
    readonly bridge: string
    readonly epoch: number
    readonly ledgerVersion: number
    readonly after: Head
    readonly changes: readonly Change[]
  },
): Promise<boolean> {
  const { bridge, epoch, after, changes, ledgerVersion } = of
  const last = changes.at(-1)
  if (last === undefined) return true
  const rows = await query(
    `WITH held AS (
       UPDATE spanwatch.leases SET head_seq = $5, head_hash = $6, until = clock_timestamp() + interval '${leaseMs} ms'
       WHERE bridge = $1 AND epoch = $2 AND head_seq = $3 AND head_hash = $4 RETURNING 1)
     INSERT INTO spanwatch.changes (bridge, seq, epoch, previous, hash, body, ledger_version)
     SELECT $1, c.seq, $2, c.previous, c.hash, c.body, $7
     FROM held, unnest($8::bigint[], $9::bytea[], $10::bytea[], $11::bytea[]) AS c (seq, previous, hash, body)
     RETURNING seq`,
    [
      bridge,
      epoch,
      after.seq,
      toBuffer(after.hash),
      last.seq,
      toBuffer(last.hash),
      ledgerVersion,
      changes.map(({ seq }) => seq),
      changes.map(({ previous }) => toBuffer(previous)),
      changes.map(({ hash }) => toBuffer(hash)),
      changes.map(({ body }) => toBuffer(body)),
    ],
  )
  return rows.length === changes.length
}

interface ChangeRow {
  readonly seq: string
  readonly epoch: string
  readonly previous: Buffer
  readonly hash: Buffer
  readonly body: Buffer
}

/** So many at once: a follower that is far behind takes them in steps. */
const fetchedAtOnce = 200

/** What follows a change, oldest first. */
export async function fetchChanges(query: Query, bridge: string, after: number): Promise<Change[]> {
  const rows = await query<ChangeRow>(
    `SELECT seq, epoch, previous, hash, body FROM spanwatch.changes WHERE bridge = $1 AND seq > $2
     ORDER BY seq LIMIT ${fetchedAtOnce}`,
    [bridge, after],
  )
  return rows.map(({ seq, epoch, ...change }) => ({ ...change, seq: Number(seq), epoch: Number(epoch) }))
}

/** pg takes bytes as Buffer; a view of the same memory. */
export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
