import { html } from 'hono/html'
import type { UnixMs } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/duration.ts'
import { cleanText } from '../../lib/text.ts'
import type { Unwatched } from '../../config/listUnwatched.ts'
import type { RuleView } from '../viewTypes.ts'
import { renderLayout } from './layout.ts'
import { type Html, renderAgo, renderState, renderTag, severityTones } from './words.ts'

/** Every rule with its state: what it looks for, when it was judged, what it found, where it is written. */
export function renderRulesPage(
  { rules, unwatched }: { readonly rules: readonly RuleView[]; readonly unwatched: readonly Unwatched[] },
  now: UnixMs,
): Html {
  return renderLayout({
    title: 'Rules',
    active: 'rules',
    live: true,
    main: html`<section class="card" aria-labelledby="rules-title">
<h1 id="rules-title">Rules</h1>
<div id="rules" data-live>${rules.length === 0 ? html`<p class="empty">No rule is loaded.</p>` : renderTable(rules, now)}</div>
</section>
${unwatched.length === 0 ? '' : renderUnwatched(unwatched)}`,
  })
}

/** The same that `spanwatch check` says. */
function renderUnwatched(unwatched: readonly Unwatched[]): Html {
  return html`<section class="card" aria-labelledby="unwatched-title">
<h2 id="unwatched-title">Not watched, by this configuration</h2>
<dl class="record">${unwatched.map(
    ({ setting, what, write }) =>
      html`<div><dt>${setting}</dt><dd>${what}<br><code>${write}</code></dd></div>`,
  )}</dl>
</section>`
}

const heads = ['Rule', 'Severity', 'State', 'Last judged', 'Defined in']

function renderTable(rules: readonly RuleView[], now: UnixMs): Html {
  return html`<table class="stack" role="table">
<thead role="rowgroup"><tr role="row">${heads.map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${rules.map((rule) => renderRow(rule, now))}</tbody>
</table>`
}

function renderRow(rule: RuleView, now: UnixMs): Html {
  const { name, kind, severity, origin, forMs } = rule
  return html`<tr role="row" data-key="${name}">
<th scope="row" role="rowheader">${cleanText(name, 100)} <span class="muted">${kind}${forMs > 0 ? `, for ${formatDuration(forMs)}` : ''}</span></th>
<td role="cell" data-label="Severity">${renderTag(severityTones[severity], severity)}</td>
<td role="cell" data-label="State">${renderRuleState(rule)}</td>
<td role="cell" data-label="Last judged">${renderJudged(rule, now)}</td>
<td role="cell" data-label="Defined in">${origin === null ? html`<span class="muted">built in</span>` : html`<code>${cleanText(origin, 200)}</code>`}</td>
</tr>`
}

function renderJudged({ nature, isRaised, evaluatedAt }: RuleView, now: UnixMs): Html {
  if (isRaised) return html`<span class="muted">when it happens</span>`
  return nature === 'event' && evaluatedAt === null
    ? html`<span class="muted">with each change</span>`
    : renderAgo(evaluatedAt, now)
}

function renderRuleState(rule: RuleView): Html {
  const { problem, unsure, needs } = rule
  const known = renderKnown(rule)
  // What was found stands; that nothing more was found says nothing.
  if (needs !== null)
    return html`<span>${known ?? ''} ${renderState('unknown', 'not watched')}<span class="detail">it needs <code>${needs}</code></span></span>`
  if (problem !== null)
    return html`<span>${known ?? ''} ${renderState('unknown', 'cannot tell')}<span class="detail">${cleanText(problem, 300)}</span></span>`
  const quiet = known ?? renderQuiet(rule)
  return unsure === null ? quiet : renderUnsure(known, unsure)
}

function renderKnown({ nature, severity, firing, pending, events }: RuleView): Html | null {
  if (nature === 'event' && events > 0)
    return renderState(severityTones[severity], `${events} in the past day`)
  if (firing === 0) return pending > 0 ? renderState('attention', `${pending} pending`) : null
  return renderState(severityTones[severity], `${firing} firing${pending > 0 ? `, ${pending} pending` : ''}`)
}

function renderQuiet({ nature, evaluatedAt, isRaised }: RuleView): Html {
  if (nature === 'event') return html`<span class="muted">none in the past day</span>`
  return evaluatedAt === null && !isRaised
    ? renderState('unknown', 'not judged yet')
    : renderState('fine', 'quiet')
}

function renderUnsure(known: Html | null, { count, subjects, why }: NonNullable<RuleView['unsure']>): Html {
  const named = subjects.map((subject) => cleanText(subject, 100)).join(', ')
  const rest = count > subjects.length ? ` and ${count - subjects.length} more` : ''
  const words = `${known === null ? 'quiet, ' : ''}cannot tell of ${count}`
  return html`<span>${known ?? ''} ${renderState('unknown', words)}<span class="detail">${named}${rest}: ${why}</span></span>`
}
