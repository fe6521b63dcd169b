import { html } from 'hono/html'
import { breakWords } from '../../breaks/break.ts'
import type { ShownEntry, ShownShare } from '../../breaks/showEntry.ts'
import { cleanText } from '../../lib/text.ts'
import { templateFilters } from '../../rules/templates/templateFilters.ts'
import { type FormContext, mayAct } from '../createFormGate.ts'
import { type Html, renderHash, renderTag, renderTime, toTransferPath } from './words.ts'

/** What people did about breaks, the newest first, each with a way to take it back. */
export function renderEntries(entries: readonly ShownEntry[], form: FormContext): Html {
  if (entries.length === 0) return html`<p class="empty">Nobody has settled anything by hand.</p>`
  const last = entries.at(-1)?.id.slice(1) ?? ''
  return html`<ol class="alerts">${entries.map((entry) => renderEntry(entry, form))}</ol>
${last === '1' ? '' : html`<p><a href="/breaks?before=${last}#entries-title">Older</a></p>`}`
}

function renderEntry(entry: ShownEntry, form: FormContext): Html {
  const { id, at, what, who, from, reason, difference, undoes, undoneBy, shares } = entry
  return html`<li class="alert edge-info" id="${id}">
<p>${renderTag('info', what)} <strong>${id}</strong> by ${cleanText(who, 100)}: ${cleanText(reason, 500)}</p>
${undoes === null ? '' : html`<p>takes back <a href="#${undoes}">${undoes}</a></p>`}
${undoneBy === null ? '' : html`<p><strong>taken back by <a href="#${undoneBy}">${undoneBy}</a></strong></p>`}
<ul class="matchers">${shares.map(renderShare)}</ul>
${what === 'matched' && difference !== '0' ? html`<p>${sayDifference(difference)}</p>` : ''}
<p class="meta"><span>${renderTime(at)}</span><span>${cleanText(from, 300)}</span></p>
${undoes === null && undoneBy === null && mayAct(form) ? renderUndo(id, form) : ''}
</li>`
}

function sayDifference(difference: string | null): string {
  if (difference === null) return 'The amounts cannot be compared.'
  const isLess = difference.startsWith('-')
  const amount = templateFilters.amount(difference.replace('-', ''))
  return `The payout is ${amount} ${isLess ? 'less' : 'more'} than the origin.`
}

const standing: Readonly<Record<ShownShare['now'], string>> = {
  holds: '',
  over: '; over by itself since',
  changed: '; it is another kind by now, and on the list again',
  'taken back': '',
}

function renderShare({ name, part, kind, token, inBaseUnits, amount, now }: ShownShare): Html {
  const symbol = cleanText(token.symbol ?? (token.address || 'native currency'), 80)
  const sum = amount === null ? 'an unknown amount of' : templateFilters.amount(amount)
  const isTransfer = /^t\d+$/.test(name)
  return html`<li>${part === 'all' ? '' : `${part} `}${isTransfer ? html`<a href="${toTransferPath(name)}">${name}</a>` : renderHash(name.split(':').slice(2).join(':'))}: ${sum} ${inBaseUnits ? 'base units of ' : ''}${symbol}, ${breakWords[kind]}${standing[now]}</li>`
}

function renderUndo(id: string, form: FormContext): Html {
  return html`<details><summary>Take back<span class="hidden"> ${id}</span></summary>
<form class="form" method="post" action="/breaks/undo"><input type="hidden" name="proof" value="${form.proof}"><input type="hidden" name="entry" value="${id}">
<div class="fields"><div><label for="undo-reason-${id}">Reason</label><input id="undo-reason-${id}" name="reason" required maxlength="500" autocomplete="off"></div>
<div><label for="undo-by-${id}">Your name</label><input id="undo-by-${id}" name="by" value="${form.by}" required maxlength="100" autocomplete="name"></div></div>
<p class="buttons"><button class="small">Take back<span class="hidden"> ${id}</span></button></p></form></details>`
}
