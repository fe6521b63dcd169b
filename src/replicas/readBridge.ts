import { MonitorError } from '../lib/errors.ts'
import type { Query } from './connect.ts'
import { findLease, type Lease } from './lease.ts'
import { leaseMs } from './leaseTime.ts'
import { listNodes, type SeenNode } from './nodes.ts'

/** How the nodes of a bridge stand, as PostgreSQL knows it. */
export interface BridgeState {
  readonly bridge: string
  readonly lease: Lease
  readonly nodes: readonly SeenNode[]
  /** The newest; null before the first. */
  readonly snapshot: {
    readonly seq: number
    readonly bytes: number
    readonly ledgerVersion: number
    readonly agoMs: number
  } | null
  /** What is kept for nodes that are behind. */
  readonly changes: { readonly count: number; readonly bytes: number; readonly fromSeq: number | null }
}

/** @throws MonitorError `not_found` for a bridge that nobody knows */
export async function readBridge(query: Query, bridge: string): Promise<BridgeState> {
  const lease = await findLease(query, bridge)
  if (lease === null) throw new MonitorError('not_found', await sayUnknown(query, bridge))
  const nodes = await listNodes(query, bridge)
  const [snapshot] = await query<{ seq: string; bytes: string; ledger_version: number; ago_ms: number }>(
    `SELECT seq, bytes, ledger_version, (extract(epoch FROM clock_timestamp() - at) * 1000)::float8 AS ago_ms
     FROM spanwatch.snapshots WHERE bridge = $1 ORDER BY id DESC LIMIT 1`,
    [bridge],
  )
  const [changes] = await query<{ count: string; bytes: string; first: string | null }>(
    `SELECT count(*) AS count, coalesce(sum(octet_length(body)), 0) AS bytes, min(seq) AS first
     FROM spanwatch.changes WHERE bridge = $1`,
    [bridge],
  )
  return {
    bridge,
    lease,
    nodes,
    snapshot:
      snapshot === undefined
        ? null
        : {
            seq: Number(snapshot.seq),
            bytes: Number(snapshot.bytes),
            ledgerVersion: snapshot.ledger_version,
            agoMs: Math.max(0, snapshot.ago_ms),
          },
    changes: {
      count: Number(changes?.count ?? 0),
      bytes: Number(changes?.bytes ?? 0),
      fromSeq: changes?.first == null ? null : Number(changes.first),
    },
  }
}

async function sayUnknown(query: Query, bridge: string): Promise<string> {
  const known = await query<{ bridge: string }>(
    'SELECT bridge FROM spanwatch.leases ORDER BY bridge LIMIT 20',
  )
  const names = known.map((row) => row.bridge).join(', ')
  return `PostgreSQL knows no bridge ${bridge}: ${names === '' ? 'no node has run yet' : `it knows ${names}`}.`
}

const missingMs = 30_000
/** A follower is a second or two behind what it last said of itself. */
const farBehind = 500

/** What is wrong, in words; empty when another node could take over at once. */
export function listProblems({ lease, nodes, snapshot }: BridgeState): string[] {
  const others = nodes.filter(({ node, seenAgoMs }) => node !== lease.node && seenAgoMs < leaseMs)
  const holder = nodes.find(({ node }) => node === lease.node)
  return [
    ...(lease.isOver ? [`no node holds the lease: nobody watches${sayLast(lease)}`] : []),
    ...nodes.flatMap(({ node, seenAgoMs }) => {
      // It says every two seconds that it is there. What holds the lease renews that.
      if (seenAgoMs < (node === lease.node && !lease.isOver ? missingMs : leaseMs)) return []
      const gone = seenAgoMs < missingMs ? '' : ` (gone for good? spanwatch replicas forget ${node})`
      return [
        `${node} has not been seen for ${Math.round(seenAgoMs / 1_000)} s: it could not take over${gone}`,
      ]
    }),
    ...(lease.isOver || others.length > 0 ? [] : ['no other node is there: nobody takes over']),
    ...others.flatMap(({ node, seq, ledgerVersion }) => {
      if (ledgerVersion < lease.ledgerVersion)
        return [`${node} is of an older version than the holder: it cannot take over`]
      return lease.head.seq - seq > farBehind ? [`${node} is ${lease.head.seq - seq} changes behind`] : []
    }),
    ...(holder !== undefined && !lease.isOver && holder.seq - lease.head.seq > farBehind
      ? [`${holder.node} has ${holder.seq - lease.head.seq} changes that are not here yet`]
      : []),
    ...(snapshot === null ? ['there is no snapshot yet: a node that joins has nothing to begin with'] : []),
  ]
}

function sayLast({ node, overForMs }: Lease): string {
  return node === null ? '' : ` (${node} did, until ${Math.round(overForMs / 1_000)} s ago)`
}
