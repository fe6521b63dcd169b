import { z } from 'zod'
import type { UnixMs } from '../../../lib/clock.ts'
import { boundText } from '../../../rules/durationText.ts'
import {
  declareFacts,
  defineCondition,
  type Found,
  type JudgementOf,
  type Moment,
} from '../../../rules/kind.ts'
import type { EscrowPart, SupplyFact } from '../holding.ts'

type Facts = Moment & EscrowPart

const factTypes = declareFacts({ token: 'string', zoneToken: 'string', why: 'string' })

/** A token whose supply was to be compared, and is not. */
export const supplyUnknown = defineCondition({
  kind: 'supply.unknown',
  docs: 'The supply of a token on the zone chain cannot be compared with what was locked.',
  remedy: 'See why: a wrong `zoneAddress`, a node of the zone that does not answer, or lists that lag.',
  sources: ['zoneRpc'],
  needs: ['bridge.tokens[].zoneAddress'],
  ties: ['escrow'],
  hasTransfer: false,
  subjectNames: [],
  facts: factTypes,
  params: z.strictObject({ after: boundText.default(15 * 60_000) }),
  judge: ({ now, supplies }: Facts, { after }): JudgementOf<typeof factTypes> => {
    const isLate = (supply: SupplyFact) => now - lastAt(supply) > after
    // A start of this process is no comparison: what was so before it is not over.
    const isOpen = (supply: SupplyFact) =>
      !isLate(supply) && (supply.judged?.readAt ?? 0) < supply.watchedSince
    return {
      findings: supplies.filter(isLate).map(toFinding),
      unknown: supplies.filter(isOpen).map(({ token }) => token),
    }
  },
})

/** While nothing ran nobody could compare. */
function lastAt({ judged, watchedSince }: SupplyFact): UnixMs {
  return Math.max(judged?.readAt ?? 0, watchedSince)
}

function toFinding(supply: SupplyFact): Found<typeof factTypes> {
  const { token, symbol, zoneToken, why } = supply
  const since = lastAt(supply)
  return {
    subject: token,
    title: `${symbol} on the zone chain`,
    transfer: null,
    facts: { token: symbol, zoneToken, why },
    labels: { chain: 'zone', token, symbol },
    evidence: [{ source: 'eth_call on the zone', at: since, says: why }],
    since,
  }
}
