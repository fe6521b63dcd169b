import {
  compareDecimals,
  type Decimal,
  fromBaseUnits,
  isEqual,
  noAmount,
  subtractDecimals,
  toDecimal,
} from '../bridge/decimal.ts'
import type { LegEvidence, Transfer } from '../bridge/transfer.ts'
import type { MostKept } from './mostKept.ts'
import { type ActionItem, isAmount, readAction, readNumber } from './zoneAction.ts'

/** What may move beside a transfer, token units: of a payout no more than the zone took, where it says how much. */
export function mostBeside(leg: Transfer, mostKept: MostKept): Decimal {
  const { more } = mostKept(leg)
  const taken = leg.direction === 'ZoneToMain' && more.digits > 0n ? listTakenBeside(leg) : null
  if (taken === null) return more
  const allowed = taken.filter((one) => compareDecimals(one, more) <= 0)
  return allowed.reduce((most, one) => (compareDecimals(one, most) > 0 ? one : most), noAmount)
}

/**
 * What the zone's own transaction may have taken of a withdrawal beside what its record says, and which may be paid to
 * whoever collects fees, token units: what it names beyond that amount, or as a fee. Null where it does not say how much it took.
 */
function listTakenBeside({ amount, amountRaw, evidence, token, zone }: Transfer): Decimal[] | null {
  const claimed = toDecimal(amount ?? '')
  const by = evidence.find(
    (one) => one.chain === 'zone' && one.hash === zone?.hash && one.status === 'success',
  )
  if (claimed === null || by === undefined) return null
  const inBase = amountRaw === null ? null : { digits: amountRaw, scale: 0 }
  const own = findItem(by, inBase === null ? [claimed] : [inBase, claimed])
  const took = readTaken(by, token.decimals)
  if (own === undefined && took === null) return null
  const isInBase = inBase !== null && token.decimals !== null && holds(own, [inBase])
  const toUnits = (number: Decimal) =>
    isInBase && number.scale === 0 ? fromBaseUnits(number.digits, token.decimals ?? 0) : number
  const named = [...(own ?? [])].flatMap(([name, values]) =>
    values.flatMap((value) => {
      const number = readNumber(value)
      if (number === null) return []
      const units = toUnits(number)
      return /fee/i.test(name) ? [units] : [subtractDecimals(units, claimed)]
    }),
  )
  return took === null || isEqual(took, claimed) ? named : [...named, subtractDecimals(took, claimed)]
}

/** What an action does with just this amount. */
function findItem({ action }: LegEvidence, amounts: readonly Decimal[]): ActionItem | undefined {
  return action == null
    ? undefined
    : readAction(action)
        .flat()
        .find((item) => holds(item, amounts))
}

function holds(item: ActionItem | undefined, amounts: readonly Decimal[]): boolean {
  return [...(item?.values() ?? [])].flat().some((value) => isAmount(value, amounts))
}

function readTaken({ amount, amountRaw }: LegEvidence, decimals: number | null): Decimal | null {
  if (amount != null) return toDecimal(amount)
  return amountRaw == null || amountRaw === 0n || decimals === null
    ? null
    : fromBaseUnits(amountRaw, decimals)
}
