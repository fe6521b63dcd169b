import { z } from 'zod'
import type { Finding } from '../../../bridge/finding.ts'
import { saySources } from '../../../bridge/agreement.ts'
import { formatDecimal, fromBaseUnits } from '../../../bridge/decimal.ts'
import type { SharedFacts } from '../../../kernel/facts.ts'
import { groupDigits } from '../../../lib/groupDigits.ts'
import { boundText } from '../../../rules/durationText.ts'
import { lossOfUnwatched } from '../../../rules/lossOfUnwatched.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf } from '../../../rules/kind.ts'
import type { EscrowPart, SupplyFact } from '../holding.ts'
import { type JudgedSupply, neededExcesses } from './judgeSupply.ts'

type Facts = SharedFacts & EscrowPart

const params = z.strictObject({ stale: boundText.default(15 * 60_000) })

const factTypes = declareFacts({
  excess: 'string',
  before: 'string',
  supply: 'string',
  claims: 'string',
  backing: 'string',
  token: 'string',
  zoneToken: 'string',
  height: 'int',
})

/** What exists of a token on the zone chain against what was locked for it, at the same moment. */
export const supplyExcess = defineCondition({
  kind: 'supply.excess',
  docs: 'More of a token exists on the zone chain than was locked for it.',
  remedy:
    'Pause the bridge for this token, and find what was created on the zone without a deposit, or, of before counting began, taken from the escrow.',
  sources: ['zoneRpc'],
  ties: ['escrow'],
  risksInAll: 'excess',
  needs: ['zoneRpc', 'bridge.tokens[].zoneAddress', 'canonical or preconf'],
  cannotTell: 'supply and claims cannot be compared: there is no newer reading of both',
  sinceMoves: true,
  hasTransfer: false,
  subjectNames: [],
  facts: factTypes,
  params,
  judge({ now, supplies }: Facts, { stale }): JudgementOf<typeof factTypes> {
    const findings: Found<typeof factTypes>[] = []
    const unknown: string[] = []
    for (const supply of supplies) {
      const { judged, excesses, token } = supply
      if (judged === null || now - judged.readAt > stale) unknown.push(token)
      else if (judged.excess > 0n && excesses >= neededExcesses) findings.push(toFinding(supply, judged))
      else if (judged.excess > 0n) unknown.push(token)
    }
    const isWatched = ({ subject }: Finding) => supplies.some(({ token }) => token === subject)
    return { findings, unknown, lossOf: lossOfUnwatched(isWatched) }
  },
})

function toFinding(
  { agreement, before, token, symbol, zoneToken }: SupplyFact,
  judged: JudgedSupply,
): Found<typeof factTypes> {
  const units = (raw: bigint) => formatDecimal(fromBaseUnits(raw, judged.decimals))
  const { height, readAt } = judged
  const [excess, supply, claims, backing] = [judged.excess, judged.supply, judged.claims, judged.backing].map(
    units,
  )
  const first = before < judged.excess ? before : judged.excess
  const sum = { excess: excess ?? '', before: first > 0n ? (units(first) ?? '') : '' }
  const facts = { ...sum, supply: supply ?? '', claims: claims ?? '', backing: backing ?? '' }
  return {
    subject: token,
    title: `${symbol} on the zone chain`,
    transfer: null,
    facts: { ...facts, token: symbol, zoneToken, height },
    labels: { chain: 'zone', token, symbol },
    evidence: [
      {
        source: 'eth_call on the zone',
        at: readAt,
        says: `${groupDigits(facts.supply)} ${symbol} exist at zone block ${height}, ${groupDigits(facts.claims)} can be claimed, ${groupDigits(facts.backing)} are held for them${saySources(agreement)}`,
      },
    ],
    since: judged.blockTime,
  }
}
