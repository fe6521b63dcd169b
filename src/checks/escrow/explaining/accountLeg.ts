import { toBaseUnits, toDecimal } from '../../../bridge/decimal.ts'
import { movedToken } from '../../../bridge/movedToken.ts'
import { isBatch, type Transfer } from '../../../bridge/transfer.ts'
import { bestOf } from '../../../meaning/judgeZoneAmount.ts'
import { type LearnedMoney, namesZoneAmounts } from '../../../meaning/learnedMoney.ts'
import type { MostKept } from '../../../meaning/mostKept.ts'
import { isDisproved } from '../flows/judgeFlow.ts'
import { toOwedAmount } from '../owed/owed.ts'
import type { Surplus } from '../owed/surplusStore.ts'
import type { AccountLeg } from '../accounts/account.ts'

/** What decides how a transfer's amounts are read. */
interface Reading {
  readonly decimals: number
  readonly learned: LearnedMoney
  readonly mostKept: MostKept
  /** Whether others were taken or credited in the same zone transaction: its one amount says nothing of each. */
  readonly isShared: boolean
  readonly surplus: Pick<Surplus, 'amount' | 'isWhole'> | null
}

/** A transfer as accounts see it. */
export function toAccountLeg(transfer: Transfer, reading: Reading): AccountLeg {
  const { decimals, mostKept, surplus } = reading
  const { key, direction, main, zone, originProof, firstSeenAt, state } = transfer
  const isDeposit = direction === 'MainToZone'
  const { less, more } = mostKept(transfer)
  const amount = toOwedAmount(transfer, decimals)
  return {
    key,
    isDeposit,
    amount,
    zoneAmount: readZoneAmount(transfer, reading),
    less: toBaseUnits(less, decimals) ?? 0n,
    more: toBaseUnits(more, decimals) ?? 0n,
    isFailed: state === 'failed',
    isBatch: isBatch(transfer),
    surplus: (surplus?.isWhole ? amount : surplus?.amount) ?? 0n,
    isDisproved: isDeposit ? originProof === 'absent' : isDisproved(transfer),
    main: main && { hash: main.hash, height: main.height, time: main.time },
    zoneAt: zone === null ? null : (zone.time ?? firstSeenAt),
  }
}

/** Base units of the token on the main chain; null where the zone does not say it of this transfer alone. */
function readZoneAmount(transfer: Transfer, { decimals, isShared, learned }: Reading): bigint | null {
  const { direction, token, zone } = transfer
  const by = bestOf(transfer, zone)
  const raw = by?.amountRaw ?? null
  if (!by || raw === null || raw === 0n || by.status !== 'success' || by.paidIn !== undefined) return null
  if (isShared || isBatch(transfer) || !namesZoneAmounts(direction, learned)) return null
  const units = by.amount === null || by.amount === undefined ? null : toDecimal(by.amount)
  if (units !== null) return toBaseUnits(units, decimals)
  return movedToken(token) === token.address || token.decimals === decimals ? raw : null
}
