import { z } from 'zod'
import type { Finding } from '../../bridge/finding.ts'
import { formatDuration } from '../../lib/duration.ts'
import { clockLeadMs } from '../../kernel/clockLead.ts'
import { boundText } from '../../rules/durationText.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import type { OperatorFact, OperatorsPart } from './facts.ts'
import { lossOfUnwatched } from '../../rules/lossOfUnwatched.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf } from '../../rules/kind.ts'

type Facts = SharedFacts & OperatorsPart

const params = z.strictObject({ after: boundText.default(24 * 3_600_000) })

const factTypes = declareFacts({ lastTxHash: 'string', lastHeight: 'int', limitMs: 'int' })

/**
 * Never of an operator that was not yet seen to send: nothing is known of it. One that rested while nothing crossed has as
 * long again once something does.
 */
export const operatorQuiet = defineCondition({
  kind: 'operator.quiet',
  docs: 'An operator has stopped sending transactions while the bridge had something to do.',
  remedy: "Check that the operator's process runs and has gas; transfers are waiting for it.",
  sources: ['explorer'],
  ties: [],
  needs: ['bridge.operators'],
  restsOn: ['source', 'chain'],
  cannotTell: 'it was never seen to send, or not looked for since the bound passed',
  isAsOldAsAfter: true,
  hasTransfer: false,
  subjectNames: ['operator'],
  facts: factTypes,
  params,
  judge: judgeQuiet,
})

function judgeQuiet(facts: Facts, { after }: z.output<typeof params>): JudgementOf<typeof factTypes> {
  const findings: Found<typeof factTypes>[] = []
  const unknown: string[] = []
  const leadMs = clockLeadMs(facts)
  for (const operator of facts.operators) {
    const { address, last, busySince: busyAt } = operator
    const readAt = operator.readAt === null ? null : operator.readAt - leadMs
    if (last === null) unknown.push(address)
    else if (facts.now - leadMs - last.at < after) continue
    else if (facts.newestOriginAt !== null && facts.newestOriginAt <= last.at) continue
    else if (busyAt !== null && facts.now - leadMs - busyAt < after) continue
    else if (readAt === null || readAt < (busyAt ?? last.at) + after || !operator.isSilent)
      unknown.push(address)
    else findings.push(toQuiet(operator, last, { readAt, leadMs, after }))
  }
  const isWatched = ({ subject }: Finding) => facts.operators.some(({ address }) => address === subject)
  return { findings, unknown, lossOf: lossOfUnwatched(isWatched) }
}

function toQuiet(
  { address }: OperatorFact,
  last: NonNullable<OperatorFact['last']>,
  { readAt, leadMs, after }: { readonly readAt: number; readonly leadMs: number; readonly after: number },
): Found<typeof factTypes> {
  return {
    subject: address,
    title: `operator ${address}`,
    transfer: null,
    facts: { lastTxHash: last.hash, lastHeight: last.height, limitMs: after },
    labels: { chain: 'main', operator: address },
    evidence: [
      {
        source: 'E10',
        at: readAt + leadMs,
        says: `nothing sent for ${formatDuration(readAt - last.at)} after ${last.hash}`,
      },
    ],
    since: last.at + leadMs,
  }
}
