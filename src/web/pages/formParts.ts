import { html } from 'hono/html'
import type { FormContext } from '../createFormGate.ts'
import type { Html } from './words.ts'

/** The fields that nobody sees: the proof that a form came from a page of ours, and what it is about. `next` is where it leads back to. */
export function renderHidden(
  { proof }: Pick<FormContext, 'proof'>,
  values: Readonly<Record<string, string>> = {},
): Html {
  return html`${Object.entries({ proof, ...values }).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`
}

export function renderSigner(id: string, by: string): Html {
  return html`<label for="${id}">Your name</label><input id="${id}" name="by" value="${by}" required maxlength="100" autocomplete="name">`
}

export function renderReason(id: string): Html {
  return html`<label for="${id}">Reason</label><input id="${id}" name="reason" required maxlength="500" autocomplete="off">`
}

/** One press by whoever is known here; else the way to where a name is asked for. */
export function renderAck(
  {
    path,
    anchor,
    of,
    turn,
  }: { readonly path: string; readonly anchor: string; readonly of: Html; readonly turn?: number },
  form: FormContext,
  next: string,
): Html {
  return form.by === ''
    ? html`<a class="button small" href="${path}#${anchor}">Acknowledge…${of}</a>`
    : html`<form method="post" action="${path}/ack">${renderHidden(form, { next, by: form.by, ...(turn !== undefined && { turn: String(turn) }) })}<button class="small">Acknowledge${of}</button></form>`
}

export interface Tab<Name extends string> {
  readonly tab: Name
  readonly label: string
  readonly href: string
}

/** Which of several lists is shown. */
export function renderTabs<Name extends string>(
  label: string,
  tabs: readonly Tab<Name>[],
  current: Name,
): Html {
  return html`<nav class="tabs" aria-label="${label}">${tabs.map(({ tab, label: name, href }) => html`<a href="${href}"${tab === current ? html` aria-current="true"` : ''}>${name}</a>`)}</nav>`
}

export interface Paging {
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  /** How many stand on pages before, on this one, and on a full one. */
  readonly offset: number
  readonly shown: number
  readonly size: number
  readonly hasMore: boolean
}

/** Where the page before and the next one are; nothing where all stands on one. */
export function renderPaging({ path, params, offset, shown, size, hasMore }: Paging): Html | '' {
  if (offset === 0 && !hasMore) return ''
  const href = (from: number) =>
    `${path}?${new URLSearchParams({ ...params, ...(from > 0 && { cursor: String(from) }) }).toString()}`
  const before = href(Math.max(0, offset - size))
  return html`<nav class="paging" aria-label="Paging"><span class="muted">${shown === 0 ? 'No more' : `${offset + 1} to ${offset + shown}`}</span><span class="actions">${offset === 0 ? '' : html`<a class="button" rel="prev" href="${before}">Before</a>`}${hasMore ? html`<a class="button" rel="next" href="${href(offset + shown)}">Next</a>` : ''}</span></nav>`
}

/** Where a page begins, from its address; what is no number is the beginning. */
export function readOffset(cursor: string | undefined): number {
  return /^\d{1,7}$/.test(cursor ?? '') ? Number(cursor) : 0
}
