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
  monitor: 'it is about the monitor, not about the bridge',
}
