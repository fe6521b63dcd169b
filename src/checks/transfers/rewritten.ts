import { z } from 'zod'
import { findStanding, isReplacementOpen, isSecondAttempt } from '../../meaning/replacedPayout.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import { describeTransfer, labelTransfer } from '../../bridge/describeTransfer.ts'
import { declareFacts, defineEvent, type Found } from '../../rules/kind.ts'
import { type EventContext } from '../../ledger/context.ts'

/** The fields of a record that a rewrite can name, as facts before and after. */
const fields = ['status', 'amountRaw', 'token', 'targetAddress', 'mainHash', 'zoneHash'] as const

const factTypes = declareFacts({
  changed: 'string',
  statusBefore: ['', 'success', 'failed', 'unknown'],
  statusAfter: ['', 'success', 'failed', 'unknown'],
  amountRawBefore: 'string?',
  amountRawAfter: 'string?',
  tokenBefore: 'string?',
  tokenAfter: 'string?',
  targetAddressBefore: 'string?',
  targetAddressAfter: 'string?',
  mainHashBefore: 'string?',
  mainHashAfter: 'string?',
  zoneHashBefore: 'string?',
  zoneHashAfter: 'string?',
})

export const transferRewritten = defineEvent({
  kind: 'transfer.rewritten',
  docs: 'A final record later said something else, and the detail endpoint confirmed it.',
  remedy: 'Read what changed; if an amount, token or recipient did, verify the transactions on chain.',
  words: { open: 'its final record was changed', many: 'had their final records changed' },
  sources: ['explorer'],
  ties: ['transfer'],
  risksTransfer: true,
  accuses: () => true,
  material: (_finding, transfer) => ({ after: transfer.rewrites.at(-1)?.after ?? {} }),
  looksAt: ['evidence'],
  hasTransfer: true,
  subjectNames: [],
  facts: factTypes,
  params: z.strictObject({}),
  detect: detectRewritten,
})

/** Needs no suppression of history: a change is known only of what was read before it. */
function detectRewritten(
  transfer: Transfer,
  _params: unknown,
  { now }: EventContext,
): Found<typeof factTypes> | null {
  const rewrite = transfer.rewrites.at(-1)
  if (!rewrite) return null
  // Both payouts stand: that is one origin paid twice, and reported as such. Whether they do is asked first.
  const isOnlyHash = Object.keys(rewrite.after).every((field) => field === 'mainHash' || field === 'zoneHash')
  if (isOnlyHash && (findStanding(transfer) !== null || isReplacementOpen(transfer, now))) return null
  if (isOnlyHash && isSecondAttempt(transfer)) return null
  const changed = fields.filter((field) => field in rewrite.after || field in rewrite.before)
  const facts = changed.flatMap((field) => [
    [`${field}Before`, rewrite.before[field] ?? ''],
    [`${field}After`, rewrite.after[field] ?? ''],
  ])
  return {
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: { changed: changed.join(', '), ...Object.fromEntries(facts) },
    labels: labelTransfer(transfer),
    evidence: [{ source: 'E12', at: rewrite.at, says: `the record now gives another ${changed.join(', ')}` }],
    since: rewrite.at,
  }
}
