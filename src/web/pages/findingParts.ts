import { html } from 'hono/html'
import type { ItemField } from '../../delivery/channels/message.ts'
import { cleanText } from '../../lib/text.ts'
import { renderHashes } from './hashes.ts'
import { type Html, toSafeHref, toTransferPath } from './words.ts'

/** What to do about a finding, and where to read on: what every message carries. */
export function renderTodo(of: {
  readonly remedy: string | null
  readonly runbook: string | null
  readonly kind: string | null
  readonly transferKey: string | null
}): Html | '' {
  const { remedy, kind, transferKey } = of
  const runbook = toRunbookHref(of)
  if (remedy === null && runbook === null && transferKey === null) return ''
  return html`<div class="todo"><p><strong>What to do</strong></p>${remedy === null ? '' : html`<p>${renderNames(remedy, 500)}</p>`}
<p class="links">${runbook === null ? '' : html`<a href="${runbook}" rel="noreferrer">Runbook<span class="hidden"> of ${cleanText(kind ?? '', 100)}</span></a>`}${transferKey === null ? '' : html`<a href="${toTransferPath(transferKey)}">The transfer's whole story</a>`}</p></div>`
}

/** A text of the program's own, in which names of settings and commands stand between backticks. */
function renderNames(text: string, most: number): Html {
  const parts = cleanText(text, most).split(/`([^`]+)`/)
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

/** The rule's own, else the chapter that comes with the program. */
export function toRunbookHref({
  runbook,
  kind,
}: {
  readonly runbook: string | null
  readonly kind: string | null
}): string | null {
  return toSafeHref(runbook) ?? (kind === null ? null : `/runbooks/${encodeURIComponent(kind)}`)
}

/** Label and value as messages say them, with units; what is only a detail is one press away. */
export function renderFields(fields: readonly ItemField[]): Html {
  const details = fields.filter(({ place }) => place === 'detail')
  const facts = fields.filter((field) => field.place !== 'said' && !details.includes(field))
  // Nothing is folded away where nothing stands before it.
  if (facts.length === 0 && details.length > 0) return renderPairs(details)
  if (facts.length + details.length === 0) return html`<p class="empty">None beyond what stands above.</p>`
  return html`${facts.length === 0 ? '' : renderPairs(facts)}${
    details.length === 0
      ? ''
      : html`<details><summary>${details.length} more</summary>${renderPairs(details)}</details>`
  }`
}

function renderPairs(fields: readonly ItemField[]): Html {
  return html`<dl class="record">${fields.map(
    ({ label, value, href }) =>
      html`<div><dt>${cleanText(label, 100)}</dt><dd>${renderHashes(value, 500)}${toSafeHref(href) === null ? '' : html` <a class="out" href="${toSafeHref(href)}" rel="noreferrer">explorer<span class="hidden"> page of ${cleanText(label, 100)}</span></a>`}</dd></div>`,
  )}</dl>`
}
