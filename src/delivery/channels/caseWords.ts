import { groupDigits } from '../../lib/groupDigits.ts'
import type { Message, MessageCase, MoneyAtRisk } from './message.ts'
import { fitText, headlineOf, part } from './textParts.ts'

/** How many tokens a line of money names. */
const tokensNamed = 3

/**
 * What is at risk in a case, the largest first; '' where nothing is known to be.
 * @example moneyLine(money) // '1,250,000.5 USDC (1,250,000.50 USD at the price of the configuration), 3 [FOO]'
 */
export function moneyLine(money: readonly MoneyAtRisk[]): string {
  const shown = money.slice(0, tokensNamed)
  const priced = shown.findIndex(({ usd }) => usd !== null)
  const named = shown.map(({ amount, symbol, usd }, index) => {
    // Once is enough: what holds for the first holds for all.
    const price = index === priced ? ' at the price of the configuration' : ''
    const value = usd === null ? '' : ` (${groupDigits(part(usd, 200))} USD${price})`
    return `${groupDigits(part(amount, 200))} ${part(symbol)}${value}`
  })
  const more = money.length - named.length
  return more > 0 ? `${named.join(', ')} and ${more} more tokens` : named.join(', ')
}

/**
 * What stands beneath the headline of a case: its money, its findings, its name and who has it.
 * @example leadLine(of) // 'At risk: 1,250,000.5 USDC · 3 findings · case c42 · nobody has it yet'
 */
export function leadLine(of: MessageCase): string {
  const money = moneyLine(of.money)
  const findings = `${of.members} ${of.members === 1 ? 'finding' : 'findings'}`
  return [
    ...(money === '' ? [] : [`At risk: ${money}`]),
    findings,
    `case ${part(of.id, 40)}`,
    handLine(of) ?? (of.state === 'open' ? 'nobody has it yet' : of.state),
  ].join(' · ')
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
export function caseLine(of: MessageCase, titleRoom = 300): string {
  const money = moneyLine(of.money)
  const risk = money === '' ? '' : `, ${money} at risk`
  const findings = of.members > 1 ? `, ${of.members} findings` : ''
  return `${fitText(headlineOf({ headline: of.title, severity: of.severity }), titleRoom)}${risk}${findings} (case ${part(of.id, 40)})`
}

/** Who has it in hand, or took it out, and why; null while nobody did. */
export function handLine({ assignee, by, reason, state }: MessageCase): string | null {
  const why = reason === null ? '' : `: ${part(reason, 300)}`
  if ((state === 'acknowledged' || state === 'handled') && by !== null)
    return `${state} by ${part(by, 100)}${why}`
  return assignee === null ? null : `assigned to ${part(assignee, 100)}`
}

/** What became of a case by what happened last to it as a whole; 'open' where nothing says otherwise. */
export function stageOf({ case: of, changes }: Message): 'open' | 'acknowledged' | 'over' {
  if (of === null) return 'open'
  // One that went into another lives on there.
  if (of.mergedInto !== null || changes.includes('merged') || of.state === 'handled' || of.state === 'closed')
    return 'over'
  return of.state
}
