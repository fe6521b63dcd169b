import { z } from 'zod'
import type { Finding } from '../../bridge/finding.ts'
import { defineRaised } from '../../rules/kind.ts'
import type { Held } from './heldReceipts.ts'
import { type Deciding, describe, factsOf, settledFacts } from './settled.ts'

/** Found when preconfirmed transactions are settled against the canonical chain (settle.ts). */
export const preconfDropped = defineRaised({
  kind: 'preconf.dropped',
  docs: 'A preconfirmed transaction is in neither its block nor the next two, and no search by its hash finds it.',
  remedy: 'Tell whoever acted on the preconfirmation that the transaction is not in the chain.',
  words: { over: 'it is in a block after all' },
  sources: ['preconf'],
  ties: ['transaction'],
  needs: ['preconf'],
  facts: { ...settledFacts, status: ['', 'success', 'failed'] },
  params: z.strictObject({}),
  nature: 'event',
  raisedBy: 'app',
  hasTransfer: false,
  subjectNames: [],
})

export function toDropped(of: Deciding, held: Held): Finding {
  const says = `in none of the blocks ${held.height} to ${held.height + 2}, nor found by its hash (${held.absent?.reads ?? 0} readings)`
  return preconfDropped.raise({
    ...describe(of, held, says),
    facts: { ...factsOf(of, held), status: held.outcomes[0]?.status ?? '' },
  })
}
