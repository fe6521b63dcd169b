import { z } from 'zod'
import { legTime, type Transfer } from '../../bridge/transfer.ts'
import { describeTransfer, labelTransfer } from '../../bridge/describeTransfer.ts'
import { declareFacts, defineEvent, type Found } from '../../rules/kind.ts'
import { type EventContext } from '../../ledger/context.ts'
import { type Difference, isAwaited, listDifferences } from '../../meaning/compareAnswers.ts'

const factTypes = declareFacts({
  what: ['status', 'moves'],
  chain: ['main', 'zone'],
  explorer: 'string',
  node: 'string',
  canonical: 'string',
  asked: 'string',
  unanswered: ['', 'explorer', 'node'],
})

/**
 * One of the two sources lies or is broken; which of them cannot be known from here. Answers of two times may differ
 * because the chain does: the older one is asked for again first.
 */
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
  material: ({ facts: { chain, explorer, node } }) => ({ chain, explorer, node }),
  accuses: () => true,
  looksAt: ['evidence'],
  hasTransfer: true,
  subjectNames: ['source', 'chain'],
  configured: { source: 'source' },
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
  const difference = listDifferences(transfer).find((one) => !isAwaited(one, context.now))
  return difference === undefined ? null : describe(transfer, difference)
}

function describe(transfer: Transfer, difference: Difference): Found<typeof factTypes> {
  const { leg, explorer, node, outdated, what, says } = difference
  const { source } = node
  const saidBy = (who: 'explorer' | 'node') =>
    who === outdated ? `${says[who]}; asked again, it has not answered` : says[who]
  return {
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: {
      what,
      ...says,
      chain: leg.chain,
      canonical: says.node,
      asked: `${explorer.source}, ${source}`,
      ...(outdated && { unanswered: outdated }),
    },
    labels: { ...labelTransfer(transfer), source, chain: leg.chain },
    evidence: [
      { source: explorer.source, at: explorer.at, says: saidBy('explorer') },
      { source, at: node.at, says: saidBy('node') },
    ],
    since: legTime(transfer, leg.chain),
  }
}
