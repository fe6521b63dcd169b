import { z } from 'zod'
import type { Finding } from '../../bridge/finding.ts'
import type { UnjudgedSum, EscrowPart } from './holding.ts'
import { defineCondition, type Judgement, type Moment } from '../../rules/kind.ts'
import { nameSums } from './sums.ts'

type Facts = Moment & EscrowPart

/** One finding for all that lack the same: what is not known of them has one cause. */
export const escrowUnjudged = defineCondition({
  kind: 'escrow.unjudged',
  docs: 'Money left an escrow for transfers that do not say how much, or of which id, and nobody else says it.',
  hasTransfer: false,
  subjectNames: [],
  facts: { lacks: 'string', sum: 'string', count: 'int', token: 'string', hashes: 'string' },
  params: z.strictObject({}),
  judge: ({ escrow }: Facts): Judgement => ({
    findings: [...Map.groupBy(escrow.unjudged, ({ lacks }) => lacks)].map(([lacks, sums]) =>
      toFinding(lacks, sums),
    ),
    unknown: [],
  }),
})

function toFinding(lacks: string, sums: readonly UnjudgedSum[]): Finding {
  const sum = nameSums(sums)
  const escrows = [...new Set(sums.flatMap((one) => one.escrows))]
  const since = Math.min(...sums.map((one) => one.since))
  const [token, ...others] = sums.map((one) => one.token)
  const symbols = sums.map(({ symbol }) => symbol).join(', ')
  return {
    kind: 'escrow.unjudged',
    subject: lacks,
    title: `escrow ${escrows.join(', ')}, ${sum}, by transfers without ${lacks}`,
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
      { source: 'E3, E6, E8, E9, E13', at: since, says: `left: ${sum}; nobody says which ${lacks}` },
    ],
    since,
  }
}

/** The largest of them are named. */
const namedHashes = 10
