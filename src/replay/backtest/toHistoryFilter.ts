import type { UnixMs } from '../../lib/clock.ts'
import type { HistoryPart } from '../../rules/kind.ts'
import type { LoadedRule } from '../../rules/types.ts'
import type { HistoryFilter } from '../../ledger/history.ts'
import type { AppConfig } from '../../kernel/settings.ts'
import type { Choice } from './chooseRules.ts'

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
