import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  noAmount,
  subtractDecimals,
  sumDecimals,
  toDecimal,
} from '../bridge/decimal.ts'
import type { Finding } from '../bridge/finding.ts'
import { canonicalToken, movedToken } from '../bridge/movedToken.ts'
import { paidOut } from '../meaning/paidOut.ts'
import type { Detector } from '../rules/kind.ts'

/** What a finding puts at risk. Several findings may name the same unit: its money counts once. */
export interface RiskUnit {
  /** Lower-case address on the main chain; '' is the native currency. */
  readonly token: string
  /** Transaction in which it left, or a name of its own: what one movement and its transfers share. */
  readonly place: string
  /** A transfer's key, `movement`, or `balance`: what lacks in all, which the others explain. */
  readonly unit: string
  /** Token units. */
  readonly amount: string
}

/** What is at risk by a finding; null when it names no money. */
export function toRisk(kind: Detector | null, finding: Finding): RiskUnit | null {
  if (kind === null || finding.isOver === true || kind.stands?.(finding) === false) return null
  const { transfer, facts, labels } = finding
  if (transfer !== null) {
    const amount = riskOfTransfer(kind, finding)
    if (amount === null || amount.digits <= 0n) return null
    const place = transfer.direction === 'ZoneToMain' ? (transfer.main?.hash ?? transfer.key) : transfer.key
    return toUnit(movedToken(transfer.token), { place, unit: transfer.key, amount })
  }
  const joins = kind.joins?.of === 'escrow' ? kind.joins : null
  const missing = joins?.missing ?? kind.risksInAll
  const amount = missing === undefined ? null : toDecimal(String(facts[missing] ?? ''))
  if (amount === null || amount.digits <= 0n || facts['direction'] === 'in') return null
  const token = canonicalToken(labels.token ?? '')
  const hash = String(facts['mainTxHash'] ?? '')
  const isOne = joins?.isMovement === true && hash !== '' && facts['sum'] === ''
  return isOne
    ? toUnit(token, { place: hash, unit: 'movement', amount })
    : toUnit(token, { place: '', unit: 'balance', amount })
}

function toUnit(
  token: string,
  { place, unit, amount }: { readonly place: string; readonly unit: string; readonly amount: Decimal },
): RiskUnit {
  return { token, place: place.toLowerCase(), unit, amount: formatDecimal(amount) }
}

function riskOfTransfer(kind: Detector, { transfer, facts }: Finding): Decimal | null {
  const recorded = toDecimal(transfer?.amount ?? '')
  const loses = kind.joins?.of === 'transfer' ? kind.joins.loses : undefined
  const { risksTransfer } = kind
  const risksAll =
    typeof risksTransfer === 'function' ? transfer !== null && risksTransfer(transfer) : risksTransfer
  if (loses === 'all') return transfer && paidOut(transfer)
  if (risksAll) return recorded
  if (loses === undefined) return null
  const text = loses(facts)
  const found = text === 'nothing moved' ? noAmount : toDecimal(text)
  if (found === null || recorded === null) return recorded
  return compareDecimals(found, recorded) >= 0
    ? subtractDecimals(found, recorded)
    : subtractDecimals(recorded, found)
}

/** One place's money: its movement, or what its transfers make together, whichever is more. */
export function sumPlace(units: readonly Pick<RiskUnit, 'unit' | 'amount'>[]): Decimal {
  const most = new Map<string, Decimal>()
  for (const { unit, amount } of units) {
    const value = toDecimal(amount) ?? noAmount
    const known = most.get(unit)
    if (!known || compareDecimals(value, known) > 0) most.set(unit, value)
  }
  const movement = most.get('movement') ?? noAmount
  most.delete('movement')
  const transfers = sumDecimals([...most.values()])
  return compareDecimals(movement, transfers) > 0 ? movement : transfers
}

/** What is at risk of one token by several findings: what places explain is part of what lacks, or left, in all. */
export function sumRisks(units: readonly Pick<RiskUnit, 'place' | 'unit' | 'amount'>[]): Decimal {
  const places = Map.groupBy(units, ({ place }) => place)
  const inAll = sumPlace(places.get('') ?? [])
  places.delete('')
  const apart = sumDecimals([...places.values()].map(sumPlace))
  return compareDecimals(apart, inAll) >= 0 ? apart : inAll
}

/** Money by token: what places make together, and the most that was said to lack in all. Token units. */
export type MoneyByToken = Readonly<Record<string, { readonly places: string; readonly lacking: string }>>

/** What a case's money of a token is when one of its places was worth `before` and is worth `after`. */
export function changePlace(
  money: MoneyByToken,
  token: string,
  of: { readonly before: Decimal; readonly after: Decimal },
): MoneyByToken {
  const { places, lacking } = money[token] ?? { places: '0', lacking: '0' }
  const sum = subtractDecimals(addDecimals(toDecimal(places) ?? noAmount, of.after), of.before)
  return { ...money, [token]: { places: formatDecimal(sum.digits < 0n ? noAmount : sum), lacking } }
}

export function setLacking(money: MoneyByToken, token: string, lacking: Decimal): MoneyByToken {
  const { places } = money[token] ?? { places: '0' }
  return { ...money, [token]: { places, lacking: formatDecimal(lacking) } }
}

/** What is at risk of a token: what places explain is part of what lacks in all. */
export function atRisk({ places, lacking }: MoneyByToken[string]): Decimal {
  const [a, b] = [toDecimal(places) ?? noAmount, toDecimal(lacking) ?? noAmount]
  return compareDecimals(a, b) >= 0 ? a : b
}

/**
 * What is at risk in all of several cases, token units. What places make together in any of them is part of what lacks in
 * all, which is of the token and not of the case: a theft and the shortfall that it leaves may be two cases.
 */
export function sumCases(cases: Iterable<MoneyByToken>): ReadonlyMap<string, Decimal> {
  const sums = new Map<string, { readonly places: Decimal; readonly lacking: Decimal }>()
  for (const money of cases)
    for (const [token, one] of Object.entries(money)) {
      const known = sums.get(token) ?? { places: noAmount, lacking: noAmount }
      const lacking = toDecimal(one.lacking) ?? noAmount
      sums.set(token, {
        places: addDecimals(known.places, toDecimal(one.places) ?? noAmount),
        lacking: compareDecimals(lacking, known.lacking) > 0 ? lacking : known.lacking,
      })
    }
  return new Map(
    [...sums].map(([token, { places, lacking }]) => [
      token,
      compareDecimals(places, lacking) >= 0 ? places : lacking,
    ]),
  )
}

/** What people had heard of cases that are one now, at most what there is: what both had counted is not heard twice. */
export function joinMoney(heard: readonly MoneyByToken[], present: MoneyByToken): MoneyByToken {
  const joined = Object.entries(present).flatMap(([token, amounts]) => {
    const told = sumDecimals(heard.flatMap((money) => (money[token] ? [atRisk(money[token])] : [])))
    const most = atRisk(amounts)
    const places = formatDecimal(compareDecimals(told, most) < 0 ? told : most)
    return told.digits > 0n ? [[token, { places, lacking: '0' }] as const] : []
  })
  return Object.fromEntries(joined)
}

/** Whether the money at risk of some token grew by a tenth, or a token joined. */
export function hasGrown(before: MoneyByToken, now: MoneyByToken): boolean {
  return Object.entries(now).some(([token, amounts]) => {
    const [old, present] = [before[token] ? atRisk(before[token]) : noAmount, atRisk(amounts)]
    return (
      present.digits > 0n &&
      compareDecimals(tenfold(subtractDecimals(present, old)), old) >= 0 &&
      compareDecimals(present, old) > 0
    )
  })
}

function tenfold({ digits, scale }: Decimal): Decimal {
  return { digits: digits * 10n, scale }
}
