import type { Connections, Query } from '../connect.ts'
import { type Walked, walked } from './rows.ts'

/** How far the tables that people query are written. */
export interface Place {
  /** The ledger's own name: numbers of another one say nothing. */
  readonly ledger: string
  /** The last change whose rows are written. */
  readonly seq: number
  /** How far a walk through everything has come; null when there is none. */
  readonly walk: { readonly table: Walked; readonly after: number } | null
}

/** Who writes, and under which lease. */
export interface Writer {
  readonly bridge: string
  readonly epoch: number
}

interface PlaceRow {
  readonly ledger: string
  readonly seq: string
  readonly walk: string | null
  readonly walk_after: string
}

/** Null before the first row was written. */
export async function readPlace(query: Query, bridge: string): Promise<Place | null> {
  const [row] = await query<PlaceRow>(
    'SELECT ledger, seq, walk, walk_after FROM spanwatch.shown WHERE bridge = $1',
    [bridge],
  )
  if (row === undefined) return null
  const table = row.walk === null ? undefined : (walked.find((one) => one === row.walk) ?? walked[0])
  return {
    ledger: row.ledger,
    seq: Number(row.seq),
    walk: table === undefined ? null : { table, after: Number(row.walk_after) },
  }
}

/**
 * Writes rows, and with them how far they go, in one transaction: only under the lease of this epoch, once PostgreSQL has
 * the change `from` that they were read after, and never after a later epoch wrote. The row of the place is what holders wait for:
 * a lock on the lease would hold up changes.
 * @returns whether they are written
 */
export function moveTo(
  connections: Connections,
  { bridge, epoch }: Writer,
  to: { readonly place: Place; readonly from: number },
  write: (query: Query) => Promise<void>,
): Promise<boolean> {
  const { ledger, seq, walk } = to.place
  return connections.transaction(async (query) => {
    const rows = await query(
      `INSERT INTO spanwatch.shown AS s (bridge, epoch, ledger, seq, walk, walk_after)
       SELECT bridge, epoch, $4, $5, $6, $7 FROM spanwatch.leases WHERE bridge = $1 AND epoch = $2 AND head_seq >= $3
       ON CONFLICT (bridge) DO UPDATE SET epoch = $2, ledger = $4, seq = $5, walk = $6, walk_after = $7, at = clock_timestamp()
       WHERE s.epoch <= $2
       RETURNING 1`,
      [bridge, epoch, to.from, ledger, seq, walk?.table ?? null, walk?.after ?? 0],
    )
    if (rows.length === 0) return false
    await write(query)
    return true
  })
}
