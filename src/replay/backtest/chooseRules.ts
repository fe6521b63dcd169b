import type { AppConfig } from '../../kernel/settings.ts'
import type { HistoryFilter } from '../../ledger/history.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { HistoryPart } from '../../rules/kind.ts'
import type { LoadedRule } from '../../rules/types.ts'

export interface Choice {
  readonly events: readonly LoadedRule[]
  readonly stalled: readonly LoadedRule[]
  readonly skipped: readonly { readonly rule: string; readonly kind: string; readonly reason: string }[]
}

/** Which rules the ledger's history can be judged by. */
export function chooseRules(rules: readonly LoadedRule[]): Choice {
  const reasons = new Map(rules.map((rule) => [rule, skipReason(rule)]))
  const judged = rules.filter((rule) => reasons.get(rule) === null)
  return {
    events: judged.filter(({ detector }) => detector.from === 'transfer'),
    stalled: judged.filter(({ detector }) => detector.from === 'facts'),
    skipped: rules.flatMap((rule) => {
      const reason = reasons.get(rule) ?? null
      return reason === null ? [] : [{ rule: rule.name, kind: rule.kind, reason }]
    }),
  }
}

/** Null when it can be judged. */
function skipReason({ kind, detector, params }: LoadedRule): string | null {
  if (detector.from === 'facts' && detector.judgesPast) return null
  if (detector.from === 'transfer') {
    const hasShare =
      typeof params === 'object' && params !== null && 'share' in params && params.share !== undefined
    return hasShare ? 'what the escrows held in the past is not kept' : null
  }
  const [family] = kind.split('.')
  return reasonsByFamily[family ?? ''] ?? 'what it is judged by is not kept in the ledger'
}

const reasonsByFamily: Readonly<Record<string, string>> = {
  source: 'how sources answered in the past is not kept',
  preconf: 'preconfirmations of the past are not kept whole',
  chain: 'heads of the past are not kept',
  flow: 'it is not replayed yet, although what crossed is kept for 32 days',
  escrow: 'movements and balances of the past are not kept whole',
  operator: 'balances of the past are kept by the hour, and when operators sent is not',
  monitor: 'it is about the monitor, not about the bridge',
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
