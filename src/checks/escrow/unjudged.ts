import { z } from 'zod'
import type { UnjudgedSum, EscrowPart } from './holding.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf, type Moment } from '../../rules/kind.ts'
import { nameSums } from './sums.ts'

type Facts = Moment & EscrowPart

const factTypes = declareFacts({
  lacks: 'string',
  sum: 'string',
  count: 'int',
  token: 'string',
  hashes: 'string',
})

/** One finding for all that lack the same: what is not known of them has one cause. */
export const escrowUnjudged = defineCondition({
  kind: 'escrow.unjudged',
  docs: 'Money left an escrow for transfers that do not say how much, or of which id, and nobody else says it; or it left before the oldest record that the list shows.',
  remedy:
    'Compare these payouts with their zone transactions by hand, and ask whoever runs the explorer why no record says what they are.',
  sources: ['explorer'],
  ties: ['escrow'],
  hasTransfer: false,
  subjectNames: [],
  facts: factTypes,
  params: z.strictObject({}),
  judge: ({ escrow }: Facts): JudgementOf<typeof factTypes> => ({
    findings: [...Map.groupBy(escrow.unjudged, ({ lacks }) => lacks)].map(([lacks, sums]) =>
      toFinding(lacks, sums),
    ),
    unknown: [],
  }),
})

function toFinding(lacks: string, sums: readonly UnjudgedSum[]): Found<typeof factTypes> {
  const sum = nameSums(sums)
  const escrows = [...new Set(sums.flatMap((one) => one.escrows))]
  const since = Math.min(...sums.map((one) => one.since))
  const [token, ...others] = sums.map((one) => one.token)
  const symbols = sums.map(({ symbol }) => symbol).join(', ')
  return {
    subject: lacks,
    title: `escrow ${escrows.join(', ')}, ${sum}, ${lacks === 'record' ? 'before the oldest record of the list' : `by transfers without ${lacks}`}`,
    transfer: null,
    facts: {
      lacks,
      sum,
      count: sums.reduce((total, { count }) => total + count, 0),
      token: symbols,
      hashes: sums
        .flatMap(({ hashes }) => hashes)
        .slice(0, namedHashes)
        .join(', '),
    },
    labels: {
      chain: 'main',
      escrow: escrows[0] ?? '',
      ...(token && others.length === 0 && { token }),
      symbol: symbols,
    },
    evidence: [
      {
        source: 'E3, E6, E8, E9, E13',
        at: since,
        says: `left: ${sum}; ${lacks === 'record' ? 'the list begins later' : `nobody says which ${lacks}`}`,
      },
    ],
    since,
  }
}

/** The largest of them are named. */
const namedHashes = 10
