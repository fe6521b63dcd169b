import { saySources } from '../../bridge/agreement.ts'
import { declareFacts, type Found } from '../../rules/kind.ts'
import { templateFilters } from '../../rules/templates/templateFilters.ts'
import type { EscrowSum } from './holding.ts'

/** Of one movement, and of a sum of them. */
export const driftFacts = declareFacts({
  direction: ['out', 'in'],
  amount: 'string',
  moved: 'string',
  token: 'string',
  mainTxHash: 'string',
  height: 'int',
  fromHeight: 'int|null',
  party: 'string',
  reason: 'string',
  count: 'int',
  total: 'string',
  others: 'string',
  sum: 'string',
})

/** The shares of what the escrows hold above which sums are reported. */
export interface SumBounds {
  readonly sum: number
  readonly waiting: number
}

/**
 * What left the escrows and is not explained yet, one finding for all that had its time, and one for each source that
 * others wait for: reported once it passes the bound of one token, with the sums of all. A single one that had its time is
 * reported as what it is.
 */
export function sumUp(sums: readonly EscrowSum[], bounds: SumBounds): Found<typeof driftFacts>[] {
  const groups = Map.groupBy(sums, ({ waitsFor }) => waitsFor?.source ?? '')
  return [...groups].flatMap(([source, group]) => {
    const bound = source === '' ? bounds.sum : bounds.waiting
    const ordered = group.toSorted((a, b) => (b.share ?? 0) - (a.share ?? 0))
    const [first] = ordered
    const isSingle = source === '' && ordered.length === 1 && first?.count === 1
    return first && !isSingle && (first.share ?? 0) > bound ? [toFinding(first, ordered)] : []
  })
}

function toFinding(first: EscrowSum, sums: readonly EscrowSum[]): Found<typeof driftFacts> {
  const { waitsFor, token, symbol } = first
  const count = countOf(sums)
  const sum = nameSums(sums)
  const escrows = [...new Set(sums.flatMap((one) => one.escrows))].join(', ')
  const reason = waitsFor === null ? 'no transfer is known' : describeWait(waitsFor)
  const hashes = sums.flatMap((one) => one.hashes).slice(0, namedHashes)
  const more = hashes.length > 0 ? count - hashes.length : 0
  const others = [...hashes.slice(1), ...(more > 0 ? [`and ${more} more`] : [])]
  return {
    subject: waitsFor === null ? 'not explained yet' : `waiting for the ${waitsFor.source}`,
    title: `escrow ${escrows}, ${sum}, not explained yet`,
    transfer: null,
    facts: {
      direction: 'out',
      amount: first.amount,
      moved: first.amount,
      token: symbol,
      mainTxHash: hashes[0] ?? '',
      height: 0,
      fromHeight: null,
      party: '',
      reason,
      count,
      total: first.amount,
      others: others.join(', '),
      sum,
    },
    labels: { chain: 'main', escrow: first.escrows[0] ?? '', ...(token !== '' && { token }), symbol },
    evidence: [
      {
        source: hashes.length === 0 ? 'eth_call' : 'E6, E8',
        at: first.since,
        says: `left: ${sum}; ${reason}${saySources(first.agreement)}`,
      },
    ],
    since: Math.min(...sums.map(({ since }) => since)),
  }
}

/** @example nameSums(sums) // '301 movements, 31,337 WETH and 150 USDC' */
export function nameSums(sums: readonly Pick<EscrowSum, 'amount' | 'symbol' | 'count'>[]): string {
  const count = countOf(sums)
  const amounts = joinWords(sums.map((one) => `${templateFilters.amount(one.amount)} ${one.symbol}`))
  return `${count} ${count === 1 ? 'movement' : 'movements'}, ${amounts}`
}

function countOf(sums: readonly Pick<EscrowSum, 'count'>[]): number {
  return sums.reduce((total, { count }) => total + count, 0)
}

/** The largest of them are named. */
const namedHashes = 10

function describeWait({ source, shownUntil }: NonNullable<EscrowSum['waitsFor']>): string {
  const name = source === 'list' ? 'the list' : `the ${source} chain`
  return shownUntil === null
    ? `${name} was not read yet`
    : `${name} has shown nothing since ${templateFilters.time(shownUntil)}`
}

function joinWords(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`
}
