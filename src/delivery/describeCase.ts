import { compareDecimals, type Decimal, formatDecimal, toDecimal } from '../bridge/decimal.ts'
import { createPriceFile } from '../config/priceFile.ts'
import type { UnixMs } from '../lib/clock.ts'
import { canonicalToken } from '../bridge/movedToken.ts'
import { atRisk } from '../cases/money.ts'
import type { CaseRow } from '../cases/store/caseRows.ts'
import type { AlertRow } from '../alerts/store/alertRows.ts'
import type { AlertStore } from '../alerts/store/alertStore.ts'
import { decodeFinding, sinceFirstFound } from '../alerts/findingJson.ts'
import type { Kinds } from '../rules/kinds.ts'
import type { Rule } from '../rules/types.ts'
import { cleanText } from '../lib/text.ts'
import type { MessageCase, MoneyAtRisk } from './channels/message.ts'
import { isCorrected, sayAlert } from './wording.ts'
import { wordsOf } from './kindWords.ts'

/** What is known of tokens: their symbols, and what one of them is worth. */
export interface TokenFacts {
  /** Null for one that the configuration does not list. */
  symbolOf(token: string): string | null
  /** US dollars for one unit, as a decimal; null without a price. */
  priceOf(token: string): string | null
}

export interface CaseWords {
  readonly store: Pick<
    AlertStore,
    'getAlert' | 'generation' | 'listCaseAlerts' | 'listCaseTransfers' | 'listCarriedCases' | 'findCase'
  >
  readonly kinds: Kinds
  readonly live: { readonly rules: Iterable<Rule> }
  readonly tokens: TokenFacts
  readonly pageUrl: string | null
}

/** A case in words, as of now. */
export function describeCase(words: CaseWords, row: CaseRow, now: UnixMs): MessageCase {
  const id = `c${row.id}`
  const root = `spanwatch-${words.store.generation.slice(0, 8)}-${id}`
  const transfers = words.store.listCaseTransfers(row.id, 2)
  return {
    id,
    root,
    key: `${root}-${row.turn}`,
    turn: row.turn,
    keyBefore: row.turn > 1 ? `${root}-${row.turn - 1}` : null,
    state: row.state === 'merged' ? 'closed' : row.state,
    severity: row.severity,
    title: titleOf(words, row, now),
    money: listMoney(words.tokens, row),
    members: row.members,
    openedAt: row.openedAt,
    turnAt: row.turnAt,
    closedAt: row.closedAt,
    assignee: row.assignee,
    by: row.by,
    reason: row.reason,
    mergedInto: row.state === 'merged' && row.mergedInto !== null ? `c${row.mergedInto}` : null,
    transferKey: transfers.length === 1 ? (transfers[0] ?? null) : null,
    url: words.pageUrl === null ? null : `${words.pageUrl.replace(/\/+$/, '')}/cases/${id}`,
  }
}

/** Its worst finding, in one line: the worst that still stands, where one does. */
function titleOf({ store, kinds, live }: CaseWords, row: CaseRow, now: UnixMs): string {
  const worst = store.getAlert(row.worstAlert)
  if (worst === null) return 'its findings are forgotten'
  const read = (alert: AlertRow) => {
    const kind = kinds.find(alert.kind)
    return { alert, kind, finding: sinceFirstFound(decodeFinding(alert.finding), alert) }
  }
  try {
    const first = read(worst)
    const others = isCorrected(first) ? store.listCaseAlerts(row.id, mostTitles).map(read) : []
    const named = others.find((one) => holds(one.alert) && !isCorrected(one)) ?? first
    const rule = [...live.rules].find(({ name }) => name === named.alert.rule) ?? null
    // What is over lasts no longer.
    const at = Math.min(named.alert.resolvedAt ?? now, now)
    return cleanText(sayAlert({ ...named, rule }, at), 300)
  } catch {
    return `${wordsOf(worst.kind)} of ${cleanText(worst.subject, 100)}`
  }
}

function holds({ nature, state }: AlertRow): boolean {
  return nature === 'event' || state === 'firing' || state === 'recovering'
}

/** So many of the worst are looked through for one that stands. */
const mostTitles = 20

/** What is at risk by a case, the most valuable first. */
export function listMoney(tokens: TokenFacts, { money }: Pick<CaseRow, 'money'>): MoneyAtRisk[] {
  return rankMoney(
    tokens,
    Object.entries(money).map(([token, one]) => ({ token, amount: atRisk(one) })),
  )
}

/** The most valuable first, then by amount. */
export function rankMoney(
  tokens: TokenFacts,
  sums: readonly { readonly token: string; readonly amount: Decimal }[],
): MoneyAtRisk[] {
  return sums
    .filter(({ amount }) => amount.digits > 0n)
    .map(({ token, amount }) => ({ token, amount, usd: worthOf(amount, tokens.priceOf(token)) }))
    .toSorted((a, b) => compareDecimals(b.usd ?? zero, a.usd ?? zero) || compareDecimals(b.amount, a.amount))
    .map(({ token, amount, usd }) => toMoney(tokens, token, { amount, usd }))
}

/** What one finding puts at risk, in the same words. */
export function toMoneyAtRisk(
  tokens: TokenFacts,
  { token, amount: text }: { readonly token: string; readonly amount: string },
): MoneyAtRisk {
  const amount = toDecimal(text) ?? zero
  return toMoney(tokens, token, { amount, usd: worthOf(amount, tokens.priceOf(token)) })
}

function toMoney(
  tokens: TokenFacts,
  token: string,
  { amount, usd }: { readonly amount: Decimal; readonly usd: Decimal | null },
): MoneyAtRisk {
  return {
    token,
    symbol: tokens.symbolOf(token) ?? (token === '' ? 'native currency' : token),
    amount: formatDecimal(amount),
    usd: usd === null ? null : toCents(usd),
  }
}

const zero: Decimal = { digits: 0n, scale: 0 }

function worthOf(amount: Decimal, price: string | null): Decimal | null {
  const each = price === null ? null : toDecimal(price)
  // What costs 0 has no price: nothing would seem to be at risk.
  if (each === null || each.digits === 0n) return null
  return { digits: amount.digits * each.digits, scale: amount.scale + each.scale }
}

/** Rounded down, so that no more is said to be at risk than is. */
function toCents({ digits, scale }: Decimal): string {
  const cents = scale >= 2 ? digits / 10n ** BigInt(scale - 2) : digits * 10n ** BigInt(2 - scale)
  const text = cents.toString().padStart(3, '0')
  return `${text.slice(0, -2)}.${text.slice(-2)}`
}

/**
 * What the configuration says of tokens: a price file goes before prices that are written there. `onProblem` is told what
 * of that file cannot be read, once for each change.
 */
export function toTokenFacts(
  {
    tokens,
    prices,
  }: {
    readonly tokens: readonly {
      readonly address: string
      readonly symbol: string
      readonly usd?: string | undefined
    }[]
    readonly prices?: string | undefined
  },
  onProblem?: (problem: string) => void,
): TokenFacts {
  const byAddress = new Map(tokens.map((one) => [canonicalToken(one.address), one]))
  const priceInFile = prices === undefined ? () => null : createPriceFile(prices, onProblem)
  return {
    symbolOf: (token) => byAddress.get(token)?.symbol ?? null,
    priceOf: (token) => priceInFile(token) ?? byAddress.get(token)?.usd ?? null,
  }
}
