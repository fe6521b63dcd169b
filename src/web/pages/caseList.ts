import { html } from 'hono/html'
import { moneyLine } from '../../delivery/channels/caseWords.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { cleanText } from '../../lib/text.ts'
import type { CaseQuery, CaseView } from '../caseTypes.ts'
import { type FormContext, mayAct } from '../createFormGate.ts'
import type { AlertView } from '../caseTypes.ts'
import { renderAck, renderTabs, type Tab } from './formParts.ts'
import { renderLayout } from './layout.ts'
import {
  type Html,
  renderAgo,
  renderTag,
  severityTones,
  shortenHashes,
  toAlertPath,
  toCasePath,
} from './words.ts'

export interface CaseListView {
  readonly now: UnixMs
  readonly form: FormContext
  /** Where a button leads back to. */
  readonly next: string
  /** Alerts that are known already: the first of a case's are named in it. */
  readonly alerts: readonly AlertView[]
}

const mostNamed = 3

/** Cases as cards in the order given: severity, title, what is at risk, who has it, what can be done. */
export function renderCaseList(cases: readonly CaseView[], view: CaseListView): Html {
  const byCase = Map.groupBy(view.alerts, (alert) => alert.case?.id ?? '')
  return html`<ol class="alerts">${cases.map((one) => renderCase(one, byCase.get(one.id) ?? [], view))}</ol>`
}

function renderCase(view: CaseView, alerts: readonly AlertView[], { now, form, next }: CaseListView): Html {
  return html`<li class="alert edge-${toneOf(view)}" data-key="${view.id}">
<p class="alert-head">${renderTag(toneOf(view), view.severity)} <strong><a class="plain" href="${toCasePath(view.id)}">${shortenHashes(cleanText(view.title, 300))}</a></strong></p>
${renderMoneyLine(view)}
${view.members === 1 ? '' : renderNamed(view, alerts)}
<div class="foot-row">${renderCaseMeta(view, now)}
${mayAct(form) ? renderButtons(view, form, next) : ''}</div>
${view.comesBack === null || view.state !== 'handled' ? '' : html`<p class="muted">${cleanText(view.reason ?? '', 500)}: ${view.comesBack}.</p>`}
</li>`
}

/** Cases in a line each. */
export function renderCaseLines(cases: readonly CaseView[], now: UnixMs): Html {
  return html`<ul class="lines">${cases.map(
    (view) =>
      html`<li data-key="${view.id}">${renderTag(toneOf(view), view.severity)} <a class="plain" href="${toCasePath(view.id)}">${shortenHashes(cleanText(view.title, 300))}</a> <span class="muted">${view.id}${view.money.length === 0 ? '' : `, ${moneyLine(view.money, false)} at risk`}, ${view.state}${view.state === 'handled' && view.reason !== null ? `: ${cleanText(view.reason, 300)}` : ''}, ${renderAgo(view.turnAt, now)}</span></li>`,
  )}</ul>`
}

/** A case that nobody has to look at any more is not coloured. */
export function toneOf({ state, severity }: Pick<CaseView, 'state' | 'severity'>): string {
  return state === 'handled' || state === 'closed' ? 'plain' : severityTones[severity]
}

/** What is at risk in one line; it counts each unit of money once. */
function renderMoneyLine({ money }: Pick<CaseView, 'money'>): Html | '' {
  return money.length === 0 ? '' : html`<p class="money"><strong>${moneyLine(money)}</strong> at risk</p>`
}

/** The worst of what it gathers, as far as the page knows it anyway. */
function renderNamed({ title }: CaseView, alerts: readonly AlertView[]): Html | '' {
  // The worst of it is its title.
  const others = alerts.filter(({ summary }) => summary !== title)
  if (others.length === 0) return ''
  return html`<ul class="named">${others
    .slice(0, mostNamed)
    .map(
      (alert) =>
        html`<li><a href="${toAlertPath(alert.id)}">${cleanText(alert.rule, 100)}</a> ${shortenHashes(cleanText(alert.summary, 200))}</li>`,
    )}</ul>`
}

/** Name, state, how much it gathers, age, and who has it. */
export function renderCaseMeta(view: CaseView, now: UnixMs): Html {
  const { state, members, turn, turnAt, by, byAt, assignee, closedAt } = view
  const isTaken = state === 'acknowledged' || state === 'handled'
  return html`<p class="meta"><span>Case ${view.id}</span>
<span>${isTaken ? html`<span class="tone-info">${state} by ${cleanText(by ?? 'somebody', 100)}</span>, ${renderAgo(byAt, now)}` : state}</span>
<span>${members} finding${members === 1 ? '' : 's'}</span>
<span>opened ${turn > 1 ? 'again ' : ''}${renderAgo(turnAt, now)}</span>
${state === 'closed' && closedAt !== null ? html`<span>closed ${renderAgo(closedAt, now)}</span>` : ''}
${assignee === null ? (state === 'open' ? html`<span class="tone-attention">nobody has it</span>` : '') : html`<span>assigned to ${cleanText(assignee, 100)}</span>`}</p>`
}

/** Whoever is known here acknowledges with one press; a reason is asked for on the case's own page. */
function renderButtons({ id, state, turn }: CaseView, form: FormContext, next: string): Html | '' {
  if (state === 'closed') return ''
  const path = toCasePath(id)
  const of = html`<span class="hidden"> case ${id}</span>`
  const ack = renderAck({ path, anchor: 'hand', of, turn }, form, next)
  return html`<div class="actions">${state === 'open' ? ack : ''}${
    state === 'handled'
      ? html`<a class="button small" href="${path}#hand">Reopen…${of}</a>`
      : html`<a class="button small" href="${path}#hand">Handled…${of}</a>`
  }</div>`
}

export type CaseTab = CaseQuery['state']

const tabs: readonly Tab<CaseTab>[] = [
  { tab: 'live', label: 'Open', href: '/cases' },
  { tab: 'handled', label: 'Handled', href: '/cases?state=handled' },
  { tab: 'closed', label: 'Closed', href: '/cases?state=closed' },
  { tab: 'all', label: 'All, the newest first', href: '/cases?state=all' },
]

const nothing: Readonly<Record<string, string>> = {
  live: 'No case is open. The status page says whether everything could be looked at.',
  handled: 'No case is handled and not over yet.',
  closed: 'No case that is over is kept.',
}

/** Cases to look through: those that are not over, the open ones first. */
export function renderCasesPage(
  tab: CaseTab,
  cases: readonly CaseView[],
  view: CaseListView & { readonly limit: number },
): Html {
  return renderLayout({
    title: 'Cases',
    active: 'cases',
    live: true,
    main: html`<section class="card" aria-labelledby="cases-title">
<div class="head-row"><h1 id="cases-title">Cases</h1>
${renderTabs('Which cases', tabs, tab)}</div>
<div id="cases" data-live>${cases.length === 0 ? html`<p class="empty">${nothing[tab] ?? 'No case is known.'}</p>` : renderCaseList(cases, view)}
${cases.length < view.limit ? '' : html`<p class="note">The first ${view.limit}. <a href="/api/cases?limit=500">More as JSON</a></p>`}</div>
</section>`,
  })
}
