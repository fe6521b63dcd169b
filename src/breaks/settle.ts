import {
  compareDecimals,
  type Decimal,
  formatDecimal,
  noAmount,
  subtractDecimals,
  sumDecimals,
} from '../bridge/decimal.ts'
import { type Break, breakWords, type Share } from './break.ts'

/** A break beside what people settled of it: `left` and `settled` together are its amount. */
export interface Settlement {
  readonly isOpen: boolean
  /** Null when the amount is not known. */
  readonly left: Decimal | null
  readonly settled: Decimal
  /** The entries that hold of it. */
  readonly entries: readonly number[]
  /** Why it is on the list although an entry is about it; null where none is. */
  readonly remark: string | null
}

/**
 * What is left of a break. An entry holds for what was known when it was made: of another kind, or in another token, the
 * break is a new one, and money that came since is not settled. A pure function: what entries are taken back leaves no trace.
 */
export function settle(one: Break, shares: readonly Share[]): Settlement {
  // Most have none, and they may be thousands.
  if (shares.length === 0)
    return { isOpen: true, left: one.amount, settled: noAmount, entries: [], remark: null }
  const isHeld = (share: Share) =>
    share.kind === one.kind && share.token === one.token && share.inBaseUnits === one.inBaseUnits
  const held = shares.filter(isHeld)
  const lapsed = shares.filter((share) => !isHeld(share))
  const most = sumDecimals(held.map(({ amount }) => amount ?? noAmount))
  const { amount } = one
  const settled = amount === null ? noAmount : compareDecimals(most, amount) > 0 ? amount : most
  const left = amount && subtractDecimals(amount, settled)
  const isOpen =
    left === null ? !held.some((share) => share.amount === null) : left.digits > 0n || held.length === 0
  return {
    isOpen,
    left,
    settled,
    entries: held.map(({ entryId }) => entryId),
    remark: isOpen ? sayWhy(one, held, lapsed) : null,
  }
}

function sayWhy(one: Break, held: readonly Share[], lapsed: readonly Share[]): string | null {
  const [old] = lapsed.slice(-1)
  const [newest] = held.slice(-1)
  if (newest === undefined) return old === undefined ? null : sayLapsed(one, old)
  const { amount } = one
  if (amount === null) return `back: how much it is was known in e${newest.entryId}, and is not now`
  if (newest.whole === null) return `back: how much it is was not known in e${newest.entryId}`
  if (compareDecimals(amount, newest.whole) > 0)
    return `back: e${newest.entryId} was made of ${formatDecimal(newest.whole)}, by now it is ${formatDecimal(amount)}`
  return `what is left beside ${held.map(({ entryId }) => `e${entryId}`).join(', ')}`
}

function sayLapsed(one: Break, { entryId, kind }: Share): string {
  return kind === one.kind
    ? `back: e${entryId} was made of another token`
    : `back: e${entryId} was made of another kind: ${breakWords[kind]}`
}
