import { html } from 'hono/html'
import { cleanText } from '../../lib/text.ts'
import { type FormContext, mayAct } from '../../web/createFormGate.ts'
import { renderHidden, renderSigner } from '../../web/pages/formParts.ts'
import { renderHashes } from '../../web/pages/hashes.ts'
import { renderLayout } from '../../web/pages/layout.ts'
import { type Html, renderTag } from '../../web/pages/words.ts'
import type { FleetCase } from '../readFleet.ts'
import type { FleetAlert } from '../searchFleet.ts'
import { fleetSite, renderOut, sayMoney, toBridgeHref, toFleetCasePath, toneOfCase } from './fleetWords.ts'
import { renderFleetAlerts } from './foundPage.ts'

export interface FleetCaseView {
  readonly now: number
  readonly form: FormContext
  /** What the holder had against it; null when nothing was refused. */
  readonly problem: string | null
  /** What was done just now; null when nothing was. */
  readonly done: string | null
}

/** One case of one bridge, with what can be asked of its holder from here. */
export function renderFleetCasePage(
  one: FleetCase,
  alerts: readonly FleetAlert[],
  view: FleetCaseView,
): Html {
  const { form, now, problem, done } = view
  const money = sayMoney(one)
  const isOver = one.state === 'closed'
  return renderLayout({
    title: `Case c${one.id} of ${cleanText(one.bridge, 80)}`,
    active: null,
    live: false,
    site: fleetSite,
    main: html`<section class="card" aria-labelledby="case-title">
<p class="overline">${renderTag(toneOfCase(one), cleanText(one.severity, 20))} ${cleanText(one.bridge, 80)}, case c${one.id}, ${cleanText(one.state, 20)}${one.by === null ? '' : ` by ${cleanText(one.by, 100)}`}</p>
<h1 id="case-title">${renderHashes(one.title, 300)}</h1>
${money === '' ? '' : html`<p class="money"><strong>${money}</strong> at risk</p>`}
<p>${renderOut(toBridgeHref(one.pageUrl, `/cases/c${one.id}`), 'All of it on the page of its bridge')}</p>
${problem === null ? '' : html`<p class="problem" role="alert">${cleanText(problem, 600)}</p>`}
${done === null ? '' : html`<p role="status">${cleanText(done, 200)}</p>`}
</section>
${isOver || !mayAct(form) ? '' : html`${one.state === 'open' ? renderAckForm(one, form) : ''}${renderSilenceForm(one, alerts, form)}`}
<section class="card" aria-labelledby="alerts-title"><h2 id="alerts-title">Findings</h2>${alerts.length === 0 ? html`<p class="empty">None is here.</p>` : renderFleetAlerts(alerts, now)}</section>`,
  })
}

function renderAckForm(one: FleetCase, form: FormContext): Html {
  return html`<form class="card form" method="post" action="${toFleetCasePath(one)}/ack" aria-labelledby="ack-title">
<h2 id="ack-title">Acknowledge</h2>
<p class="muted">The node that watches this bridge does it, and answers within seconds.</p>
${renderHidden(form)}${renderSigner('ack-by', form.by)}
<button class="primary">Acknowledge</button></form>`
}

const durations = [
  ['1h', '1 hour'],
  ['4h', '4 hours'],
  ['1d', '1 day'],
  ['7d', '7 days'],
] as const

function renderSilenceForm(one: FleetCase, alerts: readonly FleetAlert[], form: FormContext): Html {
  const keys = [...new Set(alerts.flatMap(({ transferKey }) => transferKey ?? []))]
  const rules = [...new Set(alerts.map(({ rule }) => rule))]
  if (alerts.length === 0) return html``
  return html`<form class="card form" method="post" action="/bridges/${encodeURIComponent(one.bridge)}/silences" aria-labelledby="silence-title">
<h2 id="silence-title">Silence</h2>
${renderHidden(form, { case: String(one.id) })}
<label for="what">What</label><select id="what" name="what">${keys.map((key) => html`<option value="t${key}">transfer t${key} alone</option>`)}${rules.map((rule) => html`<option value="rule=${rule}">every alert of the rule ${cleanText(rule, 100)}</option>`)}</select>
<label for="for">For</label><select id="for" name="for">${durations.map(([value, words]) => html`<option value="${value}">${words}</option>`)}</select>
<label for="comment">Reason</label><input id="comment" name="comment" required maxlength="500" autocomplete="off">
${renderSigner('silence-by', form.by)}
<button>Silence</button></form>`
}
