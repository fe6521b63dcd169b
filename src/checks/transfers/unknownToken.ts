import { z } from 'zod'
import { canonicalToken, movedToken } from '../../bridge/movedToken.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import { deriveDecimals } from '../../bridge/amount.ts'
import { describeTransfer } from '../../bridge/describeTransfer.ts'
import { declareFacts, defineEvent, type Found } from '../../rules/kind.ts'
import { type EventContext } from '../../ledger/context.ts'

const factTypes = declareFacts({
  token: 'string',
  name: 'string',
  type: 'string',
  problem: 'string',
  decimals: 'int|null',
  expectedDecimals: 'int|null',
  seenIn: 'string',
})

/** Told once a token, not once a transfer: without `bridge.tokens` there is nothing that a token could be missing from. */
export const transferUnknownToken = defineEvent({
  kind: 'transfer.unknown_token',
  docs: 'A token that the configuration does not list crosses the bridge, or its decimals are not what they should be; once a token, and only with `bridge.tokens`.',
  remedy: "Verify the token's address; list it under bridge.tokens or have it blocked.",
  sources: ['explorer'],
  ties: [],
  needs: ['bridge.tokens'],
  isOncePerSubject: true,
  looksAt: ['evidence', 'tokens'],
  hasTransfer: false,
  subjectNames: [],
  facts: factTypes,
  params: z.strictObject({}),
  detect: detectUnknownToken,
})

function detectUnknownToken(
  transfer: Transfer,
  _params: unknown,
  context: EventContext,
): Found<typeof factTypes> | null {
  const { token } = transfer
  const { tokens } = context.bridge
  // Of the native currency nobody makes another one.
  if (tokens.length === 0 || canonicalToken(token.address) === '') return null
  if (Math.max(transfer.originAt, transfer.destinationAt ?? 0) < context.tellSince) return null
  const own = tokens.find(({ address }) => address.toLowerCase() === token.address)
  // What the zone divides it into is no matter of the main chain.
  const listed = own ?? tokens.find(({ zoneAddress }) => zoneAddress?.toLowerCase() === token.address)
  if (!listed)
    return toFinding(transfer, { problem: 'it is not listed', decimals: token.decimals, expected: null })
  const given = [...(own ? [transfer.recordDecimals] : []), ...decimalsOfMoves(transfer)]
  const other = given.find((decimals) => decimals !== null && decimals !== listed.decimals)
  if (other === undefined || other === null) return null
  return toFinding(transfer, {
    problem:
      other === transfer.recordDecimals
        ? 'its records have other decimals'
        : 'its main chain moves have other decimals',
    decimals: other,
    expected: listed.decimals,
  })
}

/** Decimals that the main chain shows, where a move gives its amount both ways. */
function decimalsOfMoves({ evidence, token }: Transfer): (number | null)[] {
  return evidence
    .flatMap(({ moves }) => moves ?? [])
    .filter((move) => move.token === movedToken(token) && move.amount !== null && move.amountRaw !== null)
    .map((move) => deriveDecimals(move.amount ?? '', move.amountRaw ?? 0n))
}

function toFinding(
  transfer: Transfer,
  found: { problem: string; decimals: number | null; expected: number | null },
): Found<typeof factTypes> {
  const { token } = transfer
  return {
    subject: `${token.address}|${found.problem}`,
    title: `token ${token.address}, first seen in ${describeTransfer(transfer)}`,
    transfer: null,
    facts: {
      token: token.address,
      name: token.name,
      type: token.type,
      problem: found.problem,
      decimals: found.decimals,
      expectedDecimals: found.expected,
      seenIn: transfer.key,
    },
    labels: { token: token.address, ...(token.symbol !== null && { symbol: token.symbol }) },
    evidence: [{ source: 'E3', at: transfer.readAt, says: `${token.address}: ${found.problem}` }],
    since: transfer.firstSeenAt,
  }
}
