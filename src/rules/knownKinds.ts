/**
 * Every kind of finding that configurations may name in routes, inhibitions and `open(…)`: one file can serve versions
 * that find more or less. Rules can be written on those of the registry.
 */
export const knownKinds: readonly string[] = [
  ...named(
    'transfer',
    'failed stalled unbacked mismatch duplicate rewritten vanished out_of_order unknown_token large',
  ),
  ...named('batch', 'unresolved mismatch'),
  ...named('challenge', 'changed stuck'),
  ...named('preconf', 'dropped flipped moved late stalled gap'),
  'chain.stalled',
  ...named('escrow', 'drift shortfall unjudged foreign_token'),
  'contract.changed',
  ...named('operator', 'low_balance quiet'),
  ...named('flow', 'surge quiet imbalance'),
  'ledger.incomplete',
  ...named('source', 'unavailable rejected suspicious drift disagreement new_word'),
  ...named('monitor', 'poll_overdue rules_rejected state_recovered rule_error rule_overflow channel_dead'),
  ...named('monitor', 'state_not_persisted clock_jump report_missed no_data'),
]

function named(family: string, names: string): string[] {
  return names.split(' ').map((name) => `${family}.${name}`)
}
