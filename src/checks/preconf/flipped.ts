import { z } from 'zod'
import type { Finding } from '../../bridge/finding.ts'
import { defineRaised } from '../../rules/kind.ts'
import type { Held } from './heldReceipts.ts'
import type { Fate } from './settleReceipt.ts'
import { type Deciding, describe, factsOf, settledFacts } from './settled.ts'

/** Found when preconfirmed transactions are settled against the canonical chain (settle.ts). */
export const preconfFlipped = defineRaised({
  kind: 'preconf.flipped',
  docs: 'The final receipt of a preconfirmed transaction is another: its status, gas or logs changed.',
  remedy: 'Compare the final receipt; whatever was credited on the first answer has to be looked at again.',
  sources: ['preconf'],
  ties: ['transaction'],
  needs: ['preconf'],
  facts: {
    ...settledFacts,
    statusBefore: ['', 'success', 'failed'],
    statusAfter: ['', 'success', 'failed'],
    statusChanged: 'bool',
    gasUsedBefore: 'string',
    gasUsedAfter: 'string',
    gasUsedChanged: 'bool',
    logsChanged: 'bool',
    by: 'int',
  },
  params: z.strictObject({}),
  nature: 'event',
  raisedBy: 'app',
  hasTransfer: false,
  subjectNames: [],
})

export function toFlipped(of: Deciding, held: Held, fate: Extract<Fate, { kind: 'held-by-block' }>): Finding {
  const { before, what } = fate.changed ?? { before: held.outcomes[0], what: null }
  const { transaction } = fate
  const says = `in block ${fate.height}: ${transaction.status ?? 'status not said'}`
  return preconfFlipped.raise({
    ...describe(of, held, says),
    facts: {
      ...factsOf(of, held),
      statusBefore: before?.status ?? '',
      statusAfter: transaction.status ?? '',
      statusChanged: what?.status ?? false,
      gasUsedBefore: before?.gasUsed?.toString() ?? '',
      gasUsedAfter: transaction.gasUsed?.toString() ?? '',
      gasUsedChanged: what?.gasUsed ?? false,
      logsChanged: what?.logs ?? false,
      by: fate.by,
    },
  })
}
