import { type Decimal, fromBaseUnits, noAmount, sumDecimals, toDecimal } from '../../bridge/decimal.ts'
import { zoneEvidence } from '../../meaning/doubtOrigin.ts'
import type { Lack } from './flow.ts'
import { fillFromZone } from '../../ledger/fillFromZone.ts'
import { isBatch } from '../../meaning/judgeBatch.ts'
import type { LearnedMoney } from '../../meaning/learnedMoney.ts'
import { movedToken } from '../../bridge/movedToken.ts'
import { showsMoney } from '../../meaning/showsMoney.ts'
import type { TokenMove, Transfer } from '../../bridge/transfer.ts'

/** A payout that is compared with nothing: neither its record nor the zone says how much it is, or of which id. */
export interface UnjudgedPayout {
  readonly hash: string
  readonly payer: string
  readonly token: string
  /** What moved to the recipient, token units. */
  readonly amount: Decimal
  readonly lacks: Lack
}

/** Null as well until both its legs were looked at. A batch is judged by its items; of ERC-721 records name no id. */
export function findUnjudgedPayout(transfer: Transfer, learned: LearnedMoney): UnjudgedPayout | null {
  const { direction, state, isListed, main, token, targetAddress } = transfer
  if (direction !== 'ZoneToMain' || state !== 'completed' || !isListed || main === null) return null
  if (isBatch(transfer) || zoneEvidence(transfer) === null) return null
  const known = transfer.evidence.find(
    (one) =>
      one.chain === 'main' &&
      one.hash === main.hash &&
      one.status === 'success' &&
      one.moves !== null &&
      showsMoney(token, one),
  )
  const moves = known?.moves?.filter((move) => move.token === movedToken(token))
  if (!moves) return null
  const lacks = lackOf(fillFromZone(transfer, learned), moves)
  const own = moves.filter(({ to }) => to === targetAddress)
  const amount = sumDecimals(own.map((move) => unitsOf(move, token.decimals)))
  return lacks && { hash: main.hash, payer: own[0]?.from ?? '', token: movedToken(token), amount, lacks }
}

function lackOf({ amount, amountRaw, token }: Transfer, moves: readonly TokenMove[]): Lack | null {
  if (amount === null && amountRaw === null) return 'amount'
  const hasIds = /1155/.test(token.type) || moves.some(({ tokenId }) => tokenId !== '')
  return hasIds && token.id === '' && !/721/.test(token.type) ? 'token id' : null
}

function unitsOf({ amount, amountRaw }: TokenMove, decimals: number | null): Decimal {
  if (amount !== null) return toDecimal(amount) ?? noAmount
  return amountRaw === null ? noAmount : fromBaseUnits(amountRaw, decimals ?? 0)
}
