import {
  type Change,
  type ChangeLog,
  isSameHash,
  readChangeset,
  type ReplicaState,
} from '../../store/changeLog.ts'
import { toBuffer } from '../changes.ts'
import type { Connections, Query } from '../connect.ts'
import type { Identity } from '../lease.ts'
import { withRawLedger } from '../ledgerFolder.ts'
import { changedRows } from '../shown/changedRows.ts'
import { type Found, readRow, toldTables } from './readLedger.ts'

/** What is handed over, and which change it is of. */
interface Handing extends Found {
  readonly ofChange: Uint8Array
  readonly part: number
}

/**
 * Hands over what the ledger of a folder alone knows, to whoever holds the lease: of the changes that never reached
 * PostgreSQL what was told, and what people did. All of it or nothing is there then; a repeat adds nothing.
 * @returns how much that is
 * @throws MonitorError `replica.unreachable`, `state.invalid` where a change cannot be read
 */
export async function readUnshared(
  run: Identity & { readonly data: Pick<Connections, 'query' | 'transaction'> },
  folder: string,
): Promise<number> {
  const own = withRawLedger(folder, ({ changes }) => (changes === null ? [] : listHeads(changes)))
  if (own === null || own.length === 0) return 0
  const after = await findShared(run.data.query, run.bridge, own)
  const found =
    withRawLedger(folder, ({ changes, connection }) => {
      if (changes === null) return []
      const rows = listRows(changes, after)
      const items = [...rows.values()].flatMap((row) => {
        const one = readRow(connection, row.table, row.id)
        return one === null ? [] : [{ ...one, ofChange: row.ofChange }]
      })
      return numberParts(items)
    }) ?? []
  await writeHandings(run, found)
  return found.length
}

type OwnHead = Pick<Change, 'seq' | 'hash'>

/** Nothing where others have it all: whoever goes on behind the last of what is pending had it from them. */
function listHeads(changes: ChangeLog): OwnHead[] {
  const heads = [...iteratePending(changes, 0)].map(({ seq, hash }) => ({ seq, hash }))
  const last = heads.at(-1)
  return last !== undefined && isHead(changes.state(), last) ? heads : []
}

function isHead(state: ReplicaState | null, { seq, hash }: OwnHead): boolean {
  return state !== null && state.seq === seq && isSameHash(state.hash, hash)
}

const readBytes = 4 * 1024 * 1024

function* iteratePending(changes: ChangeLog, after: number): Generator<Change> {
  for (let last = after; ; ) {
    const some = changes.listPending(last, readBytes)
    if (some.length === 0) return
    yield* some
    last = some.at(-1)?.seq ?? last
  }
}

const askedAtOnce = 1_000

/** The last of these changes that reached PostgreSQL, with all before it; 0 for none. */
async function findShared(query: Query, bridge: string, own: readonly OwnHead[]): Promise<number> {
  let shared = 0
  for (let at = 0; at < own.length; at += askedAtOnce) {
    const some = own.slice(at, at + askedAtOnce)
    const is = (table: string, seq: string, hash: string) =>
      `EXISTS (SELECT 1 FROM spanwatch.${table} s WHERE s.bridge = $1 AND s.${seq} = own.seq AND s.${hash} = own.hash)`
    const [row] = await query<{ seq: string | null }>(
      `SELECT max(own.seq) AS seq FROM unnest($2::bigint[], $3::bytea[]) AS own (seq, hash)
       WHERE ${is('changes', 'seq', 'hash')} OR ${is('snapshots', 'seq', 'hash')} OR ${is('leases', 'head_seq', 'head_hash')}`,
      [bridge, some.map(({ seq }) => seq), some.map(({ hash }) => toBuffer(hash))],
    )
    if (row?.seq != null) shared = Number(row.seq)
  }
  return shared
}

interface ChangedRow {
  readonly table: (typeof toldTables)[number]
  readonly id: number
  /** The last that changed it. */
  readonly ofChange: Uint8Array
}

function listRows(changes: ChangeLog, after: number): Map<string, ChangedRow> {
  const rows = new Map<string, ChangedRow>()
  for (const { seq, hash, body } of iteratePending(changes, after)) {
    const changed = changedRows(readChangeset({ seq, body }))
    for (const table of toldTables)
      for (const [id] of changed.get(table) ?? [])
        if (typeof id === 'number') rows.set(`${table} ${id}`, { table, id, ofChange: hash })
  }
  return rows
}

/** In the order in which it happened. The same ledger gives the same numbers. */
function numberParts(items: readonly Omit<Handing, 'part'>[]): Handing[] {
  const parts = new Map<string, number>()
  return items
    .toSorted((a, b) => a.of.at - b.of.at)
    .map((item) => {
      const change = toBuffer(item.ofChange).toString('hex')
      const part = parts.get(change) ?? 0
      parts.set(change, part + 1)
      return { ...item, part }
    })
}

async function writeHandings(
  { bridge, node, data }: Parameters<typeof readUnshared>[0],
  found: readonly Handing[],
): Promise<void> {
  if (found.length === 0) return
  await data.transaction(async (query) => {
    for (let at = 0; at < found.length; at += askedAtOnce) {
      const some = found.slice(at, at + askedAtOnce)
      await query(
        `INSERT INTO spanwatch.requests (bridge, what, from_node, body, actor, of_change, part)
         SELECT $1, 'handover', $2, f.body::jsonb, f.actor::jsonb, f.of_change, f.part
         FROM unnest($3::text[], $4::text[], $5::bytea[], $6::integer[]) WITH ORDINALITY
           AS f (body, actor, of_change, part, place) ORDER BY f.place
         ON CONFLICT (bridge, from_node, of_change, part) DO NOTHING`,
        [
          bridge,
          node,
          some.map(({ of }) => JSON.stringify(of)),
          some.map(({ actor }) => JSON.stringify(actor)),
          some.map(({ ofChange }) => toBuffer(ofChange)),
          some.map(({ part }) => part),
        ],
      )
    }
  })
}
