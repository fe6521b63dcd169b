import { formatDuration } from '../lib/duration.ts'
import { cleanText } from '../lib/text.ts'
import { type BridgeState, listProblems } from '../replicas/readBridge.ts'
import type { Lease } from '../replicas/lease.ts'
import type { SeenNode } from '../replicas/nodes.ts'
import { formatTable } from './formatTable.ts'
import type { Io } from './io.ts'

const seconds = (ms: number) => formatDuration(Math.max(0, Math.round(ms / 1_000) * 1_000))

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`

/** How the nodes of a bridge stand, for people: what is wrong last, so that it stands above the prompt. */
export function formatBridge(io: Pick<Io, 'screen' | 'clock'>, state: BridgeState): string {
  const { bridge, lease, nodes, snapshot, changes } = state
  const held =
    lease.isOver || lease.node === null || lease.since === null
      ? 'nobody'
      : `${lease.node}, since ${new Date(lease.since).toISOString()} (${seconds(io.clock.now() - lease.since)}), for ${seconds(-lease.overForMs)} more unless renewed`
  const lines: readonly (readonly [string, string])[] = [
    ['bridge', bridge],
    ['holder', held],
    ['epoch', `${lease.epoch}, at change ${lease.head.seq}, ledger of version ${lease.ledgerVersion}`],
    ...(lease.wanted === null ? [] : [['wanted', `${lease.wanted} as the next holder`] as const]),
    [
      'snapshot',
      snapshot === null
        ? 'none yet'
        : `of change ${snapshot.seq}, ${megabytes(snapshot.bytes)}, ${seconds(snapshot.agoMs)} ago`,
    ],
    [
      'changes',
      changes.fromSeq === null
        ? 'none kept'
        : `${changes.count} kept from ${changes.fromSeq} on, ${megabytes(changes.bytes)}`,
    ],
  ]
  const table = formatTable(
    io.screen ?? { isTerminal: false, hasColor: false, width: () => Infinity },
    [
      { name: 'NODE', read: ({ node }) => node },
      { name: 'ROLE', read: (one) => roleOf(one, lease) },
      { name: 'VERSION', read: ({ program }) => program },
      { name: 'BEHIND', read: (one) => String(behindOf(one, lease)), isNumber: true },
      { name: 'SEEN', read: ({ seenAgoMs }) => `${seconds(seenAgoMs)} ago` },
      { name: 'PAGE', read: ({ pageUrl }) => pageUrl ?? '', least: 20 },
    ],
    nodes,
  )
  const problems = listProblems(state)
  const wrong =
    problems.length === 0
      ? 'Another node can take over at once.\n'
      : `wrong:\n${problems.map((problem) => `  ${problem}\n`).join('')}`
  const head = lines.map(([name, text]) => `${name.padEnd(10)}${cleanText(text, 300)}\n`).join('')
  return `${head}\n${nodes.length === 0 ? 'No node has said that it is there.\n' : table}\n${wrong}`
}

/** A node that was cut off, or is gone, said last that it holds what another one holds now. */
function roleOf({ node, role, seenAgoMs }: SeenNode, lease: Lease): string {
  if (seenAgoMs >= missingMs) return 'missing'
  return role === 'holder' && node !== lease.node ? 'held it' : role
}

/** What a node last said of itself is up to two seconds old; who holds the lease is where its head is. */
function behindOf({ node, seq }: Pick<SeenNode, 'node' | 'seq'>, lease: Lease): number {
  return node === lease.node && !lease.isOver ? 0 : Math.max(0, lease.head.seq - seq)
}

const missingMs = 30_000

/** The same for programs: instants in ms, durations with their unit. */
export function toBridgeJson(state: BridgeState, now: number): object {
  const { bridge, lease, nodes, snapshot, changes } = state
  return {
    bridge,
    holder: lease.isOver || lease.node === null ? null : { node: lease.node, since: lease.since },
    leftMs: lease.isOver ? 0 : Math.round(-lease.overForMs),
    epoch: lease.epoch,
    head: lease.head.seq,
    ledgerVersion: lease.ledgerVersion,
    wanted: lease.wanted,
    nodes: nodes.map(({ node, role, seq, program, ledgerVersion, pageUrl, seenAgoMs }) => ({
      node,
      role,
      version: program,
      ledgerVersion,
      seq,
      behind: behindOf({ node, seq }, lease),
      seenAt: Math.round(now - seenAgoMs),
      page: pageUrl,
    })),
    snapshot:
      snapshot === null
        ? null
        : { seq: snapshot.seq, bytes: snapshot.bytes, at: Math.round(now - snapshot.agoMs) },
    changes,
    problems: listProblems(state),
  }
}
