import { z } from 'zod'
import type { Finding } from '../../bridge/finding.ts'
import { defineRaised } from '../../rules/kind.ts'
import type { Held } from './heldReceipts.ts'
import type { Fate } from './settleReceipt.ts'
import { type Deciding, describe, factsOf, settledFacts } from './settled.ts'

const params = z.strictObject({ index: z.boolean().optional() })

/** Found when preconfirmed transactions are settled against the canonical chain (settle.ts). */
export const preconfMoved = defineRaised({
  kind: 'preconf.moved',
  docs: 'A preconfirmed transaction is in another block, or at another place of its block.',
  remedy: "Nothing to do for one; many in a short time are a question for the sequencer's operator.",
  sources: ['preconf'],
  ties: ['transaction'],
  needs: ['preconf'],
  facts: { ...settledFacts, heightAfter: 'int', by: 'int', indexBefore: 'int|null', indexAfter: 'int|null' },
  params,
  accepts: ({ facts }, { index }) => facts['by'] !== 0 || index === true,
  nature: 'event',
  raisedBy: 'app',
  hasTransfer: false,
  subjectNames: [],
})

export function toMoved(of: Deciding, held: Held, fate: Extract<Fate, { kind: 'held-by-block' }>): Finding {
  const says = `in block ${fate.height}${fate.transaction.index === null ? '' : `, place ${fate.transaction.index}`}`
  return preconfMoved.raise({
    ...describe(of, held, says),
    facts: {
      ...factsOf(of, held),
      heightAfter: fate.height,
      by: fate.by,
      indexBefore: held.index,
      indexAfter: fate.transaction.index,
    },
  })
}
