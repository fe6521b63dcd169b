import { z } from 'zod'
import { describeTransfer, labelTransfer } from '../../bridge/describeTransfer.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import { sayInstant } from '../../lib/sayTime.ts'
import { declareFacts, defineCondition, type JudgementOf } from '../../rules/kind.ts'
import type { StagesPart } from './facts.ts'
import { listStanding } from './listStanding.ts'

type Facts = SharedFacts & StagesPart

const factTypes = declareFacts({ stage: 'string', sinceMs: 'int' })

/** It was proven by a proposal that was removed since: its recipient may not know that the proof is void. */
export const transferProveAgain = defineCondition({
  kind: 'transfer.prove_again',
  docs: 'A withdrawal was proven by a proposal that was removed since: it has to be proven again.',
  remedy: 'Tell its recipient, or whoever proves for them, once a new proposal covers it.',
  words: { open: 'has to be proven again', many: 'have to be proven again' },
  sources: ['explorer'],
  ties: ['transfer', 'crowd'],
  needs: ['bridge.stages'],
  restsOn: ['source'],
  hasTransfer: true,
  subjectNames: [],
  facts: factTypes,
  params: z.strictObject({}),
  judge: (facts: Facts): JudgementOf<typeof factTypes> => ({
    findings: listStanding(facts)
      .filter(({ standing }) => standing.isAgain)
      .map(({ transfer, standing: { stage, since } }) => ({
        subject: transfer.key,
        title: describeTransfer(transfer),
        transfer,
        facts: { stage, sinceMs: since },
        labels: labelTransfer(transfer),
        evidence: [
          {
            source: 'E19',
            at: facts.now,
            says: `what it was proven by was removed; it is ${stage} since ${sayInstant(since, facts.now)}`,
          },
        ],
        since,
      })),
    unknown: [],
  }),
})
