import { z } from 'zod'
import type { Finding } from '../../domain/finding.ts'
import { readBatch } from '../../domain/judgeBatch.ts'
import type { Transfer } from '../../domain/transfer.ts'
import { cleanText } from '../../lib/text.ts'
import { describeTransfer, labelTransfer } from './describeTransfer.ts'
import { defineEvent, type EventContext } from './detector.ts'

/** So much of the detail is shown; all of it is in the ledger. */
const shownLength = 500

export const batchUnresolved = defineEvent({
  kind: 'batch.unresolved',
  docs: "A batch withdrawal's detail is not understood, so that its items cannot be checked.",
  hasTransfer: true,
  subjectNames: [],
  facts: { reason: 'string', batchDetail: 'string' },
  params: z.strictObject({}),
  detect: detectUnresolved,
})

function detectUnresolved(transfer: Transfer, _params: unknown, context: EventContext): Finding | null {
  const reading = readBatch(transfer)
  if (reading?.kind !== 'unresolved') return null
  if (Math.max(transfer.originAt, transfer.destinationAt ?? 0) < context.tellSince) return null
  return {
    kind: 'batch.unresolved',
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: { reason: reading.reason, batchDetail: cleanText(transfer.batchDetail ?? '', shownLength) },
    labels: labelTransfer(transfer),
    evidence: [
      { source: 'E12', at: transfer.readAt, says: `its batchDetail cannot be read: ${reading.reason}` },
    ],
    since: transfer.originAt,
  }
}
