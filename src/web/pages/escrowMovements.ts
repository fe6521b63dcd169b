import { html } from 'hono/html'
import { deepBlocks } from '../../checks/escrow/reading/flowReach.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { groupDigits } from '../../lib/groupDigits.ts'
import { sayTime } from '../../lib/sayTime.ts'
import { cleanText } from '../../lib/text.ts'
import type { EscrowMovement, EscrowStory } from '../escrowTypes.ts'
import { renderDifference } from './amounts.ts'
import { toEscrowPath } from './escrowTable.ts'
import { renderHash, renderTransactionHash, type TransactionLinks } from './hashes.ts'
import { type Html, renderAgo, renderState, toCasePath, toTransferPath } from './words.ts'

interface MovementsView {
  readonly now: UnixMs
  readonly links: TransactionLinks
}

/** What left the escrows and what came in, the largest first, each with what explains it. */
export function renderMovements({ movements, course, token }: EscrowStory, view: MovementsView): Html {
  const { count, isCut, isUnexplained, knownSince } = movements
  const since =
    knownSince === null
      ? ''
      : ` All movements are known from ${sayTime(knownSince, view.now)} on, and of those before it the ones in some ${groupDigits(String(deepBlocks))} blocks, which are read for context.`
  if (count === 0)
    return html`<p class="empty">Nothing moved in the past ${course.period}.${course.period === 'month' ? '' : html` <a href="${toEscrowPath(token.address, { period: 'month' })}#moves-title">Look further back</a>.`}${since} ${kept}</p>`
  if (isUnexplained && movements.out.length + movements.in.length === 0)
    return html`<p class="empty">Each of ${groupDigits(String(count))} movements is explained, or still looked for.${since}</p>`
  const total = isCut
    ? `more than ${groupDigits(String(count))}, of which the newest were looked through`
    : groupDigits(String(count))
  return html`${renderTable('Out', movements.out, view)}${renderTable('In', movements.in, view)}
<p class="note">Movements in this time: ${total}.${since} ${kept}</p>`
}

const kept =
  'Explained ones are kept for 7 days, and so is what came in, but by deposits that were not credited; what left without an explanation for as long as transfers.'

const heads = ['Amount', 'When', 'Transaction', 'Other side', 'What explains it']

/** The roles are written out because the narrow layout takes the table's display away, and its meaning with it. */
function renderTable(title: string, list: readonly EscrowMovement[], view: MovementsView): Html {
  if (list.length === 0) return html`<h3 class="sub">${title}</h3><p class="empty">None.</p>`
  return html`<h3 class="sub" id="moves-${title.toLowerCase()}">${title}</h3><table class="stack slim moves" role="table" aria-labelledby="moves-${title.toLowerCase()}">
<thead role="rowgroup"><tr role="row">${heads.map((name, index) => html`<th scope="col" role="columnheader"${index === 0 ? html` class="number"` : ''}>${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${list.map((one) => renderRow(one, view))}</tbody></table>`
}

function renderRow(one: EscrowMovement, { now, links }: MovementsView): Html {
  const { amount, at, hash, fromHeight, height, party } = one
  return html`<tr role="row">
<th scope="row" role="rowheader" class="number">${renderDifference(amount, isTheft(one))}</th>
<td role="cell" data-label="When">${renderAgo(at, now)}</td>
<td role="cell" data-label="Tx"><span>${hash === null ? renderBlocks(fromHeight, height) : renderTransactionHash({ chain: 'main', hash }, links)}</span></td>
<td role="cell" data-label="with">${party === '' ? html`<span class="muted">not known</span>` : renderHash(party)}</td>
<td role="cell" data-label="explained by"><span>${renderExplanation(one)}</span></td>
</tr>`
}

function isTheft({ verdict, amount }: EscrowMovement): boolean {
  return verdict === 'unexplained' && amount.startsWith('-')
}

function renderBlocks(fromHeight: number | null, height: number): Html {
  return fromHeight === null
    ? html`<span class="muted">a block that was replaced</span>`
    : html`<span class="muted">the balance, blocks ${fromHeight + 1} to ${height}</span>`
}

function renderExplanation(one: EscrowMovement): Html {
  const { verdict, reason, transfers, caseId, hash } = one
  const links = html`${transfers.map((key, index) => html`${index === 0 ? '' : ', '}<a href="${toTransferPath(key)}">${key}</a>`)}`
  const why = reason === '' ? '' : html` <span class="muted">${cleanText(reason, 300)}</span>`
  const told = caseId === null ? '' : html` <a href="${toCasePath(caseId)}">Case ${caseId}</a>`
  if (verdict === 'unexplained')
    return html`${renderState(isTheft(one) ? 'critical' : 'attention', 'unexplained')}${why}${told}`
  if (verdict === 'open') return html`${renderState('unknown', 'being looked for')}${why}${told}`
  if (verdict === 'unjudged')
    return reason === 'record'
      ? html`${renderState('attention', 'from before the list')}${told}`
      : html`${renderState('attention', 'amount not said')} ${links}${why}${told}`
  if (verdict === 'refund') return html`<span class="muted">${cleanText(reason, 300)}</span>`
  if (transfers.length > 0) return links
  return hash === null && reason !== ''
    ? html`<span class="muted">${cleanText(reason, 300)}</span>`
    : html`<span class="muted">not judged: from before the watch, or its transfer is kept no more</span>`
}
