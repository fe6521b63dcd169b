import { z } from 'zod'
import type { EvidenceNote } from '../../bridge/finding.ts'
import { judgeBatchAction } from '../../meaning/compareBatch.ts'
import { awaitsDetail } from '../../meaning/emptyBatch.ts'
import { actionOf } from '../../meaning/judgeAction.ts'
import { judgeBatch } from '../../meaning/judgeBatch.ts'
import { toMoneySettings } from '../../meaning/toMoneySettings.ts'
import { isBatch, type Transfer } from '../../bridge/transfer.ts'
import { describeTransfer, labelTransfer } from '../../bridge/describeTransfer.ts'
import { declareFacts, defineEvent, type Found } from '../../rules/kind.ts'
import { type EventContext } from '../../ledger/context.ts'
import { judgeByCertain } from './judgeByCertain.ts'

const factTypes = declareFacts({
  problem: 'string',
  itemSum: 'string',
  recordSum: 'string',
  missing: 'string',
  fewSamples: 'bool',
})

export const batchMismatch = defineEvent({
  kind: 'batch.mismatch',
  docs: "A batch's items do not add up to its record, its main transaction did not move them, or its zone action names others.",
  remedy:
    "Add up the batch's transfers on the main chain: a surplus left without an origin, and whose item is not among them was not paid.",
  words: {
    open: 'its batch does not add up',
    many: 'have batches that do not add up',
    over: 'its batch adds up by now',
  },
  sources: ['explorer'],
  ties: ['transfer'],
  risksTransfer: true,
  isComparison: true,
  material: ({ facts: { problem, itemSum, missing } }) => ({ problem, itemSum, missing }),
  accuses: () => true,
  readsActions: ({ problem }) => actionProblems.some((one) => words[one] === problem),
  looksAt: ['batches'],
  hasTransfer: true,
  subjectNames: [],
  facts: factTypes,
  params: z.strictObject({}),
  detect: detectMismatch,
})

const words = {
  sum: 'its items do not add up to the record',
  unpaid: 'its main transaction did not move all items',
  amount: 'its zone action names other amounts',
  recipient: 'its zone action names other recipients',
  items: 'its zone action names other items',
  unrelated: 'its zone action names none of its items',
} as const
const actionProblems = ['amount', 'recipient', 'items', 'unrelated'] as const

interface Problem {
  readonly kind: keyof typeof words
  readonly itemSum: string
  readonly recordSum: string
  readonly missing: readonly string[]
  readonly note: EvidenceNote
}

function detectMismatch(
  transfer: Transfer,
  _params: unknown,
  context: EventContext,
): Found<typeof factTypes> | null {
  if (!isBatch(transfer) && transfer.batchDetail === null) return null
  if (Math.max(transfer.originAt, transfer.destinationAt ?? 0) < context.tellSince) return null
  const judged = judgeByCertain(context, (by) => judgeDetail(transfer, by) ?? judgeAction(transfer, by))
  if (judged === null) return null
  const { kind, itemSum, recordSum, missing, note } = judged.verdict
  return {
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: {
      problem: words[kind],
      itemSum,
      recordSum,
      missing: missing
        .map((id) => (id === '' ? 'the token' : id.startsWith('0x') ? id : `#${id}`))
        .join(', '),
      fewSamples: judged.fewSamples,
    },
    labels: labelTransfer(transfer),
    evidence: [note],
    since: transfer.destinationAt ?? transfer.originAt,
  }
}

/** The detail against the record, and against what its main transaction moved. */
function judgeDetail(transfer: Transfer, { related, bridge, learned }: EventContext): Problem | null {
  const sharing = transfer.zone ? related.sharing('zone', transfer.zone.hash) : []
  const problem = judgeBatch(transfer, sharing, toMoneySettings(bridge, learned ?? null))
  if (problem === null) return null
  const { kind, evidence } = problem
  const note = { source: evidence?.source ?? 'E12', at: evidence?.at ?? transfer.readAt, says: words[kind] }
  return { ...problem, note }
}

/** The zone's action against the detail, and against what the main transaction moved. */
function judgeAction(transfer: Transfer, { related, learned, now }: EventContext): Problem | null {
  if (!learned || awaitsDetail(transfer, now)) return null
  const sharing = transfer.main ? related.sharing('main', transfer.main.hash) : []
  const gap = judgeBatchAction(transfer, sharing, { learned })
  const by = actionOf(transfer)
  if (by === null || gap === null) return null
  const kind = gap === 'unrelated' ? gap : gap.what
  const recordSum = (transfer.amountRaw ?? transfer.amount ?? '').toString()
  const note = { source: by.source, at: by.at, says: words[kind] }
  return { kind, itemSum: '', recordSum, missing: gap === 'unrelated' ? [] : gap.missing, note }
}
