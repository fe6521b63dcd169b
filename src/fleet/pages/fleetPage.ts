import { html } from 'hono/html'
import { formatDuration } from '../../lib/duration.ts'
import { cleanText } from '../../lib/text.ts'
import type { FormContext } from '../../web/createFormGate.ts'
import type { VerdictLevel } from '../../web/statusFacts.ts'
import { renderLayout } from '../../web/pages/layout.ts'
import { renderSignedIn } from '../../web/pages/loginPage.ts'
import { renderBanner } from '../../web/pages/verdictBanner.ts'
import { type Html, renderAgo, renderState, renderTime, verdictWords } from '../../web/pages/words.ts'
import { judgeBridge, judgeFleet, rankBridges } from '../judgeFleet.ts'
import { type Fleet, type FleetBridge, type FleetSource, mostCases } from '../readFleet.ts'
import { fleetSite, formatUsd, renderFleetCases, renderOut, toBridgeHref } from './fleetWords.ts'

export interface FleetView {
  readonly now: number
  readonly form: FormContext
  readonly version: string
}

/** All bridges in one look: which one needs somebody, and is each of them watched at all? */
export function renderFleetPage(fleet: Fleet, { now, form, version }: FleetView): Html {
  const { level, reasons } = judgeFleet(fleet.bridges)
  return renderLayout({
    title: verdictWords[level],
    active: 'bridges',
    live: true,
    site: fleetSite,
    main: html`<p id="said" class="hidden" role="status" data-live>Verdict: ${verdictWords[level]}</p>
<div id="verdict" data-live>${renderBanner(level, sayFleet(fleet, level), reasons)}</div>
<section class="card" aria-labelledby="bridges-title"><h2 id="bridges-title">Bridges</h2><div id="bridges" data-live>${renderBridges(fleet.bridges, now)}</div></section>
<section class="card" aria-labelledby="cases-title"><h2 id="cases-title">Cases by money at risk</h2><div id="cases" data-live>${renderCases(fleet, now)}</div></section>
<footer id="foot" data-live><p>State at ${renderTime(now)}. spanwatch ${cleanText(version)}.</p>${renderSignedIn(form)}</footer>`,
  })
}

/** What stands there when PostgreSQL does not answer. */
export function renderBlindFleet(problem: string): Html {
  return renderLayout({
    title: verdictWords.unknown,
    active: 'bridges',
    live: true,
    site: fleetSite,
    main: html`<p id="said" class="hidden" role="status" data-live>Verdict: ${verdictWords.unknown}</p>
<div id="verdict" data-live>${renderBanner('unknown', 'PostgreSQL does not answer, so nothing can be said of any bridge here. Each of them says it on its own page, and goes on being watched.', [problem])}</div>`,
  })
}

function sayFleet({ bridges, cases }: Fleet, level: VerdictLevel): string {
  const watched = bridges.filter((one) => judgeBridge(one).problem === null).length
  const all = bridges.length
  const open = cases.length < mostCases ? `${cases.length}` : `at least ${mostCases}`
  return `${watched} of ${all} bridge${all === 1 ? '' : 's'} ${watched === 1 && all === 1 ? 'is' : 'are'} watched. ${level === 'fine' ? 'No problem was found in any of them.' : `Open cases: ${open}.`}`
}

const heads = ['Bridge', 'Verdict', 'Held by', 'Coverage', 'In flight', 'Open cases', 'At risk, USD'] as const
const numbers: ReadonlySet<string> = new Set(['In flight', 'Open cases', 'At risk, USD'])

function renderBridges(bridges: readonly FleetBridge[], now: number): Html {
  if (bridges.length === 0)
    return html`<p class="empty">No bridge is here yet. One is once spanwatch run has begun with replicas in its configuration.</p>`
  return html`<table class="stack slim" role="table">
<thead role="rowgroup"><tr role="row">${heads.map((name) => html`<th scope="col" role="columnheader"${numbers.has(name) ? html` class="number"` : ''}>${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${rankBridges(bridges).map((one) => renderBridge(one, now))}</tbody>
</table>`
}

function renderBridge(one: FleetBridge, now: number): Html {
  const { level, problem } = judgeBridge(one)
  const why = problem ?? (level === 'fine' ? null : (one.reasons[0] ?? null))
  const cell = (index: number, body: Html | string) =>
    html`<td role="cell" data-label="${heads[index] ?? ''}"${numbers.has(heads[index] ?? '') ? html` class="number"` : ''}>${body}</td>`
  return html`<tr role="row" data-key="${one.bridge}">
<th scope="row" role="rowheader">${renderOut(toBridgeHref(one.pageUrl, '/'), cleanText(one.bridge, 80))}</th>
${cell(1, html`<span>${renderState(tones[level], verdictWords[level])}${why === null ? '' : html` <span class="muted">${cleanText(why, 160)}</span>`}</span>`)}
${cell(2, renderHolder(one, now))}
${cell(3, renderCoverage(one.sources))}
${cell(4, one.inFlight === null ? 'unknown' : String(one.inFlight))}
${cell(5, String(one.openCases))}
${cell(6, one.atRiskUsd === null ? (one.openCases === 0 ? '0' : 'unknown') : html`<span class="amount">${formatUsd(one.atRiskUsd)}</span>`)}
</tr>`
}

const tones: Readonly<Record<VerdictLevel, string>> = {
  fine: 'fine',
  attention: 'attention',
  critical: 'critical',
  unknown: 'unknown',
}

function renderHolder({ holder, since, isHeld }: FleetBridge, now: number): Html {
  if (holder === null) return html`<span>${renderState('critical', 'nobody')}</span>`
  const name = cleanText(holder, 80)
  return isHeld
    ? html`<span>${name} <span class="muted">since ${renderAgo(since, now)}</span></span>`
    : html`<span>${renderState('critical', 'nobody')} <span class="muted">${name} took it ${renderAgo(since, now)}</span></span>`
}

/** How many sources were read in time; the first of those that were not. */
function renderCoverage(sources: readonly FleetSource[]): Html {
  if (sources.length === 0) return html`<span class="tone-unknown">unknown</span>`
  const stale = sources.filter(({ isFresh }) => !isFresh)
  const [first] = stale
  const count = `${sources.length - stale.length} of ${sources.length}`
  return first === undefined
    ? html`<span>${count}</span>`
    : html`<span>${renderState('unknown', count)} <span class="muted">${cleanText(first.source, 60)}: ${first.silentMs === null ? 'never read' : `silent for ${formatDuration(Math.round(first.silentMs / 1_000) * 1_000)}`}</span></span>`
}

function renderCases({ cases }: Fleet, now: number): Html {
  if (cases.length === 0) return html`<p class="empty">No case is open in any bridge.</p>`
  return html`${renderFleetCases(cases, now)}${cases.length < mostCases ? '' : html`<p class="note">The first ${mostCases}.</p>`}`
}
