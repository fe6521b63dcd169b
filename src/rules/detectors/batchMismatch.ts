import { z } from 'zod'
import type { EvidenceNote, Finding } from '../../domain/finding.ts'
import { type BatchProblem, judgeBatch } from '../../domain/judgeBatch.ts'
import type { Transfer } from '../../domain/transfer.ts'
import { describeTransfer, labelTransfer } from './describeTransfer.ts'
import { defineEvent, type EventContext } from './detector.ts'

export const batchMismatch = defineEvent({
  kind: 'batch.mismatch',
  docs: "A batch's items do not add up to its record, or its main transaction did not move them.",
  hasTransfer: true,
  subjectNames: [],
  facts: { problem: 'string', itemSum: 'string', recordSum: 'string', missing: 'string' },
  params: z.strictObject({}),
  detect: detectMismatch,
})

const words = {
  sum: 'its items do not add up to the record',
  unpaid: 'its main transaction did not move all items',
} as const

function detectMismatch(transfer: Transfer, _params: unknown, context: EventContext): Finding | null {
  if (transfer.batchDetail === null) return null
  if (Math.max(transfer.originAt, transfer.destinationAt ?? 0) < context.tellSince) return null
  const sharing = transfer.zone ? context.related.sharing('zone', transfer.zone.hash) : []
  const problem = judgeBatch(transfer, sharing, context.bridge)
  if (problem === null) return null
  const { itemSum, recordSum, missing } = problem
  return {
    kind: 'batch.mismatch',
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: {
      problem: words[problem.kind],
      itemSum,
      recordSum,
      missing: missing.map((id) => (id === '' ? 'the token' : `#${id}`)).join(', '),
    },
    labels: labelTransfer(transfer),
    evidence: [noteOf(transfer, problem)],
    since: transfer.destinationAt ?? transfer.originAt,
  }
}

function noteOf(transfer: Transfer, { kind, evidence }: BatchProblem): EvidenceNote {
  return { source: evidence?.source ?? 'E12', at: evidence?.at ?? transfer.readAt, says: words[kind] }
}
