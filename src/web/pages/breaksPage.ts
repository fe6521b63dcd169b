import { html } from 'hono/html'
import { breakWords, partOf } from '../../breaks/break.ts'
import type { ShownBreak } from '../../breaks/describeBreak.ts'
import type { BreakSum } from '../../breaks/listBreaks.ts'
import type { ShownEntry, ShownShare } from '../../breaks/showEntry.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { cleanText } from '../../lib/text.ts'
import { templateFilters } from '../../rules/templates/templateFilters.ts'
import { type FormContext, mayAct } from '../createFormGate.ts'
import type { BreakPage, TypedBreakQuery } from '../readBreakQuery.ts'
import { renderHidden, renderReason, renderSigner } from './formParts.ts'
import { renderAmount } from './amounts.ts'
import { renderHash, renderHashes, renderTransactionHash, type TransactionLinks } from './hashes.ts'
import { renderLayout } from './layout.ts'
import {
  directionPaths,
  directionWords,
  formatToken,
  type Html,
  renderAgo,
  renderTag,
  renderTime,
  toTransferPath,
} from './words.ts'

export interface BreaksView {
  readonly typed: TypedBreakQuery
  /** Null when the filter was not understood. */
  readonly page: BreakPage | null
  readonly problem: string | null
  readonly entries: readonly ShownEntry[]
  /** What a matching is to be made of, as far as it was chosen. */
  readonly chosen: { readonly payout: string; readonly origin: string }
  readonly now: UnixMs
  readonly form: FormContext
  readonly links: TransactionLinks
}

/** The work list: what does not reconcile, what is done about it by hand, and what was done. */
export function renderBreaksPage(view: BreaksView): Html {
  const { typed, page, problem, entries, form } = view
  return renderLayout({
    title: 'Breaks',
    active: 'breaks',
    live: false,
    main: html`<section class="card" aria-labelledby="breaks-title">
<h1 id="breaks-title">Breaks</h1>
<p class="muted">What does not reconcile, as the chains show it now. Each is over by itself once it completes or is explained, or by hand, below.</p>
${renderFilters(typed)}
${problem === null ? '' : html`<p class="problem" role="alert">${problem}</p>`}
${page === null ? '' : html`${renderSums(page, view.now)}${renderList(page, view)}`}
</section>
${mayAct(form) ? renderMatchForm(view) : ''}
<section class="card" aria-labelledby="entries-title"><h2 id="entries-title">Entries</h2>${renderEntries(entries, form)}</section>
<footer><p><a href="/api/breaks">As JSON</a>, <a href="/audit">audit log</a></p></footer>`,
  })
}

const ages = ['1h', '6h', '1d', '7d', '30d']

function renderFilters(typed: TypedBreakQuery): Html {
  const option = (value: string, label: string, current: string) =>
    html`<option value="${value}"${value === current ? html` selected` : ''}>${label}</option>`
  const others = typed.age === '' || ages.includes(typed.age) ? [] : [typed.age]
  return html`<form class="filters" method="get" action="/breaks">
<div><label for="f-token">Token, symbol or address</label><input id="f-token" name="token" value="${typed.token}" maxlength="100" autocomplete="off" spellcheck="false"></div>
<div><label for="f-min">At least</label><input id="f-min" name="min" value="${typed.min}" maxlength="100" inputmode="decimal" autocomplete="off"></div>
<div><label for="f-age">Older than</label><select id="f-age" name="age">${option('', 'any age', typed.age)}${[...ages, ...others].map((age) => option(age, age, typed.age))}</select></div>
<div><label for="f-state">State</label><select id="f-state" name="state">${option('open', 'open', typed.state)}${option('settled', 'settled by hand', typed.state)}${option('all', 'all', typed.state)}</select></div>
<div><label for="f-sort">First</label><select id="f-sort" name="sort">${option('age', 'the oldest', typed.sort)}${option('amount', 'the largest', typed.sort)}</select></div>
<div class="buttons"><button class="primary">Filter</button> <a href="/breaks">Clear</a></div>
</form>`
}

/** The roles are written out because the narrow layout takes the table's display away, and its meaning with it. */
function renderSums({ sums, isCut }: BreakPage, now: UnixMs): Html {
  if (sums.length === 0) return html``
  return html`<table class="stack" role="table">
<thead role="rowgroup"><tr role="row">${['Token', 'Open', 'Amount', 'Oldest', 'Settled by hand', 'Amount settled'].map((name) => html`<th scope="col" role="columnheader"${name.startsWith('Amount') ? html` class="number"` : ''}>${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${sums.map(
    (sum) => html`<tr role="row">
<th scope="row" role="rowheader">${nameToken(sum)}</th>
<td role="cell" data-label="Open">${sum.open.count}</td>
<td role="cell" data-label="Amount" class="number">${renderAmount(sum.open.amount)}${sum.open.unknown === 0 ? '' : ` and ${sum.open.unknown} of unknown amount`}</td>
<td role="cell" data-label="Oldest">${sum.oldestAt === null ? '' : renderAgo(sum.oldestAt, now)}</td>
<td role="cell" data-label="Settled by hand">${sum.settled.count}</td>
<td role="cell" data-label="Amount settled" class="number">${renderAmount(sum.settled.amount)}</td>
</tr>`,
  )}</tbody></table>${isCut ? html`<p class="problem">There are more than are read at once: counts and sums are of those that were read.</p>` : ''}`
}

function nameToken({ token, symbol, inBaseUnits }: BreakSum): string {
  const name = cleanText(symbol ?? (token || 'native currency'), 80)
  return inBaseUnits ? `base units of ${name}` : name
}

function renderList({ breaks, total, next }: BreakPage, { typed, now, form, links }: BreaksView): Html {
  if (breaks.length === 0)
    return html`<p class="empty">Nothing like this. That says nothing about what spanwatch has not read.</p>`
  return html`<ol class="alerts">${breaks.map((one, index) => renderBreak(one, { index, now, form, links }))}</ol>
<nav class="paging" aria-label="Paging"><span class="muted">${breaks.length} of ${total}, the ${typed.sort === 'age' ? 'oldest' : 'largest'} first</span>${next === null ? '' : html`<a class="button" rel="next" href="${toNextHref(typed, next)}">More</a>`}</nav>`
}

const tones: Readonly<Record<ShownBreak['kind'], string>> = {
  duplicate: 'critical',
  unbacked: 'critical',
  mismatch: 'critical',
  failed: 'attention',
  stalled: 'attention',
  out: 'critical',
  in: 'info',
}

interface Place {
  /** In the list: what names a field of it. */
  readonly index: number
  readonly now: UnixMs
  readonly form: FormContext
  readonly links: TransactionLinks
}

function renderBreak(one: ShownBreak, { index, now, form, links }: Place): Html {
  const { kind, transferKey, mainHash, zoneHash, source, target, since, caseId, remark, entries } = one
  const parts = [
    ...(mainHash === null
      ? []
      : [html`<span>main ${renderTransactionHash({ chain: 'main', hash: mainHash }, links)}</span>`]),
    ...(zoneHash === null
      ? []
      : [html`<span>zone ${renderTransactionHash({ chain: 'zone', hash: zoneHash }, links)}</span>`]),
    ...(source === '' ? [] : [html`<span>from ${renderHash(source)}</span>`]),
    ...(target === '' ? [] : [html`<span>to ${renderHash(target)}</span>`]),
  ]
  return html`<li class="alert edge-${one.isOpen ? tones[kind] : 'info'}">
<p>${renderTag(tones[kind], breakWords[kind])} <strong class="amount">${sayAmount(one)}</strong> ${transferKey === null ? html`<span>at escrow</span>` : html`<a href="${toTransferPath(transferKey)}">${transferKey}</a> ${directionWords[one.direction]}, ${directionPaths[one.direction]}`}</p>
${remark === null ? '' : html`<p><strong>${remark}</strong></p>`}
<p class="meta"><span>since ${renderAgo(since, now)}</span>${one.state === null ? '' : html`<span>${one.state}</span>`}${parts}${caseId === null ? '' : html`<a href="/cases/${caseId}">Case ${caseId}</a>`}${entries.map((id) => html`<a href="#${id}">${id}</a>`)}</p>
${one.evidence === '' ? '' : html`<p class="detail">${renderHashes(one.evidence, 600)}</p>`}
${one.isOpen && mayAct(form) ? renderWriteOff(one, index, form) : ''}
</li>`
}

/** What is left; beside it all that the chains show, where entries settle a part. */
function sayAmount(one: ShownBreak): Html {
  const { token, inBaseUnits, amount, left, settled } = one
  const name = formatToken({ ...token, id: '', type: '', decimals: null })
  const unit = inBaseUnits ? `base units of ${name}` : name
  if (amount === null || left === null) return html`unknown amount of ${unit}`
  const shown = one.isOpen ? left : settled
  return shown === amount
    ? renderAmount(shown, unit)
    : html`${renderAmount(shown)} of ${renderAmount(amount, unit)}`
}

function renderWriteOff({ name, kind }: ShownBreak, index: number, form: FormContext): Html {
  const part = partOf[kind]
  return html`<details><summary>Settle by hand<span class="hidden"> ${name}</span></summary>
<p><a href="/breaks?${new URLSearchParams({ [part]: name }).toString()}#match">Match with ${part === 'payout' ? 'its origin' : 'its payout'}</a>, or write it off:</p>
<form class="form" method="post" action="/breaks/write-off">${renderHidden(form, { name })}
<div class="fields"><div>${renderReason(`reason-${index}`)}</div>
<div>${renderSigner(`by-${index}`, form.by)}</div></div>
<p class="buttons"><button class="small">Write off<span class="hidden"> ${name}</span></button></p></form></details>`
}

function renderMatchForm({ chosen, form }: BreaksView): Html {
  return html`<form class="card form" id="match" method="post" action="/breaks/match">
<h2>Match</h2>
<p class="muted">This payout belongs to that origin: two transfers, or a transfer and a movement, by key, id or hash. What one of them is more than the other stays a break. It hides nothing from the rules.</p>
${renderHidden(form)}
<div class="fields">
<div><label for="m-payout">Payout</label><input id="m-payout" name="payout" value="${chosen.payout}" required maxlength="200" autocomplete="off" spellcheck="false"></div>
<div><label for="m-origin">Origin</label><input id="m-origin" name="origin" value="${chosen.origin}" required maxlength="200" autocomplete="off" spellcheck="false"></div>
<div>${renderReason('m-reason')}</div>
<div>${renderSigner('m-by', form.by)}</div>
</div>
<label class="check"><input type="checkbox" name="force" value="yes"> <span>Also of different tokens, or where nobody knows how much it is</span></label>
<p class="buttons"><button class="primary">Match</button></p>
</form>`
}

function toNextHref(typed: TypedBreakQuery, cursor: string): string {
  const query = new URLSearchParams(Object.entries(typed).filter(([, value]) => value !== ''))
  query.set('cursor', cursor)
  return `/breaks?${query.toString()}`
}

/** What people did about breaks, the newest first, each with a way to take it back. */
function renderEntries(entries: readonly ShownEntry[], form: FormContext): Html {
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
<form class="form" method="post" action="/breaks/undo">${renderHidden(form, { entry: id })}
<div class="fields"><div>${renderReason(`undo-reason-${id}`)}</div>
<div>${renderSigner(`undo-by-${id}`, form.by)}</div></div>
<p class="buttons"><button class="small">Take back<span class="hidden"> ${id}</span></button></p></form></details>`
}
