import { html } from 'hono/html'
import { subtractDecimals, sumDecimals, toDecimal, formatDecimal } from '../../bridge/decimal.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import { groupDigits } from '../../lib/groupDigits.ts'
import { shortAmount, signedAmount } from '../../lib/shortAmount.ts'
import { formatAmount, formatToken, type Html } from './words.ts'

/** Beyond so many characters an amount is broken into lines. */
const longest = 30

/** An amount for a narrow place, perhaps one of fewer digits; what is cut of it stands in its title. */
export function renderAmount(amount: string, unit = '', most?: number): Html {
  const [short, whole] = [shortAmount(amount, most), groupDigits(amount)]
  const behind = unit === '' ? '' : ` ${unit}`
  const long = `${short}${behind}`.length > longest ? ' is-long' : ''
  return short === whole
    ? html`<span class="amount${long}">${whole}${behind}</span>`
    : html`<span class="amount is-cut${long}" title="${whole}${behind}">${short}${behind}</span>`
}

/** Of a transfer, with its token. */
export function renderTransferAmount(transfer: Transfer): Html {
  return transfer.amount === null
    ? html`<span class="amount">${formatAmount(transfer)}</span>`
    : renderAmount(transfer.amount, formatToken(transfer.token))
}

/** A difference with its sign, e.g. `+9,590.32`; what lacks is red, unless it is not `isLack`: money that only moved. */
export function renderDifference(amount: string, isLack = amount.startsWith('-'), most?: number): Html {
  const [short, whole] = [signedAmount(amount, most), signedAmount(amount, Infinity)]
  const classes = `amount${short === whole ? '' : ' is-cut'}${isLack ? ' tone-critical' : ''}`
  return html`<span class="${classes}" title="${whole}">${short}</span>`
}

/** What is held, with what had left it on the way, less what is owed; null while one of them is unknown. */
export function escrowDifference(of: {
  readonly holds: string | null
  readonly owes: string | null
  readonly inTransit: string | null
}): string | null {
  const [holds, owes, leaving] = [of.holds, of.owes, of.inTransit].map((one) => toDecimal(one ?? ''))
  return holds && owes && leaving
    ? formatDecimal(subtractDecimals(sumDecimals([holds, leaving]), owes))
    : null
}
