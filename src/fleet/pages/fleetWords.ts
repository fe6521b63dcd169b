import { html } from 'hono/html'
import { moneyLine } from '../../delivery/channels/caseWords.ts'
import { groupDigits } from '../../lib/groupDigits.ts'
import { cleanText } from '../../lib/text.ts'
import type { Site } from '../../web/pages/layout.ts'
import {
  type Html,
  renderAgo,
  renderTag,
  severityTones,
  shortenHashes,
  toSafeHref,
} from '../../web/pages/words.ts'
import type { FleetCase } from '../readFleet.ts'

export const fleetSite: Site = {
  pages: [['bridges', '/', 'Bridges']],
  finds: 'hash, transfer, case or alert',
}

/** A path of a bridge's own page; null where its address is not known, or is none. */
export function toBridgeHref(pageUrl: string | null, path: string): string | null {
  return pageUrl === null ? null : toSafeHref(`${pageUrl.replace(/\/+$/, '')}${path}`)
}

/** What leads to a bridge's own page, where that is known. */
export function renderOut(href: string | null, words: Html | string): Html {
  return href === null ? html`${words}` : html`<a href="${href}" rel="noreferrer">${words}</a>`
}

/** Where the fleet's own page of a case is. */
export function toFleetCasePath({ bridge, id }: Pick<FleetCase, 'bridge' | 'id'>): string {
  return `/bridges/${encodeURIComponent(bridge)}/cases/c${id}`
}

/** US dollars as the table shows them. @example renderUsd('1250000.5') // '1,250,000.50' */
export function formatUsd(usd: string): string {
  const [whole = '0', cents = ''] = usd.split('.')
  return `${groupDigits(whole)}.${cents.slice(0, 2).padEnd(2, '0')}`
}

export function toneOfSeverity(severity: string): string {
  return Object.entries(severityTones).find(([name]) => name === severity)?.[1] ?? 'unknown'
}

export function toneOfCase({ state, severity }: Pick<FleetCase, 'state' | 'severity'>): string {
  return state === 'open' || state === 'acknowledged' ? toneOfSeverity(severity) : 'plain'
}

/** What is at risk in one line; '' for nothing. */
export function sayMoney({ money }: Pick<FleetCase, 'money'>): string {
  return money.length === 0 ? '' : moneyLine(money.map((one) => ({ ...one, token: '' })))
}

/** Cases as cards, in the order given. */
export function renderFleetCases(cases: readonly FleetCase[], now: number): Html {
  return html`<ol class="alerts">${cases.map((one) => {
    const money = sayMoney(one)
    return html`<li class="alert edge-${toneOfCase(one)}" data-key="${one.bridge} ${one.id}">
<p class="alert-head">${renderTag(toneOfCase(one), cleanText(one.severity, 20))} <strong><a class="plain" href="${toFleetCasePath(one)}">${shortenHashes(cleanText(one.title, 300))}</a></strong></p>
${money === '' ? '' : html`<p class="money"><strong>${money}</strong> at risk</p>`}
<p class="meta"><span>${cleanText(one.bridge, 80)}</span><span>Case c${one.id}</span><span>${cleanText(one.state, 20)}${one.by === null ? '' : ` by ${cleanText(one.by, 100)}`}</span>
<span>${one.alerts} finding${one.alerts === 1 ? '' : 's'}</span><span>opened ${renderAgo(one.openedAt, now)}</span>
${one.assignee === null ? (one.state === 'open' ? html`<span class="tone-attention">nobody has it</span>` : '') : html`<span>assigned to ${cleanText(one.assignee, 100)}</span>`}
${renderPageLink(one)}</p></li>`
  })}</ol>`
}

function renderPageLink({ pageUrl, id, bridge }: FleetCase): Html | '' {
  const href = toBridgeHref(pageUrl, `/cases/c${id}`)
  return href === null
    ? ''
    : html`<span><a href="${href}" rel="noreferrer">its page<span class="hidden"> of case c${id} of ${cleanText(bridge, 80)}</span></a></span>`
}
