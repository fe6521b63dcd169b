import type { Head } from '../store/changeLog.ts'
import type { Query } from './connect.ts'
import { leaseMs } from './leaseTime.ts'

/** Who a node is. */
export interface Identity {
  readonly bridge: string
  readonly node: string
}

/** The lease of a bridge as PostgreSQL has it. */
export interface Lease {
  readonly epoch: number
  /** Who holds it, or held it last; null before the first. */
  readonly node: string | null
  /** Whether it is over, by PostgreSQL's clock. */
  readonly isOver: boolean
  /** For how long it is, ms; negative while it is not. */
  readonly overForMs: number
  readonly since: number | null
  readonly head: Head
  readonly ledgerVersion: number
  readonly wanted: string | null
}

interface LeaseRow {
  readonly epoch: string
  readonly node: string | null
  readonly over_ms: number
  readonly since: Date | null
  readonly head_seq: string
  readonly head_hash: Buffer
  readonly ledger_version: number
  readonly wanted: string | null
}

const columns = `epoch, node, since, head_seq, head_hash, ledger_version, wanted,
  CASE WHEN until = '-infinity' THEN 1e9 ELSE extract(epoch FROM clock_timestamp() - until) * 1000 END::float8 AS over_ms`

const until = `clock_timestamp() + interval '${leaseMs} ms'`

/** The lease as it is; null of a bridge that no node has run of. */
export async function findLease(query: Query, bridge: string): Promise<Lease | null> {
  const [row] = await query<LeaseRow>(`SELECT ${columns} FROM spanwatch.leases WHERE bridge = $1`, [bridge])
  return row === undefined ? null : toLease(row)
}

/** The lease as it is; a bridge that is new gets its row. */
export async function readLease(query: Query, bridge: string): Promise<Lease> {
  const lease = await findLease(query, bridge)
  if (lease !== null) return lease
  await query('INSERT INTO spanwatch.leases (bridge) VALUES ($1) ON CONFLICT DO NOTHING', [bridge])
  const made = await findLease(query, bridge)
  if (made === null) throw new Error('the row of a lease is gone')
  return made
}

/** @param node who shall hold it next; null takes the wish back */
export async function wantHolder(query: Query, bridge: string, node: string | null): Promise<void> {
  await query('UPDATE spanwatch.leases SET wanted = $2 WHERE bridge = $1', [bridge, node])
}

/**
 * Takes a lease that is over, for a node whose ledger has all that PostgreSQL has. Nobody else can have taken it
 * meanwhile: the row is locked while it is looked at.
 * @returns null when it is not over, or another one is to have it: the one that is wanted, and any but the one that gave it
 * away, have it to themselves for as long as a lease lasts
 */
export async function takeLease(
  query: Query,
  { bridge, node }: Identity,
  of: {
    readonly seq: number
    readonly ledgerVersion: number
    /** The newest that its ledger knows: PostgreSQL may be of an older backup, and no epoch may come twice. */
    readonly epoch?: number
  },
): Promise<Lease | null> {
  const [row] = await query<LeaseRow>(
    `UPDATE spanwatch.leases SET epoch = greatest(epoch, $5) + 1, node = $2, since = clock_timestamp(), until = ${until},
       ledger_version = $4, wanted = NULL
     WHERE bridge = $1 AND until <= clock_timestamp() AND head_seq <= $3 AND ledger_version <= $4
       AND (wanted = $2 OR wanted IS NULL AND node IS DISTINCT FROM $2 OR until <= clock_timestamp() - interval '${leaseMs} ms')
     RETURNING ${columns}`,
    [bridge, node, of.seq, of.ledgerVersion, of.epoch ?? 0],
  )
  return row === undefined ? null : toLease(row)
}

/**
 * Goes on with a lease after a restart, under an epoch of its own: another process of the same name, or one of an older
 * version that still runs, finds that it lost it. @returns null when another node took it
 */
export async function resumeLease(
  query: Query,
  { bridge, node }: Identity,
  of: { readonly epoch: number; readonly ledgerVersion: number },
): Promise<Lease | null> {
  const [row] = await query<LeaseRow>(
    `UPDATE spanwatch.leases SET epoch = epoch + 1, since = clock_timestamp(), until = ${until}, ledger_version = $4
     WHERE bridge = $1 AND node = $2 AND epoch = $3 RETURNING ${columns}`,
    [bridge, node, of.epoch, of.ledgerVersion],
  )
  return row === undefined ? null : toLease(row)
}

/** @returns null when another node took it; one that is over and that nobody took goes on */
export async function renewLease(
  query: Query,
  { bridge, node }: Identity,
  epoch: number,
): Promise<Lease | null> {
  const [row] = await query<LeaseRow>(
    `UPDATE spanwatch.leases SET until = ${until} WHERE bridge = $1 AND node = $2 AND epoch = $3 RETURNING ${columns}`,
    [bridge, node, epoch],
  )
  return row === undefined ? null : toLease(row)
}

/** Ends it now, so that whoever follows need not wait. */
export async function releaseLease(query: Query, { bridge, node }: Identity, epoch: number): Promise<void> {
  await query(
    'UPDATE spanwatch.leases SET until = clock_timestamp() WHERE bridge = $1 AND node = $2 AND epoch = $3',
    [bridge, node, epoch],
  )
}

function toLease(row: LeaseRow | undefined): Lease {
  if (row === undefined) throw new Error('the row of a lease is gone')
  return {
    epoch: Number(row.epoch),
    node: row.node,
    isOver: row.over_ms >= 0,
    overForMs: row.over_ms,
    since: row.since?.getTime() ?? null,
    head: { seq: Number(row.head_seq), hash: row.head_hash },
    ledgerVersion: row.ledger_version,
    wanted: row.wanted,
  }
}
