import { z } from 'zod'
import { isEmptyBatch } from '../../meaning/emptyBatch.ts'
import { readBatch } from '../../meaning/judgeBatch.ts'
import { judgeMoney } from '../../meaning/judgeMoney.ts'
import { toMoneySettings } from '../../meaning/toMoneySettings.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import { cleanText } from '../../lib/text.ts'
import { describeTransfer, labelTransfer } from '../../bridge/describeTransfer.ts'
import { declareFacts, defineEvent, type Found } from '../../rules/kind.ts'
import { type EventContext } from '../../ledger/context.ts'

/** So much of the detail is shown; all of it is in the ledger. */
const shownLength = 500

const factTypes = declareFacts({ reason: 'string', batchDetail: 'string' })

export const batchUnresolved = defineEvent({
  kind: 'batch.unresolved',
  docs: "A batch withdrawal's detail is not understood, so that its items cannot be checked.",
  remedy: 'Read the batch by hand and check that each recipient got its share.',
  words: {
    open: 'its batch detail cannot be read',
    many: 'have batches that cannot be read',
    over: 'its batch detail can be read by now',
  },
  sources: ['explorer'],
  ties: ['transfer'],
  isComparison: true,
  looksAt: ['batches'],
  hasTransfer: true,
  subjectNames: [],
  facts: factTypes,
  params: z.strictObject({}),
  detect: detectUnresolved,
})

function detectUnresolved(
  transfer: Transfer,
  _params: unknown,
  context: EventContext,
): Found<typeof factTypes> | null {
  const reading = readBatch(transfer)
  const reason = reading?.kind === 'unresolved' ? reading.reason : judgeEmpty(transfer, context)
  if (reason === null) return null
  if (Math.max(transfer.originAt, transfer.destinationAt ?? 0) < context.tellSince) return null
  return {
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: { reason, batchDetail: cleanText(transfer.batchDetail ?? '', shownLength) },
    labels: labelTransfer(transfer),
    evidence: [{ source: 'E12', at: transfer.readAt, says: `its batchDetail cannot be read: ${reason}` }],
    since: transfer.originAt,
  }
}

/** An empty detail leaves nothing open where the main transaction paid just what the record claims. */
function judgeEmpty(transfer: Transfer, { related, bridge, learned }: EventContext): string | null {
  if (transfer.main === null || !isEmptyBatch(transfer)) return null
  const sharing = related.allSharing('main', transfer.main.hash)
  const judged = judgeMoney(transfer, sharing, toMoneySettings(bridge, learned ?? null))
  // Another token in its place may be the same one by another address: that is judged as a mismatch.
  if (judged === null || judged.gap === 'covered' || judged.twin !== null) return null
  return 'it is empty, and its main transaction did not pay what the record says'
}
