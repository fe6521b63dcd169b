import {
  type Decimal,
  formatDecimal,
  fromBaseUnits,
  subtractDecimals,
  sumDecimals,
  toBaseUnits,
  toDecimal,
} from '../bridge/decimal.ts'
import { type EscrowAccounts, toAccountUnits } from '../checks/escrow/accounts/accountUnits.ts'
import { type BaselineGround, baselineGround } from '../checks/escrow/supply/baseline.ts'
import { readAccountsAtTime } from '../checks/escrow/accounts/readAccounts.ts'
import { type EscrowToken, listEscrowTokens, readOwedAt } from '../checks/escrow/owedStore.ts'
import { flowsKeptMs, sumMoved } from '../checks/escrow/flowStore.ts'
import type { UnixMs } from '../lib/clock.ts'
import { createTokenBook, type TokenSetting } from '../ledger/tokenBook.ts'
import type { Database } from '../store/database.ts'
import type { ReportToken } from './reportToken.ts'

/** All escrows of a token together, in token units. Null: not known. */
export interface EscrowDay {
  readonly token: ReportToken
  /** At the start of the day. */
  readonly opening: string | null
  /** What moved in the day, in − out. */
  readonly change: string | null
  /** At `at`. */
  readonly closing: string | null
  readonly owed: string | null
  /** The end of the day, or the newest reading where that is not over. */
  readonly at: UnixMs | null
  /** What they held at `at`, account by account; left out in what was kept before accounts were. */
  readonly accounts?: EscrowAccounts | null
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
    return {
      ...end,
      opening: isWhole ? (own[0]?.opening ?? null) : null,
      change: isWhole ? formatDecimal(sumDecimals(known)) : null,
    }
  })
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
  const days = listEscrowTokens(db).map((escrow): EscrowDay => {
    const { symbol, decimals } = book.find(escrow.token)
    const token: ReportToken = { address: escrow.token, symbol, name: '', decimals }
    const known = decimals === null ? null : readDay(db, { escrow, decimals, from, until, now })
    const ground = baselineGround(db, escrow)
    return known === null
      ? { token, ground, opening: null, change: null, closing: null, owed: null, at: null, accounts: null }
      : { token, ground, ...known }
  })
  return days.length === 0 ? null : days
}

function readDay(
  db: Database,
  of: {
    readonly escrow: EscrowToken
    readonly decimals: number
    readonly from: UnixMs
    readonly until: UnixMs
    readonly now: UnixMs
  },
): Omit<EscrowDay, 'token'> | null {
  const { escrow, decimals, from, until, now } = of
  const { start, judged, token } = escrow
  if (start === null || judged === null || judged.at < from) return null
  const at = Math.min(until, judged.at)
  const isKept = (since: UnixMs) => since >= start.time && since >= now - flowsKeptMs
  if (at < judged.at && !isKept(at)) return null
  const since = sumMoved(db, token, { from: at, until: judged.at })
  const closing = subtractDecimals(fromBaseUnits(judged.holdings, decimals), since)
  const owed = at === judged.at ? judged.owed : readOwedAt(db, escrow, at)
  const change = isKept(from) ? sumMoved(db, token, { from, until: at }) : null
  return {
    opening: change && formatDecimal(subtractDecimals(closing, change)),
    change: change && formatDecimal(change),
    closing: formatDecimal(closing),
    owed: owed === null ? null : formatDecimal(fromBaseUnits(owed, decimals)),
    at,
    accounts: readAccountsOf(db, escrow, { decimals, closing, at }),
  }
}

/** At the newest judgement as it was judged, at the end of a day before that by the times of blocks. */
function readAccountsOf(
  db: Database,
  { token, baseline, accounts, judged }: EscrowToken,
  { decimals, closing, at }: { readonly decimals: number; readonly closing: Decimal; readonly at: UnixMs },
): EscrowAccounts | null {
  const holdings = toBaseUnits(closing, decimals)
  if (accounts === null || baseline === null || holdings === null) return null
  const then =
    at === judged?.at ? accounts : readAccountsAtTime(db, { token, baseline }, { time: at, holdings })
  return toAccountUnits(then, decimals)
}
