import { z } from 'zod'
import { formatDecimal, fromBaseUnits } from '../../bridge/decimal.ts'
import { groupDigits } from '../../lib/groupDigits.ts'
import { boundText } from '../../rules/durationText.ts'
import { lossOfUnwatched } from '../../rules/lossOfUnwatched.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf, type Moment } from '../../rules/kind.ts'
import type { LimitFact, LimitsPart } from './facts.ts'

type Facts = Moment & LimitsPart

const params = z.strictObject({
  above: z.number().gt(0, 'expected a share above 0').max(1, 'expected a share of at most 1').default(0.8),
  stale: boundText.default(15 * 60_000),
})

const factTypes = declareFacts({
  name: 'string',
  used: 'string',
  max: 'string',
  percent: 'int',
  height: 'int',
})

/** A contract's own limit is nearly used up: what goes beyond it is refused, and waits. */
export const limitUsed = defineCondition({
  kind: 'limit.used',
  docs: 'A limit that a contract keeps is used to more than a share of it.',
  remedy: 'Raise the limit, or tell users that transfers will wait until it starts anew.',
  sources: ['canonical'],
  ties: [],
  needs: ['bridge.limits', 'canonical or preconf'],
  cannotTell: 'the limit cannot be read',
  sinceMoves: true,
  hasTransfer: false,
  subjectNames: ['contract'],
  configured: { 'facts.name': 'limit' },
  facts: factTypes,
  params,
  judge({ now, limits }: Facts, { above, stale }): JudgementOf<typeof factTypes> {
    const isKnown = ({ read }: LimitFact) => read !== null && now - read.at <= stale
    return {
      findings: limits.filter(isKnown).flatMap((limit) => toFinding(limit, above) ?? []),
      unknown: limits.filter((limit) => !isKnown(limit)).map(subjectOf),
      lossOf: lossOfUnwatched(({ subject }) => limits.some((limit) => subjectOf(limit) === subject)),
    }
  },
})

function subjectOf({ contract, name }: LimitFact): string {
  return `${contract}|${name}`
}

/** A limit of nothing is used up: nothing passes. */
function toFinding(limit: LimitFact, above: number): Found<typeof factTypes> | null {
  const { contract, decimals, name, read } = limit
  if (read === null) return null
  const millionths = read.max === 0n ? 1_000_000n : (read.used * 1_000_000n) / read.max
  if (Number(millionths) / 1e6 < above) return null
  const units = (raw: bigint) => formatDecimal(fromBaseUnits(raw, decimals))
  const [used, max] = [units(read.used), units(read.max)]
  return {
    subject: subjectOf(limit),
    title: name,
    transfer: null,
    facts: { name, used, max, percent: Number(millionths / 10_000n), height: read.height },
    labels: { chain: 'main', contract },
    evidence: [
      {
        source: 'eth_call',
        at: read.at,
        says: `${name}: ${groupDigits(used)} of ${groupDigits(max)} at block ${read.height}`,
      },
    ],
    since: read.at,
  }
}
