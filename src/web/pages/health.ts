import { html } from 'hono/html'
import { cleanText } from '../../lib/text.ts'
import type { StatusSnapshot } from '../types.ts'
import { type Html, formatAge, renderAgo, renderState } from './words.ts'

/** How preconfirmations come and what became of them. */
export function renderPreconf({ preconf }: StatusSnapshot): Html {
  if (preconf === null)
    return html`<p class="empty">Preconfirmations are not watched: <code>preconf.url</code> is not set.</p>`
  const { pendingAgeMs, latestAgeMs, gap, held, hitRate, meanLeadMs, outcomes } = preconf
  const share = hitRate === null ? null : `${(Math.floor(hitRate * 1_000) / 10).toFixed(1)} %`
  const lost = (outcomes['dropped'] ?? 0) + (outcomes['flipped'] ?? 0)
  return html`<dl class="tiles compact">
${tile('Block being made', pendingAgeMs === null ? null : `${formatAge(pendingAgeMs)} old`)}
${tile('Newest complete', latestAgeMs === null ? null : `${formatAge(latestAgeMs)} old`)}
${tile('Ahead by', gap === null ? null : `${gap} blocks`)}
${tile('Preconfirmed first, past day', share)}
${tile('Mean lead, past day', meanLeadMs === null ? null : `${Math.round(meanLeadMs)}ms`)}
${tile('Not settled yet', String(held))}
</dl>
<p class="note">This hour: ${outcomes['kept'] ?? 0} kept, ${outcomes['moved'] ?? 0} moved, ${lost > 0 ? renderState('critical', `${outcomes['flipped'] ?? 0} came out otherwise, ${outcomes['dropped'] ?? 0} dropped`) : 'none came out otherwise, none dropped'}, ${outcomes['unknown'] ?? 0} could not be checked.</p>`
}

function tile(label: string, value: string | null): Html {
  return html`<div><dt>${label}</dt><dd>${value ?? renderState('unknown', 'unknown')}</dd></div>`
}

/** What the escrows hold against what is owed, token by token. */
export function renderEscrows({ escrows, now }: StatusSnapshot): Html {
  if (escrows === null)
    return html`<p class="empty">No escrow is watched: <code>bridge.escrows</code> is not set.</p>`
  const unknown = renderState('unknown', 'unknown')
  return html`<table class="stack" role="table">
<thead role="rowgroup"><tr role="row">${['Token', 'Holds', 'Owes', 'Leaving', 'Judged'].map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${escrows.map(
    ({ token, holds, owes, inTransit, at }) => html`<tr role="row">
<th scope="row" role="rowheader">${cleanText(token.symbol ?? (token.address === '' ? 'native currency' : token.address))}</th>
<td role="cell" data-label="Holds" class="amount">${holds ?? unknown}</td>
<td role="cell" data-label="Owes" class="amount">${owes ?? unknown}</td>
<td role="cell" data-label="Leaving" class="amount">${inTransit ?? unknown}</td>
<td role="cell" data-label="Judged">${renderAgo(at, now)}</td>
</tr>`,
  )}</tbody>
</table>`
}
