import type { FindingKind } from '../bridge/finding.ts'

/** What to do about a finding of each kind, in one line: every message carries it, docs/runbooks.md goes on from there. */
export const remedies: Readonly<Record<FindingKind, string>> = {
  'transfer.failed':
    "Read why it failed, check whether the sender was refunded, and let the bridge's operator retry or refund it.",
  'transfer.stalled':
    "Check whether the destination chain and the relayer are alive; if they are, ask the bridge's operator about this one transfer.",
  'transfer.unbacked':
    'Treat as theft until proven otherwise: pause withdrawals, then look for the origin transaction by hand.',
  'transfer.mismatch':
    'Compare record and transaction in the fields named; if more was paid than left, pause the bridge.',
  'transfer.rewritten':
    'Read what changed; if an amount, token or recipient did, verify the transactions on chain.',
  'transfer.duplicate':
    'Compare the payout transactions; if both stand on chain, pause withdrawals and trace the recipient.',
  'transfer.vanished':
    'Look the transaction up on chain; if it stands there, report the gap to whoever runs the explorer.',
  'transfer.out_of_order':
    'Check the two block times; a payout before its deposit is a forged or a wrongly joined record.',
  'transfer.unknown_token': "Verify the token's address; list it under bridge.tokens or have it blocked.",
  'transfer.large': 'Confirm that sender and recipient are expected for this amount.',
  'batch.unresolved': 'Read the batch by hand and check that each recipient got its share.',
  'batch.mismatch':
    "Add up the batch's transfers on the main chain; a surplus is money that left without an origin.",
  'contract.changed':
    "Ask the bridge's team whether this change was planned; if nobody knows of it, pause the bridge.",
  'chain.stalled':
    "Check the chain's own status page and a second node; transfers in flight wait until it moves again.",
  'flow.surge':
    'Look at the largest transfers of the window; payouts of one amount to many recipients are an attack.',
  'flow.quiet': 'Try the bridge with a small amount and check its front end and relayer.',
  'flow.imbalance': 'Check that the escrow can pay what is being withdrawn, and why one direction dominates.',
  'preconf.dropped': 'Tell whoever acted on the preconfirmation that the transaction is not in the chain.',
  'preconf.flipped':
    'Compare the final receipt; whatever was credited on the first answer has to be looked at again.',
  'preconf.moved': "Nothing to do for one; many in a short time are a question for the sequencer's operator.",
  'preconf.late': "Check the sequencer's load and the network between it and this monitor.",
  'preconf.stalled':
    'Check the preconfirmation endpoint; blocks still come, so do not credit anything before they do.',
  'preconf.gap': 'Check the sequencer: it builds on an old block.',
  'escrow.drift':
    'Open the movements named: value that left the escrow without a transfer is theft until explained.',
  'escrow.shortfall': 'Stop withdrawals of this token until the missing amount is found.',
  'escrow.unjudged':
    'Compare these payouts with their zone transactions by hand, and ask whoever runs the explorer why the records lack it.',
  'escrow.foreign_token':
    "Nothing to do for the bridge's money; list the token under bridge.tokens if it is the bridge's, and look at who makes the noise.",
  'ledger.incomplete':
    'Look up the hashes that the list does not show, and report the gap to whoever runs the explorer.',
  'operator.low_balance': 'Send gas money to this operator address.',
  'operator.quiet': "Check that the operator's process runs and has gas; transfers are waiting for it.",
  'challenge.changed':
    "Read the bridge's announcements for this transaction; a challenge delays or reverts its payout.",
  'challenge.stuck':
    "Ask the bridge's operator why the proof or the challenge of this transaction does not go on.",
  'source.unavailable':
    'Check network and status of this source; what only it tells of is not seen until it answers.',
  'source.rejected': "Renew the credentials of this source and check this machine's clock.",
  'source.drift':
    'Look at what came: the source changed the form of its records, answers another question than was asked, or explorer.dialect does not fit.',
  'source.suspicious':
    'Do not trust empty answers of this source; compare with a block explorer of the chain.',
  'source.disagreement':
    'Compare both sources with a third; if the transaction does not exist, treat the payout as theft.',
  'source.new_word':
    "Ask the bridge's team what this word means: a new kind of transfer may be one that nobody watches yet.",
  'monitor.poll_overdue': "Look at this monitor's log and load; what this poller reads is not being watched.",
  'monitor.rules_rejected': 'Correct the newest edit of the rules: `spanwatch check` shows the line.',
  'monitor.state_recovered': 'Check the disk of this machine; nothing was lost, but a file was broken.',
  'monitor.rule_error':
    'Run `spanwatch rules test` and correct this rule; its alerts keep their state meanwhile.',
  'monitor.rule_overflow': "Narrow the rule's `where`, or find the one cause of so many findings.",
  'monitor.channel_dead':
    'Repair this channel: address, permission or mailbox; its messages go to the fallback meanwhile.',
  'monitor.no_data': 'Check why the source of this rule gives nothing, or remove the rule.',
  'monitor.clock_jump': 'Check time synchronisation of this machine.',
  'monitor.report_missed': 'Send the report by hand: `spanwatch report --date DAY --send`.',
  'monitor.state_not_persisted':
    'Free space or repair the file system of the state folder; a restart now could repeat messages.',
}
