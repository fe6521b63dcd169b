import type { AppConfig } from '../../kernel/settings.ts'
import type { HistoryFilter } from '../../ledger/transfers/history.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { OpenKept } from '../../kernel/kept.ts'
import type { HistoryPart } from '../../rules/kind.ts'
import type { LoadedRule } from '../../rules/types.ts'
import type { OpenPast } from './openPast.ts'
import { pastOf, sayPast } from './pastOf.ts'
import type { KeptRule } from './replayFacts.ts'

export interface Choice {
  readonly events: readonly LoadedRule[]
  readonly stalled: readonly LoadedRule[]
  readonly conditions: readonly KeptRule[]
  readonly skipped: readonly { readonly rule: string; readonly kind: string; readonly reason: string }[]
  /** From when on rules can be judged that look at more than transfers. */
  readonly from: ReadonlyMap<string, UnixMs>
}

/** Which rules the ledger's history can be judged by, and from when on. */
export function chooseRules(rules: readonly LoadedRule[], past: OpenPast, until: UnixMs): Choice {
  const chosen = rules.map((rule) => ({ rule, ...choose(rule, past, until) }))
  const judged = chosen.filter(({ reason }) => reason === null)
  const byTransfers = judged.filter(({ kept }) => kept === null).map(({ rule }) => rule)
  return {
    events: byTransfers.filter(({ detector }) => detector.from === 'transfer'),
    stalled: byTransfers.filter(({ detector }) => detector.from === 'facts'),
    conditions: judged.flatMap(({ rule, kept, since }) =>
      kept === null ? [] : [{ rule, kept, since: since ?? 0 }],
    ),
    skipped: chosen.flatMap(({ rule, reason }) =>
      reason === null ? [] : [{ rule: rule.name, kind: rule.kind, reason }],
    ),
    from: new Map(judged.flatMap(({ rule, since }) => (since === null ? [] : [[rule.name, since]]))),
  }
}

interface Chosen {
  /** Null when it can be judged. */
  readonly reason: string | null
  /** Null for what is judged by transfers. */
  readonly kept: OpenKept<object> | null
  /** Null for all that the ledger has of transfers. */
  readonly since: UnixMs | null
}

function choose({ detector, kind, params }: LoadedRule, past: OpenPast, until: UnixMs): Chosen {
  const by = pastOf(detector)
  const never = (reason: string): Chosen => ({ reason, kept: null, since: null })
  if (by.by === 'nothing') return never(sayPast(by))
  const kept = by.by === 'facts' ? (past.get(by.kept) ?? null) : null
  const needed = [
    ...(kept === null ? [] : [kept.since(kind, params)]),
    ...(sharesOfEscrows.has(kind) && hasShare(params) ? [past.escrows.since(kind, params)] : []),
  ]
  const why = needed.find((one) => typeof one === 'string')
  if (why !== undefined) return never(why)
  const times = needed.filter((one) => typeof one === 'number')
  const since = times.length === 0 ? null : Math.max(...times)
  if (since !== null && since >= until) return never(sayFrom(since))
  return { reason: null, kept, since }
}

/** Kinds whose `share` is one of what the escrows held. */
const sharesOfEscrows: ReadonlySet<string> = new Set(['transfer.large', 'flow.surge'])

function hasShare(params: unknown): boolean {
  return typeof params === 'object' && params !== null && 'share' in params && params.share !== undefined
}

/** From when on a rule can be tried on the past. */
export function sayFrom(since: UnixMs): string {
  return `can be replayed from ${new Date(since).toISOString()} on: the facts kept reach back so far`
}

/**
 * Which transfers have to be looked at. Most were seen once, whole and well: of these only a few kinds can find something
 * at all, and the ledger is asked for those alone. A kind that does not say what it looks at is asked of every transfer.
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
  const parts = events.map(({ detector }) => (detector.from === 'transfer' ? detector.looksAt : undefined))
  const looksAt = (part: HistoryPart) => parts.some((some) => some?.includes(part))
  return {
    until: of.until,
    since: of.since,
    all: parts.includes(undefined),
    slowMs: stalled.length === 0 ? null : Math.min(...stalled.map(readAfter)),
    outOfOrder: looksAt('outOfOrder'),
    batches: looksAt('batches'),
    tokens: looksAt('tokens') && of.bridge.tokens.length > 0 ? of.bridge.tokens : null,
    evidence: of.isAsked && looksAt('evidence'),
    shared: of.shared,
  }
}

/** 0 when it is no fixed time: then every wait has to be looked at. */
function readAfter({ params }: LoadedRule): number {
  const after: unknown = typeof params === 'object' && params !== null && 'after' in params ? params.after : 0
  return typeof after === 'number' ? after : 0
}
