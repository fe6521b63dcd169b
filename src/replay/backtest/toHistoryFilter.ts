import type { UnixMs } from '../../lib/clock.ts'
import type { LoadedRule } from '../../rules/types.ts'
import type { HistoryFilter } from '../../ledger/history.ts'
import type { AppConfig } from '../../kernel/settings.ts'
import type { Choice } from './chooseRules.ts'

/** Kinds that rest on what second sources say, where a record alone is well. */
const evidenceKinds: ReadonlySet<string> = new Set([
  'transfer.failed',
  'transfer.unbacked',
  'transfer.mismatch',
  'transfer.duplicate',
  'transfer.vanished',
  'transfer.rewritten',
  'transfer.unknown_token',
  'source.disagreement',
])

/** Kinds that can find nothing in a transfer that was seen once, whole and well. */
const neverPlain: ReadonlySet<string> = new Set([
  ...evidenceKinds,
  'transfer.out_of_order',
  'batch.unresolved',
  'batch.mismatch',
])

/**
 * Which transfers have to be looked at. Most were seen once, whole and well: of these only a few kinds can find something
 * at all, and the ledger is asked for those alone. A kind that is not known here is asked of every transfer.
 */
export function toHistoryFilter(of: {
  readonly choice: Choice
  readonly bridge: AppConfig['bridge']
  readonly isAsked: boolean
  readonly shared: ReadonlySet<string>
  readonly since: UnixMs
  readonly until: UnixMs
}): HistoryFilter {
  const { events, stalled } = of.choice
  const kinds = new Set<string>(events.map(({ kind }) => kind))
  const looksAtTokens = kinds.has('transfer.unknown_token') && of.bridge.tokens.length > 0
  return {
    until: of.until,
    since: of.since,
    all: events.some(({ kind }) => !neverPlain.has(kind)),
    slowMs: stalled.length === 0 ? null : Math.min(...stalled.map(readAfter)),
    outOfOrder: kinds.has('transfer.out_of_order'),
    batches: kinds.has('batch.unresolved') || kinds.has('batch.mismatch'),
    tokens: looksAtTokens ? of.bridge.tokens : null,
    evidence: of.isAsked && events.some(({ kind }) => evidenceKinds.has(kind)),
    shared: of.shared,
  }
}

/** 0 when it is no fixed time: then every wait has to be looked at. */
function readAfter({ params }: LoadedRule): number {
  const after: unknown = typeof params === 'object' && params !== null && 'after' in params ? params.after : 0
  return typeof after === 'number' ? after : 0
}
