import {
  compareDecimals,
  type Decimal,
  fromBaseUnits,
  noAmount,
  subtractDecimals,
  toDecimal,
} from '../bridge/decimal.ts'
import type { LegEvidence, Transfer } from '../bridge/transfer.ts'
import { type ActionItem, isAmount, readAction, readNumber } from './zoneAction.ts'

/**
 * What the zone's own transaction took of a withdrawal beside what its record says, which may be paid to whoever collects
 * fees: token units. Null where it does not say.
 */
export function takenBeside({ amount, amountRaw, evidence, token, zone }: Transfer): Decimal | null {
  const claimed = toDecimal(amount ?? '')
  const by = evidence.find(
    (one) => one.chain === 'zone' && one.hash === zone?.hash && one.status === 'success',
  )
  if (claimed === null || by === undefined) return null
  const inBase = amountRaw === null ? null : { digits: amountRaw, scale: 0 }
  const amounts = inBase === null ? [claimed] : [inBase, claimed]
  const own = by.action == null ? undefined : findItem(by.action, amounts)
  if (own === undefined) {
    const took = readTaken(by, token.decimals)
    return took && largest([subtractDecimals(took, claimed)])
  }
  const isInBase = inBase !== null && holds(own, [inBase]) && token.decimals !== null
  const fees = [...own].flatMap(([name, values]) => (/fee/i.test(name) ? values : []))
  return largest(
    fees.flatMap((value) => {
      const fee = readNumber(value)
      if (fee === null) return []
      return isInBase && fee.scale === 0 ? fromBaseUnits(fee.digits, token.decimals ?? 0) : fee
    }),
  )
}

/** What an action does with just this amount. */
function findItem(action: string, amounts: readonly Decimal[]): ActionItem | undefined {
  return readAction(action)
    .flat()
    .find((item) => holds(item, amounts))
}

function holds(item: ActionItem, amounts: readonly Decimal[]): boolean {
  return [...item.values()].flat().some((value) => isAmount(value, amounts))
}

function readTaken({ amount, amountRaw }: LegEvidence, decimals: number | null): Decimal | null {
  if (amount != null) return toDecimal(amount)
  return amountRaw == null || amountRaw === 0n || decimals === null
    ? null
    : fromBaseUnits(amountRaw, decimals)
}

function largest(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce((most, one) => (compareDecimals(one, most) > 0 ? one : most), noAmount)
}
