import { html } from 'hono/html'
import { shortAmount } from '../../lib/shortAmount.ts'
import { cleanText } from '../../lib/text.ts'
import type { Severity } from '../../rules/types.ts'
import { countOf, listChannelProblems, sayBlindSpots } from '../judgeVerdict.ts'
import type { StatusSnapshot, VerdictLevel } from '../statusFacts.ts'
import { type Html, verdictWords } from './words.ts'

const maxReasons = 3
const tokensNamed = 2

const icons: Readonly<Record<VerdictLevel, string>> = {
  fine: 'M7 12.5l3.4 3.4L17 9',
  attention: 'M12 6.5v7M12 17v.6',
  critical: 'M8 8l8 8M16 8l-8 8',
  unknown: 'M9 9.3c.3-1.7 1.5-2.6 3-2.6 1.7 0 3 1.1 3 2.7 0 2.2-3 2.3-3 4.3M12 17v.6',
}

/** One word, how much of it there is and what is at risk; then only what stands in no card below. */
export function renderVerdict(status: StatusSnapshot): Html {
  const { level } = status.verdict
  return renderBanner(level, sayVerdict(status), listReasons(status))
}

export function renderBanner(level: VerdictLevel, text: Html | string, reasons: readonly string[]): Html {
  const more = reasons.length - maxReasons
  return html`<section class="verdict is-${level}" aria-labelledby="verdict-title">
<svg class="verdict-icon" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="11"/><path d="${icons[level]}"/></svg>
<div><div class="verdict-line"><h1 id="verdict-title">${verdictWords[level]}</h1><p>${text}</p></div>
${
  reasons.length === 0
    ? ''
    : html`<ul>${reasons.slice(0, maxReasons).map((reason) => html`<li>${cleanText(reason, 300)}</li>`)}${more > 0 ? html`<li>and ${more} more</li>` : ''}</ul>`
}</div>
</section>`
}

function sayVerdict(status: StatusSnapshot): Html | string {
  const { verdict, inFlight } = status
  const flying = inFlight.flatMap(({ buckets }) => buckets).reduce((sum, { count }) => sum + count, 0)
  const warnings = renderCount(status, 'warning')
  switch (verdict.level) {
    case 'fine':
      return `Every source was read in time, and no critical or warning alert is firing. In flight: ${inFlight.length === 0 ? 'not known yet' : flying}.`
    case 'attention':
      return warnings ?? 'Everything could be looked at.'
    case 'critical':
      return renderCount(status, 'critical') ?? ''
    case 'unknown':
      return html`Not everything could be looked at, so this is no all-clear.${warnings === null ? '' : html` Known: ${warnings}.`}`
  }
}

/** Leads to the cards, which it does not repeat. */
function renderCount(status: StatusSnapshot, severity: Severity): Html | null {
  const count = countOf(status, severity)
  if (count === '') return null
  const money = status.moneyAtRisk[severity] ?? []
  const named = money
    .slice(0, tokensNamed)
    .map(({ amount, symbol }) => `${roundDown(amount)} ${cleanText(symbol, 40)}`)
  const more = money.length - named.length
  const rest = more === 0 ? '' : ` and ${more} more token${more === 1 ? '' : 's'}`
  const risk = money.length === 0 ? '' : `, ${named.join(', ')}${rest} at risk`
  return html`<a href="#cases-title">${count}${risk}</a>`
}

/** In one look; exact it stands on the cards. */
function roundDown(amount: string): string {
  return /^\d{4,}\./.test(amount) ? shortAmount(amount.replace(/\..*/, '')) : shortAmount(amount)
}

function listReasons(status: StatusSnapshot): readonly string[] {
  const { level } = status.verdict
  if (level === 'fine') return []
  const blind = sayBlindSpots(status)
  const told =
    level === 'critical' && blind.length > 0
      ? [`Not everything could be looked at: ${blind.join('; ')}`]
      : blind
  return [...told, ...listChannelProblems(status)]
}
