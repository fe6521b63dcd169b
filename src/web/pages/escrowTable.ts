import { html } from 'hono/html'
import { toDecimal } from '../../bridge/decimal.ts'
import { shortHash } from '../../lib/shortHash.ts'
import { cleanText } from '../../lib/text.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { EscrowLine } from '../views/readEscrows.ts'
import { escrowDifference, renderAmount, renderDifference } from './amounts.ts'
import { type Html, renderAgo, renderState } from './words.ts'

const heads = ['Token', 'Holds', 'Owes', 'Difference']

export interface EscrowTableView {
  readonly now: UnixMs
  /** So many tokens at most. */
  readonly most: number
  /** The token that is shown on the same page; a table elsewhere leads there. */
  readonly current?: string
}

/** What the escrows hold against what is owed, token by token, what lacks first; what was never judged is one line. */
export function renderEscrowTable(lines: readonly EscrowLine[], view: EscrowTableView): Html {
  const sorted = sortEscrows(lines)
  const known = sorted.filter(isKnown)
  const rest = sorted.filter((line) => !isKnown(line))
  const shown = known.slice(0, view.most)
  return html`${
    known.length === 0
      ? ''
      : html`<div class="wide-table"><table class="stack slim escrows" role="table">
<thead role="rowgroup"><tr role="row">${heads.map((name, index) => html`<th scope="col" role="columnheader"${index > 0 ? html` class="number"` : ''}>${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${shown.map((line) => renderLine(line, view))}</tbody>
</table></div><p class="note">${shown.length < known.length ? `${shown.length} of ${known.length} tokens. ` : ''}${sayJudged(known, view.now)}${view.current === undefined ? html` <a href="/escrows">Course and largest movements</a>` : ''}</p>`
  }${[true, false].map((isHeld) => {
    const own = rest.filter((line) => line.isHeld === isHeld)
    const state = isHeld ? renderState('unknown', 'Not judged yet') : renderState('quiet', 'Held nowhere')
    return own.length === 0
      ? ''
      : html`<p class="${known.length === 0 ? 'empty' : 'note'}">${state}: ${renderNames(own, view)}.</p>`
  })}`
}

function renderNames(lines: readonly EscrowLine[], { current, most }: EscrowTableView): Html {
  const named = lines.slice(0, most)
  const more = lines.length > named.length ? ` and ${lines.length - named.length} more` : ''
  return html`${named.map((line, index) => html`${index === 0 ? '' : ', '}${renderName(line, current)}`)}${more}`
}

/** What lacks comes first, then what was judged, then the rest. */
export function sortEscrows(lines: readonly EscrowLine[]): EscrowLine[] {
  const rank = (line: EscrowLine) => (!isKnown(line) ? 2 : escrowDifference(line)?.startsWith('-') ? 0 : 1)
  return lines.toSorted((a, b) => rank(a) - rank(b))
}

function isKnown({ at, holds, owes }: EscrowLine): boolean {
  return at !== null || holds !== null || owes !== null
}

/** Mostly all of them were judged at once. */
function sayJudged(lines: readonly EscrowLine[], now: number): Html {
  const times = lines.flatMap(({ at }) => at ?? [])
  const [oldest, newest] = [Math.min(...times), Math.max(...times)]
  if (times.length === 0) return html`Never judged.`
  return newest - oldest < 60_000
    ? html`Judged ${renderAgo(oldest, now)}.`
    : html`Judged between ${renderAgo(oldest, now)} and ${renderAgo(newest, now)}.`
}

/** In half the width of a page. */
const fewDigits = 2

function renderLine(line: EscrowLine, { current }: EscrowTableView): Html {
  const most = current === undefined ? fewDigits : undefined
  const { holds, owes, inTransit } = line
  const unknown = renderState('unknown', 'unknown')
  const difference = escrowDifference(line)
  const isLeaving = inTransit !== null && toDecimal(inTransit)?.digits !== 0n
  return html`<tr role="row">
<th scope="row" role="rowheader">${renderName(line, current)}</th>
<td role="cell" data-label="Holds" class="number"><span>${holds === null ? unknown : renderAmount(holds, '', most)}${isLeaving ? html` <span class="muted">and ${renderAmount(inTransit, '', most)} leaving</span>` : ''}</span></td>
<td role="cell" data-label="Owes" class="number">${owes === null ? unknown : renderAmount(owes, '', most)}</td>
<td role="cell" data-label="Difference" class="number">${difference === null ? unknown : renderDifference(difference, undefined, most)}</td>
</tr>`
}

function renderName({ token }: EscrowLine, current: string | undefined): Html {
  return html`<a href="${toEscrowPath(token.address)}"${token.address === current ? html` aria-current="true"` : ''}>${nameEscrowToken(token)}</a>`
}

export function nameEscrowToken(token: EscrowLine['token']): string {
  return cleanText(token.symbol ?? (token.address === '' ? 'native currency' : shortHash(token.address)))
}

/** Where one token's escrows are shown; the native currency goes by `native`. */
export function toEscrowPath(token: string, more: Readonly<Record<string, string>> = {}): string {
  return `/escrows?${new URLSearchParams({ token: token || 'native', ...more }).toString()}`
}
