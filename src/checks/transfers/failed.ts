import { z } from 'zod'
import type { EvidenceNote, Finding } from '../../bridge/finding.ts'
import { leftNothing, type Transfer } from '../../bridge/transfer.ts'
import { cleanText } from '../../lib/text.ts'
import { describeTransfer, labelTransfer } from '../../bridge/describeTransfer.ts'
import { declareFacts, defineEvent, type Found, type Said } from '../../rules/kind.ts'
import { type EventContext } from '../../ledger/context.ts'

const factTypes = declareFacts({
  errorMessage: 'string?',
  statusSources: 'string',
  wasCompleted: 'bool?',
  alsoChanged: 'string?',
  nothingLeft: 'bool?',
})

/**
 * A transfer that failed. With both legs a failed record is reported at once; a record with one leg may still be wrong, so
 * that E12 or the transaction of that leg must agree. The ledger's `state` has asked them already, and E12 before a
 * final record's status changes.
 */
export const transferFailed = defineEvent({
  kind: 'transfer.failed',
  docs: 'A transfer failed: its record says so and, while it has one leg only, a second answer agrees.',
  remedy:
    "Read why it failed, check whether the sender was refunded, and let the bridge's operator retry or refund it.",
  remedyFor: ({ transfer }) =>
    transfer !== null && leftNothing(transfer)
      ? 'Nothing left: the sender still has it. Do not refund; tell him why it failed, and to send again.'
      : null,
  words: { open: sayFailed, many: 'failed', corrected: sayCorrected },
  sources: ['explorer'],
  ties: ['transfer', 'error', 'crowd'],
  risksTransfer: (transfer) => !leftNothing(transfer),
  // A milder rule has those of which nothing left: a correction says so where that comes out later.
  joins: { of: 'transfer', rank: 4, saysAllAtOnce: true },
  stands: ({ transfer }) => transfer?.state === 'failed',
  // Whether there is something to refund is what a reader acts on.
  material: (_finding, transfer) => ({
    isFailed: transfer.state === 'failed',
    ...(leftNothing(transfer) && { nothingLeft: true }),
  }),
  looksAt: ['evidence'],
  hasTransfer: true,
  subjectNames: [],
  facts: factTypes,
  params: z.strictObject({}),
  detect: detectFailed,
})

function sayFailed({ what, finding: { facts } }: Said): string {
  const { errorMessage, wasCompleted, nothingLeft } = facts
  const why = typeof errorMessage === 'string' && errorMessage !== '' ? `: ${errorMessage}` : ''
  return `${what} ${wasCompleted === true ? 'was completed and is now failed' : 'failed'}${nothingLeft === true ? ', nothing left' : ''}${why}`
}

function sayCorrected({ transfer }: Pick<Finding, 'transfer'>): string | null {
  if (transfer?.state !== 'failed') return null
  if (leftNothing(transfer)) return 'nothing left'
  return transfer.originProof === 'proven' ? 'its value left' : null
}

function detectFailed(
  transfer: Transfer,
  _params: unknown,
  context: EventContext,
): Found<typeof factTypes> | null {
  if (transfer.state !== 'failed' || transfer.status !== 'failed') return null
  const rewrite = transfer.rewrites.findLast((one) => one.after['status'] === 'failed') ?? null
  if (rewrite === null && isHistory(transfer, context)) return null
  const errorMessage = transfer.evidence.find((one) => one.errorMessage !== '')?.errorMessage ?? ''
  const evidence = noteSources(transfer)
  const alsoChanged = Object.keys(rewrite?.after ?? {}).filter((field) => field !== 'status')
  return {
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: {
      ...(errorMessage !== '' && { errorMessage: cleanText(errorMessage, 200) }),
      statusSources: [...new Set(evidence.map(({ source }) => source))].join(', '),
      ...(rewrite?.before['status'] === 'success' && { wasCompleted: true }),
      ...(alsoChanged.length > 0 && { alsoChanged: alsoChanged.join(', ') }),
      ...(leftNothing(transfer) && { nothingLeft: true }),
    },
    labels: labelTransfer(transfer),
    evidence,
    // A block time may lie in the future; what was read had happened.
    since: rewrite?.at ?? Math.min(transfer.destinationAt ?? transfer.originAt, transfer.readAt),
  }
}

/** Seen for the first time when it had already failed, before anything was to be reported. */
function isHistory(transfer: Transfer, { tellSince }: EventContext): boolean {
  const lastAt = Math.max(transfer.originAt, transfer.destinationAt ?? transfer.originAt)
  return transfer.firstStatus === 'failed' && lastAt < tellSince
}

function noteSources(transfer: Transfer): EvidenceNote[] {
  const record = transfer.confirmedStatus === 'failed' ? 'E12' : 'E3'
  const against = transfer.evidence.filter(({ status }) => status === 'failed' || status === 'absent')
  return [
    { source: record, at: transfer.readAt, says: 'the record has status 0x0' },
    ...against.map(({ source, at, chain, status }) => ({
      source,
      at,
      says: `the ${chain} transaction ${status === 'failed' ? 'has status 0x0' : 'is not known'}`,
    })),
  ]
}
