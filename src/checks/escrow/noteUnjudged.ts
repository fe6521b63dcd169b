import { type Decimal, fromBaseUnits, noAmount, sumDecimals, toDecimal } from '../../bridge/decimal.ts'
import { movedToken } from '../../bridge/movedToken.ts'
import type { TokenMove, Transfer } from '../../bridge/transfer.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { fillFromZone } from '../../ledger/fillFromZone.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { zoneEvidence } from '../../meaning/doubtOrigin.ts'
import { isBatch } from '../../meaning/judgeBatch.ts'
import type { LearnedMoney } from '../../meaning/learnedMoney.ts'
import { showsMoney } from '../../meaning/showsMoney.ts'
import type { Lack } from './flow.ts'
import { forgetUnjudged, saveUnjudged, type UnjudgedPayout } from './unjudgedStore.ts'

/** Notes which payouts are compared with nothing, for where no escrow's movements show it: inside the transaction. */
export function noteUnjudged(
  { db, learned, tellSince }: Pick<Kernel, 'db' | 'learned' | 'tellSince'>,
  { changed, ceased }: { readonly changed: readonly Transfer[]; readonly ceased: readonly string[] },
  now: UnixMs,
): void {
  for (const key of ceased) forgetUnjudged(db, key)
  for (const transfer of changed) {
    const { key, originAt, destinationAt } = transfer
    const at = Math.max(originAt, destinationAt ?? 0)
    const payout = at < tellSince ? null : findUnjudgedPayout(transfer, learned)
    saveUnjudged(db, key, payout, { at, seenAt: now })
  }
}

/** Null as well until both its legs were looked at. A batch is judged by its items; of ERC-721 records name no id. */
function findUnjudgedPayout(transfer: Transfer, learned: LearnedMoney): UnjudgedPayout | null {
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
