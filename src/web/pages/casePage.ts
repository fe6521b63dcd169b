import { html } from 'hono/html'
import { moneyLine, sayDollars } from '../../delivery/channels/caseWords.ts'
import { cleanText } from '../../lib/text.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { CaseStory } from '../caseTypes.ts'
import { type FormContext, mayAct } from '../createFormGate.ts'
import { renderAlertLines, renderMeta } from './alertList.ts'
import { renderCaseMeta, toneOf } from './caseList.ts'
import { renderHidden } from './formParts.ts'
import { capitalize, foldTimeline, renderEntries } from './caseTimeline.ts'
import { renderFields, renderTodo } from './findingParts.ts'
import { renderHashes } from './hashes.ts'
import { renderLayout } from './layout.ts'
import {
  type Html,
  alertTone,
  renderAgo,
  renderTag,
  renderTime,
  shortenHashes,
  toAlertPath,
  toCasePath,
} from './words.ts'

export interface CasePageView {
  readonly now: UnixMs
  readonly form: FormContext
  /** What was refused of a form, with what was typed; null when nothing was. */
  readonly refused: { readonly problem: string; readonly verb: string; readonly text: string } | null
}

/** The story of a case: what is at risk and what to do first, then what it gathers and what was done. */
export function renderCasePage(story: CaseStory, view: CasePageView): Html {
  const { now } = view
  const title = shortenHashes(cleanText(story.title, 300))
  return renderLayout({
    title: `${story.id}: ${title}`,
    active: 'cases',
    live: true,
    main: html`<div id="story" data-live>
<section class="card" aria-labelledby="case-title">
<h1 id="case-title">${title}</h1>
<p>${renderTag(toneOf(story), story.severity)}</p>
${renderMoney(story)}
${renderCaseMeta(story, now)}
${story.state === 'handled' || story.state === 'closed' ? '' : renderTodo(story)}
${renderComingBack(story, now)}
${renderHand(story, view)}
</section>
<div class="flow">
<section class="card" aria-labelledby="facts-title"><h2 id="facts-title">Facts of the worst of it</h2>${renderFields(story.fields)}</section>
<section class="card" aria-labelledby="findings-title"><h2 id="findings-title">What it gathers</h2>${renderFindings(story, now)}</section>
<section class="card" aria-labelledby="timeline-title"><h2 id="timeline-title">Timeline</h2>${renderTimeline(story)}</section>
<section class="card" aria-labelledby="told-title"><h2 id="told-title">Who was told</h2>${renderTold(story, now)}</section>
</div>
<footer><p>State at ${renderTime(now)}. <a href="/api/cases/${story.id}">As JSON</a></p></footer>
</div>`,
  })
}

function renderMoney({ money, members }: CaseStory): Html {
  if (money.length === 0) return html`<p class="muted">No money at risk is known.</p>`
  const priced = money.some(({ usd }) => usd !== null)
  return html`<dl class="tiles risk">${money
    .slice(0, 6)
    .map(
      (one) =>
        html`<div><dt>At risk</dt><dd>${moneyLine([{ ...one, usd: null }])}</dd>${one.usd === null ? '' : html`<dd class="worth">${cleanText(sayDollars(one.usd))}</dd>`}</div>`,
    )}</dl>
<p class="muted">${money.length > 6 ? `And ${money.length - 6} more ${money.length === 7 ? 'token' : 'tokens'}. ` : ''}${members > 1 ? 'Each unit counts once, whatever number of findings name it. ' : ''}${priced ? 'USD by the prices of the configuration.' : ''}</p>`
}

function renderComingBack({ state, comesBack, reason, endsAt }: CaseStory, now: UnixMs): Html | '' {
  if (comesBack === null) return ''
  const why =
    state === 'handled' && reason !== null ? html`Handled: <strong>${cleanText(reason, 500)}</strong>. ` : ''
  const end =
    state === 'handled' && endsAt !== null ? html` It is over ${renderAgo(endsAt, now)} at the earliest.` : ''
  return html`<p class="note">${why}${capitalize(comesBack)}.${end}</p>`
}

/** What can be done with it, each as a form that works without a script. */
function renderHand(story: CaseStory, { form, refused }: CasePageView): Html | '' {
  const { state } = story
  if (!mayAct(form)) return ''
  const isOver = state === 'closed'
  const typed = (verb: string) => (refused?.verb === verb ? refused.text : '')
  return html`<div id="hand" class="hand">
${refused === null ? '' : html`<p class="problem" role="alert">${cleanText(refused.problem, 400)}</p>`}
<div class="actions">${state === 'open' ? renderDo(story, form, { verb: 'ack', label: 'Acknowledge', isFirst: true }) : ''}${renderSilence(story)}</div>
${isOver || state === 'handled' ? '' : renderSay(story, form, { verb: 'handle', label: 'Handled', field: 'Reason', hint: 'why it needs nobody any more', typed: typed('handle') })}
${isOver || state === 'open' ? '' : renderFold(typed('reopen') !== '', 'Reopen…', renderSay(story, form, { verb: 'reopen', label: 'Reopen', field: 'Why', hint: 'may be left out', typed: typed('reopen'), isFree: true }))}
${renderFold(typed('assign') !== '', 'Assign…', renderSay(story, form, { verb: 'assign', label: 'Assign', field: 'To', hint: 'empty for nobody', typed: typed('assign'), isFree: true }))}
${renderFold(typed('note') !== '', 'Note…', renderSay(story, form, { verb: 'note', label: 'Add note', field: 'Note', hint: 'into the timeline', typed: typed('note') }))}
${form.by === '' ? '' : html`<p class="muted">As ${cleanText(form.by, 100)}. <a href="${toCasePath(story.id)}?as=other#hand">Somebody else</a></p>`}
</div>`
}

function renderFold(isOpen: boolean, summary: string, body: Html): Html {
  return html`<details${isOpen ? html` open` : ''}><summary>${summary}</summary>${body}</details>`
}

/** The name is asked for where nobody is known here. */
function renderName({ by }: FormContext, id: string): Html {
  return by === ''
    ? html`<label for="${id}-by">Your name</label><input id="${id}-by" name="by" required maxlength="100" autocomplete="name">`
    : html`<input type="hidden" name="by" value="${by}">`
}

function renderDo(
  { id, turn }: CaseStory,
  form: FormContext,
  { verb, label, isFirst }: { readonly verb: string; readonly label: string; readonly isFirst: boolean },
): Html {
  return html`<form class="say" method="post" action="${toCasePath(id)}/${verb}">${renderHidden(form, { next: toCasePath(id), turn: String(turn) })}${renderName(form, verb)}<button${isFirst ? html` class="primary"` : ''}>${label}</button></form>`
}

interface Say {
  readonly verb: string
  readonly label: string
  readonly field: string
  readonly hint: string
  readonly typed: string
  /** It may be left empty. */
  readonly isFree?: boolean
}

function renderSay({ id, turn }: CaseStory, form: FormContext, say: Say): Html {
  const { verb, label, field, hint, typed, isFree = false } = say
  return html`<form class="say" method="post" action="${toCasePath(id)}/${verb}">${renderHidden(form, { next: toCasePath(id), turn: String(turn) })}${renderName(form, verb)}<label for="${verb}-text">${field} <span class="muted">${hint}</span></label><input class="wide" id="${verb}-text" name="text" value="${typed}"${isFree ? '' : html` required`} maxlength="500" autocomplete="off"><button>${label}</button></form>`
}

/** Where it is about one transfer: that alone is offered first there. */
function renderSilence({ transferKey, findings, state }: CaseStory): Html | '' {
  const alert = findings.find((finding) => finding.transferKey === transferKey)
  if (transferKey === null || alert === undefined || state === 'closed') return ''
  return html`<a class="button" href="/silences/new?alert=${alert.id}">Silence this transfer…</a>`
}

/** So many findings of a case stand as cards, the others in a line each. */
const mostCards = 3
const mostLines = 7

function renderFindings({ id, findings, members }: CaseStory, now: UnixMs): Html {
  const lines = findings.slice(mostCards, mostCards + mostLines)
  const shown = Math.min(findings.length, mostCards + mostLines)
  return html`<ol class="alerts">${findings.slice(0, mostCards).map((finding) => {
    const title = cleanText(finding.title, 600)
    const headline = shortenHashes(cleanText(finding.summary, 300))
    return html`<li class="alert edge-${alertTone(finding)}" data-key="${finding.id}">
<p class="alert-head">${renderTag(alertTone(finding), finding.severity)} <strong><a class="plain" href="${toAlertPath(finding.id)}">${headline}</a></strong></p>
${finding.atRisk === null ? '' : html`<p class="money">${moneyLine([finding.atRisk])} at risk</p>`}
<p class="subject">${renderHashes(title, 600)}</p>
${renderMeta({ ...finding, case: null }, now)}</li>`
  })}</ol>
${
  lines.length === 0
    ? ''
    : renderAlertLines(
        lines.map((finding) => ({ ...finding, case: null })),
        now,
      )
}
${Math.max(members, findings.length) > shown ? html`<p class="note">The worst ${shown} of ${members}. <a href="${toCasePath(id)}/findings">Show all</a></p>` : ''}`
}

const mostEntries = 12

/** The newest first; that many findings joined is one line. */
function renderTimeline({ id, timeline }: CaseStory): Html {
  if (timeline.length === 0) return html`<p class="empty">Nothing is kept.</p>`
  const lines = foldTimeline(timeline.toReversed())
  const shown = lines.slice(0, mostEntries)
  const isWhole = shown.length === lines.length && lines.every(({ count }) => count === 1)
  return html`${renderEntries(shown)}${isWhole ? '' : html`<p class="note"><a href="${toCasePath(id)}/timeline">Show all</a></p>`}`
}

function renderTold({ told, escalations }: CaseStory, now: UnixMs): Html {
  return html`${told.length === 0 ? html`<p class="empty">Nobody yet.</p>` : html`<ul class="plain-list">${told.map(({ channel, at }) => html`<li>${cleanText(channel, 100)} <span class="muted">${at === null ? 'about to be told' : html`told last ${renderAgo(at, now)}`}</span></li>`)}</ul>`}
${escalations.map(
  ({ dueAt, channels, route }) =>
    html`<p class="note">Unless somebody takes it: ${channels.length === 0 ? cleanText(route, 100) : channels.map((name) => cleanText(name, 100)).join(', ')} ${renderAgo(dueAt, now)}</p>`,
)}`
}
