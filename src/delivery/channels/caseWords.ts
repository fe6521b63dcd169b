import { type Decimal, formatDecimal, noAmount, sumDecimals, toDecimal } from '../../bridge/decimal.ts'
import { groupDigits } from '../../lib/groupDigits.ts'
import type { Message, MessageCase, MoneyAtRisk } from './message.ts'
import { fitText, headlineOf, part } from './textParts.ts'

/** How many tokens a line of money names. */
const tokensNamed = 3

/**
 * What is at risk in a case, the largest first, and what all of it is worth; '' where nothing is known to be.
 * @example moneyLine(money) // '1,250,000.5 USDC, 3 [FOO] (of that 1,250,000.50 USD at the price of the configuration)'
 */
export function moneyLine(money: readonly MoneyAtRisk[], saysPrice = true): string {
  const named = money.slice(0, tokensNamed).map(({ amount, symbol }) => `${saySum(amount)} ${part(symbol)}`)
  const more = money.length - named.length
  const rest = more > 0 ? ` and ${more} more ${more === 1 ? 'token' : 'tokens'}` : ''
  return `${named.join(', ')}${rest}${sayWorth(money, saysPrice)}`
}

function sayWorth(money: readonly MoneyAtRisk[], saysPrice: boolean): string {
  const priced = money.flatMap(({ usd }) => (usd === null ? [] : [toDecimal(usd) ?? noAmount]))
  if (priced.length === 0) return ''
  const worth = sayDollars(formatCents(sumDecimals(priced)))
  const isAll = priced.length === money.length
  const price = saysPrice ? ` at the ${priced.length === 1 ? 'price' : 'prices'} of the configuration` : ''
  return ` (${isAll ? '' : 'of that '}${worth}${price})`
}

/**
 * A sum of US dollars with cents, which are rounded down: of what is worth less than one it is not said that it is worth nothing.
 * @example sayDollars('1250000.50') // '1,250,000.50 USD'
 */
export function sayDollars(usd: string): string {
  return /[1-9]/.test(usd) ? `${groupDigits(usd)} USD` : 'less than 0.01 USD'
}

function formatCents(sum: Decimal): string {
  const [whole = '0', cents = ''] = formatDecimal(sum).split('.')
  return `${whole}.${cents.slice(0, 2).padEnd(2, '0')}`
}

/**
 * A sum as people read it: thousands separated, cut after six decimals, or after three digits of one that is smaller.
 * What is exact stands in the case's page and in what programs get.
 * @example saySum('65.204673004196542394') // '65.204673'
 */
export function saySum(amount: string): string {
  const text = part(amount, 200)
  const [, whole = '', decimals = ''] = /^(-?\d+)\.(\d+)$/.exec(text) ?? []
  const zeros = /^0*/.exec(decimals)?.[0].length ?? 0
  const places = /^-?0+$/.test(whole) ? Math.max(zeros + 3, 6) : 6
  if (decimals.length <= places) return groupDigits(text)
  return groupDigits(`${whole}.${decimals.slice(0, places)}`.replace(/\.?0+$/, ''))
}

/**
 * What stands beneath the headline of a case: its money, its findings, its name and who has it.
 * @example leadLine(of) // 'At risk: 1,250,000.5 USDC · 3 findings · case c42 · nobody has it yet'
 */
export function leadLine(of: MessageCase): string {
  const money = moneyLine(of.money)
  return [
    ...(money === '' ? [] : [`At risk: ${money}`]),
    ...(of.members > 1 ? [`${of.members} findings`] : []),
    `case ${part(of.id, 40)}`,
    stateWords(of),
  ].join(' · ')
}

function stateWords(of: MessageCase): string {
  // It is over here alone: what it is about goes on there.
  if (of.mergedInto !== null) return `went into case ${part(of.mergedInto, 40)}`
  return handLine(of) ?? (of.state === 'open' ? 'nobody has it yet' : of.state)
}

/** What a message says of its case beneath the headline: another headline than the case's own names that one too. */
export function leadLines(message: Message): string[] {
  const { case: of } = message
  if (of === null) return []
  const title = part(of.title, 300)
  const isTitled =
    title === '' ||
    headlineOf(message).includes(title) ||
    message.items.some(({ summary }) => part(summary, 300) === title)
  return [leadLine(of), ...(isTitled ? [] : [`The case: ${title}`])]
}

/** A case in one line: severity as a word, its worst finding, what is at risk, how much it gathers, what it is called. */
export function caseLine(
  of: MessageCase,
  { titleRoom = 300, saysPrice = true }: { readonly titleRoom?: number; readonly saysPrice?: boolean } = {},
): string {
  const money = moneyLine(of.money, saysPrice)
  // A title often names the one amount.
  const told = of.money.length === 1 ? moneyLine(of.money.map((one) => ({ ...one, usd: null }))) : ''
  const left = told !== '' && of.title.includes(told) ? money.slice(told.length + 1) : money
  const risk = left === '' ? '' : `, ${left.replace(/^\((.*)\)$/, '$1')} at risk`
  const findings = of.members > 1 ? `, ${of.members} findings` : ''
  return `${fitText(headlineOf({ headline: of.title, severity: of.severity }), titleRoom)}${risk}${findings} (case ${part(of.id, 40)})`
}

/** Who has it in hand, or took it out, and why; null while nobody did. */
export function handLine({ assignee, by, reason, state }: MessageCase): string | null {
  const why = reason === null ? '' : `: ${part(reason, 300)}`
  const isTaken = (state === 'acknowledged' || state === 'handled') && by !== null
  const isOfAnother = assignee !== null && state !== 'handled' && !(isTaken && assignee === by)
  const parts = [
    ...(isOfAnother ? [`assigned to ${part(assignee, 100)}`] : []),
    ...(isTaken ? [`${state} by ${part(by, 100)}${why}`] : []),
  ]
  return parts.length === 0 ? null : parts.join(', ')
}

/** What became of a case by what happened last to it as a whole; 'open' where nothing says otherwise. */
export function stageOf({ case: of, changes }: Message): 'open' | 'acknowledged' | 'over' {
  if (of === null) return 'open'
  // One that went into another lives on there.
  if (of.mergedInto !== null || changes.includes('merged') || of.state === 'handled' || of.state === 'closed')
    return 'over'
  return of.state
}
