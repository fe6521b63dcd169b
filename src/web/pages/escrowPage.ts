import { html } from 'hono/html'
import { toDecimal } from '../../bridge/decimal.ts'
import { groupDigits } from '../../lib/groupDigits.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/duration.ts'
import { type EscrowOverview, type EscrowPeriod, escrowPeriods, type EscrowStory } from '../escrowTypes.ts'
import type { EscrowAccounts } from '../../checks/escrow/accounts/accountUnits.ts'
import { escrowDifference, renderAmount, renderDifference } from './amounts.ts'
import { renderEscrowCourse } from './escrowCourse.ts'
import { renderMovements } from './escrowMovements.ts'
import { nameEscrowToken, renderEscrowTable, toEscrowPath } from './escrowTable.ts'
import { renderTabs } from './formParts.ts'
import { renderHash, type TransactionLinks } from './hashes.ts'
import { renderLayout } from './layout.ts'
import { type Html, renderAgo, renderState, renderTime } from './words.ts'

export interface EscrowPageView {
  readonly overview: EscrowOverview
  /** Of the token that was chosen, or of the first one; null without any. */
  readonly story: EscrowStory | null
  readonly now: UnixMs
  readonly links: TransactionLinks
}

const mostTokens = 50

/** Held, owed and difference of every token; of one of them the course, each escrow, and what moved most. */
export function renderEscrowPage(view: EscrowPageView): Html {
  const { overview, story, now } = view
  return renderLayout({
    title: 'Escrows',
    active: 'escrows',
    live: false,
    main: html`<section class="card" aria-labelledby="escrows-title">
<h1 id="escrows-title">Escrows</h1>
<p class="muted">What the escrows of each token hold, what they owe, and the difference: held, with what is leaving, less owed.</p>
${renderOverview(overview, story, now)}
</section>
${story === null ? '' : renderStory(story, view)}
<footer><p>State at ${renderTime(now)}. <a href="/api/escrows">As JSON</a>${story === null ? '' : html`, <a href="/api/escrows/${story.token.address || 'native'}">${nameEscrowToken(story.token)} as JSON</a>`}</p></footer>`,
  })
}

function renderOverview({ escrows, hasNode }: EscrowOverview, story: EscrowStory | null, now: UnixMs): Html {
  const node = hasNode
    ? ''
    : html`<p class="empty">Nothing can be compared yet: balances need a node. Name one in <code>canonical.url</code> (or <code>preconf.url</code>), and the next round compares.</p>`
  if (escrows.length === 0)
    return html`<p class="empty">No escrow is known yet. Name the contracts that hold the money, with their tokens, in <code>bridge.escrows</code>; without them each of <code>bridge.contracts</code> is one for every token that it moves, from the first transfer on.</p>${node}`
  return html`${renderEscrowTable(escrows, { now, most: mostTokens, ...(story !== null && { current: story.token.address }) })}${node}`
}

function renderStory(story: EscrowStory, view: EscrowPageView): Html {
  const { token, course, movements } = story
  const name = nameEscrowToken(token)
  const keep = movements.isUnexplained ? { show: 'unexplained' } : {}
  const tabs = escrowPeriods.map((tab) => ({
    tab,
    label: `Past ${tab}`,
    href: `${toEscrowPath(token.address, { period: tab, ...keep })}#course-title`,
  }))
  return html`<div class="flow">
<section class="card" aria-labelledby="token-title"><h2 id="token-title">${name}</h2>${renderNow(story, view.now)}</section>
<section class="card" aria-labelledby="places-title"><h2 id="places-title">Each escrow</h2>${renderPlaces(story, view.now)}</section>
</div>
<section class="card" aria-labelledby="course-title">
<div class="head-row"><h2 id="course-title">Difference of ${name}, past ${course.period} (UTC)</h2>${renderTabs<EscrowPeriod>('Period', tabs, course.period)}</div>
${renderEscrowCourse(story, view.now)}</section>
<section class="card" aria-labelledby="moves-title">
<div class="head-row"><h2 id="moves-title">${movements.isUnexplained ? 'Unexplained' : 'Largest'} movements of ${name}, past ${course.period}</h2>${renderShown(story)}</div>
${renderMovements(story, view)}</section>`
}

function renderShown({ token, course, movements }: EscrowStory): Html {
  const toHref = (more: Readonly<Record<string, string>>) =>
    `${toEscrowPath(token.address, { period: course.period, ...more })}#moves-title`
  return renderTabs(
    'Movements',
    [
      { tab: 'largest', label: 'Largest', href: toHref({}) },
      { tab: 'unexplained', label: 'Unexplained', href: toHref({ show: 'unexplained' }) },
    ],
    movements.isUnexplained ? 'unexplained' : 'largest',
  )
}

function renderNow(story: EscrowStory, now: UnixMs): Html {
  const { holds, owes, inTransit } = story
  const difference = escrowDifference(story)
  const unknown = renderState('unknown', 'unknown')
  const tile = (label: string, value: Html) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`
  const isLeaving = inTransit !== null && toDecimal(inTransit)?.digits !== 0n
  return html`<dl class="record sums">
${tile('Holds', holds === null ? unknown : renderAmount(holds))}
${isLeaving ? tile('Leaving', renderAmount(inTransit)) : ''}
${tile('Owes', owes === null ? unknown : renderAmount(owes))}
${tile('Difference', difference === null ? unknown : renderDifference(difference))}
</dl>
${sayJudged(story, now)}
${renderPassing(story)}
${renderAccounts(story)}
${renderSupply(story, now)}
${renderBaseline(story)}`
}

function sayJudged({ at, isHeld }: EscrowStory, now: UnixMs): Html | '' {
  if (at !== null)
    return html`<p class="note">Judged ${renderAgo(at, now)}. What is leaving may be payouts: it is judged within minutes.</p>`
  return isHeld
    ? html`<p class="note">Never judged: the first reading has to be passed by the list of transfers, mostly within two minutes.</p>`
    : ''
}

/** The contracts stand for escrows that nobody named, or the bridge mints the token. */
function renderPassing({ isHeld, token }: EscrowStory): Html | '' {
  return isHeld
    ? ''
    : html`<p class="note">${renderState('attention', 'Nothing rests here')}: what comes in is passed on, or burned, so that nothing counts as owed. If ${nameEscrowToken(token)} lies at another address, name that in <code>bridge.escrows</code>: until then nothing watches what it holds.</p>`
}

const accountWords: Readonly<Record<keyof EscrowAccounts, string>> = {
  claims: 'Claims of holders on the zone',
  toZone: 'On its way to the zone',
  toMain: 'On its way from the zone',
  fees: 'Fees kept',
  gas: 'Gas paid',
  open: 'Being judged',
  unexplained: 'Not explained',
}

/** Double entry: what is held is the sum of the lines below it. */
function renderAccounts({ accounts, holds, isHeld }: EscrowStory): Html | '' {
  if (accounts === null || holds === null || !isHeld) return ''
  const lines = Object.entries(accountWords).flatMap(([key, label]) =>
    isAccount(key) ? [{ key, label, amount: accounts[key] ?? '0' }] : [],
  )
  const shown = lines.filter(({ key, amount }) => key === 'claims' || key === 'unexplained' || amount !== '0')
  return html`<table class="slim accounts"><caption>What is held, account by account</caption>
<tbody>${shown.map(
    ({ key, label, amount }) =>
      html`<tr><th scope="row">${label}</th><td class="number">${renderAccount(key, amount)}</td></tr>`,
  )}</tbody>
<tfoot><tr><th scope="row">Held</th><td class="number">${renderAmount(holds)}</td></tr></tfoot></table>`
}

function renderAccount(key: keyof EscrowAccounts, amount: string): Html {
  const isGap = key === 'unexplained' && amount !== '0'
  return isGap || amount.startsWith('-')
    ? renderDifference(amount, isGap && amount.startsWith('-'))
    : renderAmount(amount)
}

function renderSupply({ supply, token }: EscrowStory, now: UnixMs): Html | '' {
  if (supply === null) return ''
  const { there, claims, excess, height, at } = supply
  const name = nameEscrowToken(token)
  const said = html`${groupDigits(there)} ${name} exist on the zone chain at its block ${groupDigits(String(height))}, ${renderAgo(at, now)}; ${groupDigits(claims)} can be claimed`
  return excess === '0'
    ? html`<p class="note">${said}.</p>`
    : html`<p class="note">${renderState('critical', `${groupDigits(excess)} more than was locked`)}: ${said}.</p>`
}

function isAccount(key: string): key is keyof EscrowAccounts {
  return key in accountWords
}

function renderBaseline({ baseline, token }: EscrowStory): Html | '' {
  if (baseline === null) return ''
  const amount =
    baseline.amount === null
      ? 'an unknown amount'
      : `${groupDigits(baseline.amount)} ${nameEscrowToken(token)}`
  if (baseline.isProven)
    return html`<p class="note">Counting began ${renderTime(baseline.since)} with ${amount} held, and all that existed on the zone chain then could be claimed: the baseline is proven.</p>`
  return baseline.isAssumed
    ? html`<p class="note">${renderState('attention', 'The baseline is assumed')}: counting began ${renderTime(baseline.since)} with ${amount}, all that was held then. What lacked already at that time does not show. <code>baseline</code> of <code>bridge.escrows</code> says what was owed.</p>`
    : html`<p class="note">Counting began ${renderTime(baseline.since)} with ${amount} owed, as configured.</p>`
}

const placeHeads = ['Escrow', 'Held', 'At block', 'Read']
const mostPlaces = 20

/** The roles are written out because the narrow layout takes the table's display away, and its meaning with it. */
function renderPlaces({ places }: EscrowStory, now: UnixMs): Html {
  if (places.length === 0)
    return html`<div><p class="empty">No balance was read yet that movements account for.</p></div>`
  return html`<table class="stack slim" role="table">
<thead role="rowgroup"><tr role="row">${placeHeads.map((name, index) => html`<th scope="col" role="columnheader"${index === 1 || index === 2 ? html` class="number"` : ''}>${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${places.slice(0, mostPlaces).map(
    ({ address, holds, height, at }) => html`<tr role="row">
<th scope="row" role="rowheader">${renderHash(address)}</th>
<td role="cell" data-label="Held" class="number">${holds === null ? renderState('unknown', 'unknown') : renderAmount(holds)}</td>
<td role="cell" data-label="At block" class="number">${groupDigits(String(height))}</td>
<td role="cell" data-label="Read">${renderAgo(at, now)}</td>
</tr>`,
  )}</tbody></table>
<p class="note">${places.length > mostPlaces ? `${mostPlaces} of ${places.length}. ` : ''}The newest balance of each that listed movements account for. What is owed is known of all of them together.${sayOld(places, now)}</p>`
}

const oldMs = 900_000

function sayOld(places: EscrowStory['places'], now: UnixMs): string {
  const oldest = Math.min(...places.map(({ at }) => at))
  return now - oldest < oldMs
    ? ''
    : ` The oldest is of ${formatDuration(now - oldest)} ago: since then movements have not made up a balance.`
}
