import { checks } from '../../checks/index.ts'
import type { Kept } from '../../kernel/kept.ts'
import type { Detector } from '../../rules/kind.ts'

/** By what a kind can be tried on the past, or why it never can. */
export type PastOf =
  | { readonly by: 'transfers' }
  | { readonly by: 'facts'; readonly kept: Kept<object> }
  | { readonly by: 'nothing'; readonly reason: string }

/** Every check that keeps facts with their times. */
export const listKept = (): readonly Kept<object>[] =>
  checks.flatMap((check: { readonly kept?: Kept<object> }) => check.kept ?? [])

/** By what it is tried on the past, or why it is not, in one line: docs/rules.md has it of every kind. */
export function sayPast(past: PastOf): string {
  switch (past.by) {
    case 'transfers':
      return 'transfers as they became known, as long as they are kept'
    case 'facts':
      return past.kept.docs
    case 'nothing':
      return `never: ${past.reason}`
  }
}

export function pastOf(detector: Detector): PastOf {
  if (detector.from === 'transfer' || (detector.from === 'facts' && detector.judgesPast))
    return { by: 'transfers' }
  const kept = listKept().find(({ kinds }) => kinds.includes(detector.kind))
  if (kept !== undefined) return { by: 'facts', kept }
  const [family = ''] = detector.kind.split('.')
  const reason = reasons[detector.kind] ?? reasons[family] ?? 'what it is judged by is not kept'
  return { by: 'nothing', reason }
}

/** By kind, or by the first word of several. */
const reasons: Readonly<Record<string, string>> = {
  'transfer.vanished': 'of a record that is missing it is not kept for how long',
  'contract.changed': 'of the logs of contracts the newest alone are kept',
  'contract.silent': 'whether logs were seen is known of the present alone',
  preconf: 'preconfirmations of the past are counted by the hour, not kept one by one',
  'escrow.drift': 'of a movement it is kept what explains it, not since when',
  'escrow.headroom': 'of what an escrow has to spare the newest alone is kept',
  'escrow.unjudged': 'what a transfer does not say is kept for a day, and not since when it does',
  'escrow.foreign_token': 'what an escrow held when it was first seen is not kept',
  supply: 'of comparisons the newest alone is kept',
  ledger: 'what an audit found is kept, not until when it lacked',
  source: 'how sources answered in the past is not kept',
  chain: 'heads and blocks of the past are not kept',
  'operator.quiet': 'of what an operator sent the newest alone is kept',
  limit: 'readings of limits are not kept',
  challenge: 'of challenges the newest value alone is kept',
  monitor: 'it is about the monitor, not about the bridge',
}
