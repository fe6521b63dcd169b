import {
  addDecimals,
  type Decimal,
  formatDecimal,
  fromBaseUnits,
  noAmount,
  subtractDecimals,
  sumDecimals,
  toBaseUnits,
  toDecimal,
} from '../bridge/decimal.ts'
import { type EscrowAccounts, toAccountUnits } from '../checks/escrow/accounts/accountUnits.ts'
import { paidForGas } from '../checks/escrow/accounts/account.ts'
import { sumAccountsUntil } from '../checks/escrow/accounts/accountStore.ts'
import { type BaselineGround, baselineGround } from '../checks/escrow/supply/baseline.ts'
import { readAccountsAtTime } from '../checks/escrow/accounts/readAccounts.ts'
import { type EscrowToken, listEscrowTokens } from '../checks/escrow/owed/owedStore.ts'
import { readOwedAt } from '../checks/escrow/owed/owedLegs.ts'
import { flowsKeptMs } from '../checks/escrow/flows/flowStore.ts'
import { movementsSince } from '../checks/escrow/owed/movementsSince.ts'
import { sumGas } from '../checks/escrow/flows/gasStore.ts'
import { sumMoved } from '../checks/escrow/flows/flowSums.ts'
import type { UnixMs } from '../lib/clock.ts'
import { createTokenBook, type TokenSetting } from '../ledger/lessons/tokenBook.ts'
import type { Database } from '../store/database.ts'
import type { ReportToken } from './reportToken.ts'

/** All escrows of a token together, in token units. Null: not known. */
export interface EscrowDay {
  readonly token: ReportToken
  /** At the start of the day. */
  readonly opening: string | null
  /** What moved in the day, in − out. */
  readonly change: string | null
  /** What the escrows paid in it for transactions of their own; left out where that is nothing. */
  readonly gas?: string
  /** At `at`. */
  readonly closing: string | null
  readonly owed: string | null
  /** The end of the day, or the newest reading where that is not over. */
  readonly at: UnixMs | null
  /** What they held at `at`, account by account; left out in what was kept before accounts were. */
  readonly accounts?: EscrowAccounts | null
  /** In − out of what nothing explains, where movements of its time are forgotten: as the reports of its days said; null where not all of them are known. */
  readonly unexplained?: string | null
  /** How it is known what was owed when counting began; left out in what was kept before. */
  readonly ground?: BaselineGround
}

/**
 * The same of a window whose movements are forgotten in part, from the reports of its days. Null where a day is not
 * among them, or did not know.
 */
export function joinEscrowDays(days: readonly (readonly EscrowDay[])[]): EscrowDay[] {
  const last = days.at(-1) ?? []
  return last.map((end) => {
    const own = days.map((day) => day.find(({ token }) => token.address === end.token.address))
    const changes = own.map((day) => toDecimal(day?.change ?? ''))
    const known = changes.filter((change) => change !== null)
    const isWhole = known.length === days.length
    const { gas: _, ...rest } = end
    return {
      ...rest,
      ...toGas(sumDecimals(own.map((day) => toDecimal(day?.gas ?? '') ?? noAmount))),
      opening: isWhole ? (own[0]?.opening ?? null) : null,
      change: isWhole ? formatDecimal(sumDecimals(known)) : null,
    }
  })
}

/**
 * The same of what nothing explains: what came in is forgotten with the movements. Null where a day is not among the reports, or
 * did not know.
 */
export function joinUnexplained(
  books: readonly (readonly Pick<EscrowDay, 'token' | 'unexplained'>[])[],
  { address }: Pick<ReportToken, 'address'>,
): string | null {
  const own = books.map((lines) => lines.find(({ token }) => token.address === address)?.unexplained ?? null)
  const known = own.flatMap((amount) => (amount === null ? [] : (toDecimal(amount) ?? [])))
  return known.length === books.length && known.length > 0 ? formatDecimal(sumDecimals(known)) : null
}

/**
 * What the escrows held and owed at the end of a day: the newest balance that all movements account for, less what
 * moved since. Movements are kept for a week: of a day before that only what a report said of it is known.
 */
export function readEscrowDays(
  db: Database,
  settings: readonly TokenSetting[],
  { from, until }: { readonly from: UnixMs; readonly until: UnixMs },
  now: UnixMs,
): EscrowDay[] | null {
  const book = createTokenBook(db, settings)
  // Of what is held nowhere there is nothing to read.
  const escrows = listEscrowTokens(db).filter(({ isHeld, start }) => isHeld || start !== null)
  const days = escrows.map((escrow): EscrowDay => {
    const { symbol, decimals } = book.find(escrow.token)
    const token: ReportToken = { address: escrow.token, symbol, name: '', decimals }
    const known = decimals === null ? null : readDay({ db, escrow, decimals, from, until, now })
    const ground = baselineGround(db, escrow)
    // What nobody looked at is not explained.
    const unexplained = from < movementsSince(db, escrow.token) ? ({ unexplained: null } as const) : {}
    return known === null
      ? { ...unknown, token, ground, ...unexplained }
      : { token, ground, ...known, ...unexplained }
  })
  return days.length === 0 ? null : days
}

const unknown = { opening: null, change: null, closing: null, owed: null, at: null, accounts: null } as const

/** A node may be so far behind. */
const mostBehindMs = 86_400_000

interface Of {
  readonly db: Database
  readonly escrow: EscrowToken
  readonly decimals: number
  readonly from: UnixMs
  readonly until: UnixMs
  readonly now: UnixMs
}

function readDay(of: Of): Omit<EscrowDay, 'token'> | null {
  const { db, escrow, decimals, from, until } = of
  const { start, judged, token } = escrow
  if (start === null || judged === null || judged.at < from) return null
  const isOver = judged.at >= until
  const at = isOver ? until : judged.at
  if (isOver && at < judged.at && !isKept(at, of)) return null
  const { height } = judged
  const held = fromBaseUnits(judged.holdings, decimals)
  // A balance is of a block, and may have been read long after that was made.
  const since = sumMoved(db, token, { from: until, upTo: height })
  const closing = isOver
    ? addDecimals(
        subtractDecimals(held, since),
        sumMoved(db, token, { from: Math.min(from, judged.at - mostBehindMs), until, above: height }),
      )
    : held
  // Of a day that is over what moved up to another moment is no change of it.
  const isKnown = (isOver || of.now < until) && isKept(from, of)
  const change = isKnown ? sumMoved(db, token, { from, ...(isOver ? { until } : { upTo: height }) }) : null
  // What happens as the day ends is of the next one.
  const owed = isOver && escrow.isHeld ? readOwedUntil(db, escrow, until) : judged.owed
  return {
    opening: change && formatDecimal(subtractDecimals(closing, change)),
    change: change && formatDecimal(change),
    ...(change && toGas(sumGas(db, token, { from, ...(isOver ? { until } : { upTo: height }) }))),
    closing: formatDecimal(closing),
    owed: owed === null ? null : formatDecimal(fromBaseUnits(owed, decimals)),
    at,
    accounts: readAccountsOf(db, escrow, { decimals, closing, until: isOver ? until : null }),
  }
}

function toGas(paid: Decimal): Pick<EscrowDay, 'gas'> {
  return paid.digits === 0n ? {} : { gas: formatDecimal(paid) }
}

/** Before a time. What was paid for gas is owed to nobody. */
function readOwedUntil(db: Database, escrow: EscrowToken, until: UnixMs): bigint | null {
  const owed = readOwedAt(db, escrow, until - 1)
  const gas = paidForGas(sumAccountsUntil(db, escrow.token, until - 1))
  return owed === null ? null : owed > gas ? owed - gas : 0n
}

/** Whether movements since a time are all there. */
function isKept(
  since: UnixMs,
  { db, escrow: { start, token }, now }: Pick<Of, 'db' | 'escrow' | 'now'>,
): boolean {
  return start !== null && since >= movementsSince(db, token) && since >= now - flowsKeptMs
}

/** At the end of a day by the times of blocks; where that is not over, as it was judged last. */
function readAccountsOf(
  db: Database,
  { token, baseline, accounts }: EscrowToken,
  {
    decimals,
    closing,
    until,
  }: { readonly decimals: number; readonly closing: Decimal; readonly until: UnixMs | null },
): EscrowAccounts | null {
  const holdings = toBaseUnits(closing, decimals)
  if (accounts === null || baseline === null || holdings === null) return null
  const then =
    until === null ? accounts : readAccountsAtTime(db, { token, baseline }, { time: until - 1, holdings })
  return toAccountUnits(then, decimals)
}
