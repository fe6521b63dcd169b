import type { Message, MessageCase, MoneyAtRisk } from './message.ts'
import { headlineOf, part } from './textParts.ts'

/** How many tokens a line of money names. */
const tokensNamed = 3

/**
 * What is at risk in a case, the largest first; '' where nothing is known to be.
 * @example moneyLine(money) // '1,250,000.5 USDC (1,250,000.50 USD), 3 [FOO] and 2 more tokens'
 */
export function moneyLine(money: readonly MoneyAtRisk[]): string {
  const named = money.slice(0, tokensNamed).map(({ amount, symbol, usd }) => {
    const value = usd === null ? '' : ` (${groupDigits(usd)} USD)`
    return `${groupDigits(amount)} ${part(symbol)}${value}`
  })
  const more = money.length - named.length
  return more > 0 ? `${named.join(', ')} and ${more} more tokens` : named.join(', ')
}

/** @example groupDigits('1250000.5') // '1,250,000.5' */
function groupDigits(amount: string): string {
  const [whole = '', ...rest] = part(amount, 200).split('.')
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.')
}

/** A case in one line: severity as a word, its worst finding, what is at risk, what it is called. */
export function caseLine(of: MessageCase): string {
  const money = moneyLine(of.money)
  const risk = money === '' ? '' : `, ${money} at risk`
  return `${headlineOf({ headline: of.title, severity: of.severity })}${risk} (case ${part(of.id, 40)})`
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
