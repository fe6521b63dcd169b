import { z } from 'zod'
import { saySources } from '../../bridge/agreement.ts'
import { addDecimals, formatDecimal, noAmount, toDecimal } from '../../bridge/decimal.ts'
import { gasOf } from './flows/gas.ts'
import type { EscrowMove, EscrowPart } from './holding.ts'
import { defineCondition, type Found, type JudgementOf, type Moment } from '../../rules/kind.ts'
import { groupDigits } from '../../lib/groupDigits.ts'
import { driftFacts, sumUp } from './sums.ts'

type Facts = Moment & EscrowPart

const share = (what: string) =>
  z
    .number({ error: `expected ${what} as a share of the escrow, such as 0.01` })
    .gt(0)
    .max(1)

const params = z.strictObject({
  /** The share of what the escrows hold above which what left without an explanation is reported as a sum. */
  sum: share('a sum').default(0.01),
  /** The share above which what a source that stands still cannot show is reported. */
  waiting: share('what waits').default(0.05),
})

/**
 * Each movement is a subject of its own, so that none is lost among others. It lasts until a transfer explains it. Before
 * each is explained, or not, what left is reported as a sum.
 */
export const escrowDrift = defineCondition({
  kind: 'escrow.drift',
  docs: "An escrow's balance moved by something other than known transfers.",
  remedy: 'Open the movements named: value that left the escrow without a transfer is theft until explained.',
  sources: ['explorer'],
  ties: ['transaction', 'escrow', 'party'],
  needs: ['bridge.escrows'],
  joins: { of: 'escrow', missing: 'amount', isMovement: true },
  beginsAtBlock: true,
  hasTransfer: false,
  subjectNames: ['escrow'],
  facts: driftFacts,
  params,
  judge: ({ escrow }: Facts, bounds: z.output<typeof params>): JudgementOf<typeof driftFacts> => ({
    findings: [
      ...sumUp(escrow.sums, bounds),
      ...toFindings(escrow.moves.filter((move) => isTold(move, bounds))),
    ],
    unknown: [],
    lossOf: ({ facts, since }) =>
      facts['sum'] !== '' && escrow.moves.some((one) => one.direction === 'out' && one.at >= since)
        ? 'what it summed is reported one by one'
        : null,
  }),
})

/** One that is still looked for is reported by itself when it alone is above the bound. */
function isTold({ open }: EscrowMove, { sum }: z.output<typeof params>): boolean {
  return open === undefined || (open.share ?? 0) > sum
}

/** How many other movements are named in one finding. */
const named = 3

function toFindings(moves: readonly EscrowMove[]): Found<typeof driftFacts>[] {
  const groups = Map.groupBy(moves, ({ escrow, token, direction }) => `${escrow}|${token}|${direction}`)
  return [...groups.values()].flatMap((group) => {
    const total = formatDecimal(
      group.map(({ amount }) => toDecimal(amount) ?? noAmount).reduce(addDecimals, noAmount),
    )
    const listed = group.filter(({ hash }) => hash !== null).slice(0, named + 1)
    return group.map((move) => toFinding(move, { count: group.length, total, listed }))
  })
}

/** All movements of a token at an escrow in one direction. */
interface MoveGroup {
  readonly count: number
  readonly total: string
  /** Enough of them that some are left to be named beside each. */
  readonly listed: readonly EscrowMove[]
}

function toFinding(move: EscrowMove, { count, total, listed }: MoveGroup): Found<typeof driftFacts> {
  const { escrow, token, symbol, hash, height, fromHeight } = move
  const where = hash === null ? `main blocks ${(fromHeight ?? 0) + 1} to ${height}` : `main ${hash}`
  const others = listed
    .filter((one) => one !== move)
    .slice(0, named)
    .map((one) => `${one.amount} in ${one.hash}`)
  return {
    subject: `${escrow}:${token || 'native'}:${hash === null ? `balance:${fromHeight}` : move.isGas ? gasOf(hash) : hash}`,
    title: `escrow ${escrow}, ${symbol}, ${where}`,
    transfer: null,
    facts: {
      direction: move.direction,
      amount: move.amount,
      moved: move.moved,
      token: symbol,
      mainTxHash: hash ?? '',
      height,
      fromHeight,
      party: move.party,
      reason: move.reason,
      count,
      total,
      others: others.join(', '),
      sum: '',
    },
    labels: { chain: 'main', escrow, ...(token !== '' && { token }), symbol },
    evidence: [
      {
        source: hash === null ? 'eth_call, E6, E8' : move.isGas ? 'E6' : 'E6, E8, E3',
        at: move.checkedAt,
        says: `${move.direction === 'out' ? 'left' : 'came in'}: ${groupDigits(move.moved)} ${symbol}; ${move.reason}${saySources(move.agreement)}`,
      },
    ],
    since: move.at,
  }
}
