import { z } from 'zod'
import { boundText } from '../../rules/durationText.ts'
import { declareFacts, defineCondition, type JudgementOf, type Moment } from '../../rules/kind.ts'
import type { ContractsPart } from './facts.ts'

type Facts = Moment & ContractsPart

/** As many as a meaning is learned from. */
export const enoughCrossed = 20

/** A quiet bridge, and an index that is late, are given a day. */
const params = z.strictObject({ after: boundText.default(86_400_000) })

const factTypes = declareFacts({ contracts: 'string', count: 'int', crossed: 'int' })

/** Whoever watches the wrong address, or a service that shows no logs, sees no deposit early and no act of administration at all. */
export const contractSilent = defineCondition({
  kind: 'contract.silent',
  docs: 'No contract of the bridge has ever shown a log, though transfers cross the bridge: who administers it is not watched.',
  remedy:
    'Compare `bridge.contracts` with who emits the logs of a transfer: behind a proxy that is the proxy. If they agree, this explorer shows no logs.',
  sources: ['explorer'],
  ties: [],
  needs: ['bridge.contracts'],
  isGuard: true,
  restsOn: ['source', 'chain'],
  cannotTell: 'logs cannot be read',
  hasTransfer: false,
  subjectNames: [],
  facts: factTypes,
  params,
  judge: judgeSilent,
})

const subject = 'bridge.contracts'

function judgeSilent(
  { noLogs, now }: Facts,
  { after }: z.output<typeof params>,
): JudgementOf<typeof factTypes> {
  if (noLogs === null) return { findings: [], unknown: [] }
  const { contracts, crossed, readAt, since } = noLogs
  if (crossed < enoughCrossed || now < since + after) return { findings: [], unknown: [] }
  if (readAt < now - staleMs) return { findings: [], unknown: [subject] }
  return {
    findings: [
      {
        subject,
        title: contracts.length === 1 ? 'the contract of the bridge' : 'the contracts of the bridge',
        transfer: null,
        facts: { contracts: contracts.slice(0, shown).join(', '), count: contracts.length, crossed },
        labels: { chain: 'main' },
        evidence: [{ source: 'E19', at: readAt, says: 'no log in any answer' }],
        since,
      },
    ],
    unknown: [],
  }
}

const shown = 5
const staleMs = 300_000
