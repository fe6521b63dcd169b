import { migrations } from '../store/migrate.ts'
import type { Role } from '../store/changeLog.ts'
import type { Query } from './connect.ts'
import type { Identity } from './lease.ts'

/** A node as it last said that it is there. */
export interface NodeNote {
  readonly role: Role
  readonly seq: number
  readonly program: string
  readonly pageUrl: string | null
}

/** What somebody wants a node to do; `snapshot`: another one, for what is there is of no use. */
const askable = ['demote', 'rebuild', 'snapshot'] as const
export type Asked = (typeof askable)[number]

/** Says that a node is there. @returns what is asked of it since, which is taken with it */
export async function noteNode(
  query: Query,
  { bridge, node }: Identity,
  note: NodeNote,
): Promise<Asked | null> {
  const [row] = await query<{ asked: string | null }>(
    `WITH before AS (SELECT asked FROM spanwatch.nodes WHERE bridge = $1 AND node = $2),
       noted AS (
         INSERT INTO spanwatch.nodes AS n (bridge, node, role, seq, program, ledger_version, page_url, seen_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp())
         ON CONFLICT (bridge, node) DO UPDATE SET role = $3, seq = $4, program = $5, ledger_version = $6, page_url = $7,
           seen_at = clock_timestamp(),
           -- What was asked since it was looked at stays.
           asked = NULLIF(n.asked, (SELECT asked FROM before)))
     SELECT asked FROM before`,
    [bridge, node, note.role, note.seq, note.program, migrations.length, note.pageUrl],
  )
  return askable.find((asked) => asked === row?.asked) ?? null
}

/** A node as others see it. */
export interface SeenNode {
  readonly node: string
  readonly role: string
  readonly seq: number
  readonly program: string
  readonly ledgerVersion: number
  readonly pageUrl: string | null
  /** How long ago it said that it is there, ms. */
  readonly seenAgoMs: number
}

interface SeenRow {
  readonly node: string
  readonly role: string
  readonly seq: string
  readonly program: string
  readonly ledger_version: number
  readonly page_url: string | null
  readonly ago_ms: number
}

export async function listNodes(query: Query, bridge: string): Promise<SeenNode[]> {
  const rows = await query<SeenRow>(
    `SELECT node, role, seq, program, ledger_version, page_url,
       (extract(epoch FROM clock_timestamp() - seen_at) * 1000)::float8 AS ago_ms
     FROM spanwatch.nodes WHERE bridge = $1 ORDER BY node`,
    [bridge],
  )
  return rows.map((row) => ({
    node: row.node,
    role: row.role,
    seq: Number(row.seq),
    program: row.program,
    ledgerVersion: row.ledger_version,
    pageUrl: row.page_url,
    // PostgreSQL counts microseconds: the ledger takes whole milliseconds alone.
    seenAgoMs: Math.round(row.ago_ms),
  }))
}

/** One that will not come again: it is missed no more. @returns whether there was such a node */
export async function forgetNode(query: Query, { bridge, node }: Identity): Promise<boolean> {
  const rows = await query('DELETE FROM spanwatch.nodes WHERE bridge = $1 AND node = $2 RETURNING 1', [
    bridge,
    node,
  ])
  return rows.length > 0
}

/** @returns whether there is such a node */
export async function askNode(query: Query, { bridge, node }: Identity, asked: Asked): Promise<boolean> {
  const rows = await query(
    'UPDATE spanwatch.nodes SET asked = $3 WHERE bridge = $1 AND node = $2 RETURNING 1',
    [bridge, node, asked],
  )
  return rows.length > 0
}
