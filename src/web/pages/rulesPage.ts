import { html } from 'hono/html'
import type { UnixMs } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/duration.ts'
import { cleanText } from '../../lib/text.ts'
import type { Unwatched } from '../../config/listUnwatched.ts'
import type { RuleView } from '../viewTypes.ts'
import { renderLayout } from './layout.ts'
import { type Html, renderAgo, renderState, renderTag, severityTones } from './words.ts'

/** What rules are chosen by, as typed. */
interface RuleFilter {
  readonly q: string
  readonly severity: string
  readonly state: string
}

export interface RulesPageView {
  readonly rules: readonly RuleView[]
  readonly unwatched: readonly Unwatched[]
  readonly filter?: RuleFilter
}

const noFilter: RuleFilter = { q: '', severity: '', state: '' }

/** Rules by what they watch: what each looks for, when it was judged and fired last, where it and its tests stand. */
export function renderRulesPage(view: RulesPageView, now: UnixMs): Html {
  const { rules, unwatched, filter = noFilter } = view
  const chosen = rules.filter((rule) => isChosen(rule, filter))
  return renderLayout({
    title: 'Rules',
    active: 'rules',
    live: true,
    main: html`<section class="card" aria-labelledby="rules-title">
<h1 id="rules-title">Rules</h1>
${renderFilter(filter)}
<div id="rules" data-live>${
      rules.length === 0
        ? html`<p class="empty">No rule is loaded.</p>`
        : chosen.length === 0
          ? html`<p class="empty">None of ${rules.length} rules is like this.</p>`
          : renderGroups(chosen, { now, isOpen: Object.values(filter).some((typed) => typed !== '') })
    }</div>
</section>
${unwatched.length === 0 ? '' : renderUnwatched(unwatched)}`,
  })
}

const stateNames = { found: 'found something', quiet: 'quiet', blind: 'cannot tell' } as const

/** Whether it found something of late, or nothing, or cannot say. */
function stateOf({ firing, pending, events, problem, needs, unsure }: RuleView): keyof typeof stateNames {
  if (firing + pending + events > 0) return 'found'
  return problem !== null || needs !== null || unsure !== null ? 'blind' : 'quiet'
}

function isChosen(rule: RuleView, { q, severity, state }: RuleFilter): boolean {
  const text = `${rule.name} ${rule.kind} ${rule.watches}`.toLowerCase()
  return (
    text.includes(q.toLowerCase()) &&
    (severity === '' || rule.severity === severity) &&
    (state === '' || stateOf(rule) === state)
  )
}

function renderFilter({ q, severity, state }: RuleFilter): Html {
  const option = (value: string, label: string, current: string) =>
    html`<option value="${value}"${value === current ? html` selected` : ''}>${label}</option>`
  return html`<form class="filters" method="get" action="/rules">
<div><label for="f-q">Name, kind or what it watches</label><input id="f-q" name="q" value="${q}" maxlength="100" autocomplete="off" spellcheck="false"></div>
<div><label for="f-severity">Severity</label><select id="f-severity" name="severity">${option('', 'any', severity)}${Object.keys(severityTones).map((one) => option(one, one, severity))}</select></div>
<div><label for="f-state">State</label><select id="f-state" name="state">${option('', 'any', state)}${Object.entries(stateNames).map(([one, label]) => option(one, label, state))}</select></div>
<div class="buttons"><button class="primary">Filter</button> <a href="/rules">All</a></div>
</form>`
}

const groupNames: Readonly<Record<string, string>> = {
  transfer: 'Transfers',
  batch: 'Batches',
  escrow: 'Escrows',
  supply: 'Supply on the zone',
  limit: 'Limits',
  probe: 'Probes',
  proposal: 'Proposals',
  flow: 'Flow of money',
  contract: 'Contracts',
  challenge: 'Challenges',
  operator: 'Operators',
  chain: 'Chains',
  preconf: 'Preconfirmations',
  source: 'Sources',
  ledger: 'The ledger',
  monitor: 'spanwatch itself',
}

/** What found something, or cannot tell, stands open; the rest is one press away. */
function renderGroups(
  rules: readonly RuleView[],
  { now, isOpen }: { readonly now: UnixMs; readonly isOpen: boolean },
): Html {
  const groups = Map.groupBy(rules, ({ kind }) => kind.split('.')[0] ?? '')
  const found = ([, own]: [string, RuleView[]]) => own.some((rule) => stateOf(rule) === 'found')
  const sorted = [...groups].toSorted((a, b) => Number(found(b)) - Number(found(a)))
  return html`${sorted.map(([subject, own]) => {
    const counts = Map.groupBy(own, stateOf)
    const said = Object.entries(stateNames).flatMap(([state, label]) => {
      const count = counts.get(state as keyof typeof stateNames)?.length ?? 0
      return count === 0 ? [] : [`${count} ${label}`]
    })
    return html`<details class="rules" data-key="group-${subject}"${isOpen || counts.has('found') ? html` open` : ''}><summary><h2>${groupNames[subject] ?? subject}</h2> <span class="muted">${said.join(', ')}</span></summary>
${renderTable(own, now)}</details>`
  })}`
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

const heads = ['Rule', 'Severity', 'State', 'Last judged', 'Last fired', 'Defined in']

function renderTable(rules: readonly RuleView[], now: UnixMs): Html {
  return html`<table class="stack" role="table">
<thead role="rowgroup"><tr role="row">${heads.map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${rules.map((rule) => renderRow(rule, now))}</tbody>
</table>`
}

function renderRow(rule: RuleView, now: UnixMs): Html {
  const { name, kind, severity, origin, forMs, watches, lastFiredAt, tests } = rule
  return html`<tr role="row" data-key="${name}">
<th scope="row" role="rowheader">${cleanText(name, 100)} <span class="muted">${kind}${forMs > 0 ? `, for ${formatDuration(forMs)}` : ''}</span><span class="watches">${cleanText(watches, 300)}</span></th>
<td role="cell" data-label="Severity">${renderTag(severityTones[severity], severity)}</td>
<td role="cell" data-label="State">${renderRuleState(rule)}</td>
<td role="cell" data-label="Last judged">${renderJudged(rule, now)}</td>
<td role="cell" data-label="Last fired">${renderAgo(lastFiredAt, now)}</td>
<td role="cell" data-label="Defined in"><div>${origin === null ? html`<span class="muted">built in</span>` : html`<code>${cleanText(origin, 200)}</code>`}${renderTests(tests)}</div></td>
</tr>`
}

const testsNamed = 3

function renderTests(tests: readonly string[]): Html {
  if (tests.length === 0) return html`<span class="detail">no test</span>`
  return html`<details><summary>${tests.length} test${tests.length === 1 ? '' : 's'}</summary><ul class="lines">${tests.slice(0, testsNamed).map((test) => html`<li>${cleanText(test, 200)}</li>`)}${tests.length > testsNamed ? html`<li>and ${tests.length - testsNamed} more</li>` : ''}</ul></details>`
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
