import { z } from 'zod'
import { toRaw } from '../../meaning/coverMoney.ts'
import { movedToken } from '../../bridge/movedToken.ts'
import { isOfNode, newestEvidence } from '../../meaning/proveOrigin.ts'
import type { Leg, LegEvidence, TokenMove, Transfer } from '../../bridge/transfer.ts'
import { describeTransfer, labelTransfer } from '../../bridge/describeTransfer.ts'
import { declareFacts, defineEvent, type Found } from '../../rules/kind.ts'
import { type EventContext } from '../../ledger/context.ts'

const factTypes = declareFacts({
  what: 'string',
  chain: 'string',
  explorer: 'string',
  node: 'string',
  canonical: 'string',
  asked: 'string',
})

/** One of the two sources lies or is broken; which of them cannot be known from here. */
export const sourceDisagreement = defineEvent({
  kind: 'source.disagreement',
  docs: "A chain's own node contradicts the explorer about a transaction: no such transaction, another status, or other movements.",
  remedy: 'Compare both sources with a third; if the transaction does not exist, treat the payout as theft.',
  words: {
    open: 'the second source contradicts the explorer',
    many: 'are contradicted by the second source',
    over: 'the second source and the explorer agree by now',
  },
  sources: ['explorer', 'canonical', 'zoneRpc'],
  ties: ['transfer'],
  risksTransfer: true,
  needs: ['canonical'],
  isGuard: true,
  isComparison: true,
  accuses: () => true,
  looksAt: ['evidence'],
  hasTransfer: true,
  subjectNames: ['source', 'chain'],
  facts: factTypes,
  params: z.strictObject({}),
  detect: detectDisagreement,
})

function detectDisagreement(
  transfer: Transfer,
  _params: unknown,
  context: EventContext,
): Found<typeof factTypes> | null {
  const lastAt = Math.max(transfer.originAt, transfer.destinationAt ?? transfer.originAt)
  if (lastAt < context.tellSince) return null
  return judgeLeg(transfer, transfer.main) ?? judgeLeg(transfer, transfer.zone)
}

function judgeLeg(transfer: Transfer, leg: Leg | null): Found<typeof factTypes> | null {
  const of = transfer.evidence.filter((one) => one.chain === leg?.chain && one.hash === leg.hash)
  const node = of.find(isOfNode)
  const explorer = newestEvidence(of)
  if (leg === null || !node || explorer === null) return null
  const difference = compare(transfer, explorer, node)
  if (difference === null) return null
  const { source } = node
  return {
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: {
      ...difference,
      chain: leg.chain,
      canonical: difference.node,
      asked: `${explorer.source}, ${source}`,
    },
    labels: { ...labelTransfer(transfer), source, chain: leg.chain },
    evidence: [
      { source: explorer.source, at: explorer.at, says: difference.explorer },
      { source, at: node.at, says: difference.node },
    ],
    since: Math.min(transfer.originAt, transfer.firstSeenAt),
  }
}

function compare(
  transfer: Transfer,
  explorer: LegEvidence,
  node: LegEvidence,
): { readonly what: string; readonly explorer: string; readonly node: string } | null {
  if (explorer.status !== node.status) {
    // The explorer's list of movements cannot show a transaction that moved nothing.
    const isBlind = explorer.status === 'absent' && (node.status === 'failed' || node.moves?.length === 0)
    return isBlind ? null : { what: 'status', explorer: nameOf(explorer), node: nameOf(node) }
  }
  const [a, b] = [listMoves(transfer, explorer.moves), listMoves(transfer, node.moves)]
  if (a === null || b === null || a.join() === b.join()) return null
  return { what: 'moves', explorer: tell(a), node: tell(b) }
}

/** What moved of the transfer's token, in one order; null when it is not known exactly. */
function listMoves(transfer: Transfer, moves: readonly TokenMove[] | null): string[] | null {
  // A receipt does not show native currency.
  const own = movedToken(transfer.token)
  if (moves === null || own === '') return null
  const lines: string[] = []
  for (const move of moves) {
    if (move.token !== own) continue
    const raw = toRaw(move, transfer.token.decimals)
    if (raw === null) return null
    // An ERC-20 has no ids, and a movement of nothing is shown by some and not by others.
    if (raw > 0n) lines.push(`${raw} from ${move.from} to ${move.to}`)
  }
  return lines.sort((x, y) => (x < y ? -1 : x > y ? 1 : 0))
}

function tell(lines: readonly string[]): string {
  const more = lines.length > 3 ? ` and ${lines.length - 3} more` : ''
  return lines.length === 0 ? 'nothing moved' : `${lines.slice(0, 3).join('; ')}${more}`
}

function nameOf({ status }: LegEvidence): string {
  const names = { success: 'succeeded', failed: 'failed', absent: 'does not exist', unknown: 'unknown' }
  return names[status]
}
