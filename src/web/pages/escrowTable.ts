import { html } from 'hono/html'
import { toDecimal } from '../../bridge/decimal.ts'
import { cleanText } from '../../lib/text.ts'
import type { StatusSnapshot } from '../types.ts'
import { escrowDifference, renderAmount, renderDifference } from './amounts.ts'
import { type Html, renderAgo, renderState } from './words.ts'

type Line = NonNullable<StatusSnapshot['escrows']>[number]

const heads = ['Token', 'Holds', 'Owes', 'Difference']

/** What the escrows hold against what is owed, token by token; what was never judged is one line. */
export function renderEscrows({ escrows, now }: Pick<StatusSnapshot, 'escrows' | 'now'>): Html {
  if (escrows === null)
    return html`<p class="empty">No escrow is watched: name the contracts that hold the money in <code>bridge.escrows</code>.</p>`
  const known = escrows.filter((line) => line.at !== null || line.holds !== null || line.owes !== null)
  const rest = escrows.filter((line) => !known.includes(line))
  return html`${
    known.length === 0
      ? ''
      : html`<table class="stack slim" role="table">
<thead role="rowgroup"><tr role="row">${heads.map((name, index) => html`<th scope="col" role="columnheader"${index > 0 ? html` class="number"` : ''}>${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${known.map(renderLine)}</tbody>
</table><p class="note">${sayJudged(known, now)}</p>`
  }${rest.length === 0 ? '' : html`<p class="${known.length === 0 ? 'empty' : 'note'}">${renderState('unknown', 'Not judged yet')}: ${rest.map(nameOf).join(', ')}.</p>`}`
}

/** Mostly all of them were judged at once. */
function sayJudged(lines: readonly Line[], now: number): Html {
  const times = lines.flatMap(({ at }) => at ?? [])
  const [oldest, newest] = [Math.min(...times), Math.max(...times)]
  if (times.length === 0) return html`Never judged.`
  return newest - oldest < 60_000
    ? html`Judged ${renderAgo(oldest, now)}.`
    : html`Judged between ${renderAgo(oldest, now)} and ${renderAgo(newest, now)}.`
}

function renderLine(line: Line): Html {
  const { holds, owes, inTransit } = line
  const unknown = renderState('unknown', 'unknown')
  const difference = escrowDifference(line)
  const isLeaving = inTransit !== null && toDecimal(inTransit)?.digits !== 0n
  return html`<tr role="row">
<th scope="row" role="rowheader">${nameOf(line)}</th>
<td role="cell" data-label="Holds" class="number"><span>${holds === null ? unknown : renderAmount(holds)}${isLeaving ? html` <span class="muted">and ${renderAmount(inTransit)} leaving</span>` : ''}</span></td>
<td role="cell" data-label="Owes" class="number">${owes === null ? unknown : renderAmount(owes)}</td>
<td role="cell" data-label="Difference" class="number">${difference === null ? unknown : renderDifference(difference)}</td>
</tr>`
}

function nameOf({ token }: Line): string {
  return cleanText(token.symbol ?? (token.address === '' ? 'native currency' : token.address))
}
