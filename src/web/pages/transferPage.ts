import { html } from 'hono/html'
import { describeEvidence } from '../../meaning/describeEvidence.ts'
import {
  destinationLeg,
  type Leg,
  type LegEvidence,
  leftNothing,
  originChain,
  originLeg,
  type Transfer,
} from '../../bridge/transfer.ts'
import { isDisproved } from '../../checks/escrow/flows/judgeFlow.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { cleanText } from '../../lib/text.ts'
import type { FormContext } from '../createFormGate.ts'
import type { AlertStory } from '../caseTypes.ts'
import { templateFilters } from '../../rules/templates/templateFilters.ts'
import type { GaveBack } from '../../breaks/givenBack.ts'
import type { TransferStory } from '../types.ts'
import { renderAlertList } from './alertList.ts'
import { renderAmount } from './amounts.ts'
import { renderLayout } from './layout.ts'
import { renderHashes, renderTransactionHash, type TransactionLinks } from './hashes.ts'
import { renderStanding } from './standing.ts'
import { renderTransferTable } from './transfersPage.ts'
import {
  alertTone,
  directionPaths,
  directionWords,
  formatAge,
  formatAmount,
  formatTime,
  formatToken,
  type Html,
  renderAgo,
  renderState,
  renderTag,
  renderTime,
  stateTones,
  statusTones,
  toTransferPath,
} from './words.ts'
import type { Observation } from '../../bridge/observation.ts'

export interface TransferView {
  readonly now: UnixMs
  readonly form: FormContext
  readonly links: TransactionLinks
}

/** One transfer's whole story: what is said of it, by whom, when, and what was sent. */
export function renderTransferPage(story: TransferStory, view: TransferView): Html {
  const { transfer, alerts } = story
  const { now, form, links } = view
  const amount = formatAmount(transfer)
  return renderLayout({
    title: `${transfer.key}: ${amount}`,
    active: 'transfers',
    live: true,
    main: html`<div id="story" data-live>
<section class="card" aria-labelledby="story-title">
<p class="overline">${directionWords[transfer.direction]} ${transfer.key}, ${directionPaths[transfer.direction]}</p>
<h1 id="story-title" class="amount">${amount}</h1>
<p>${renderTag(stateTones[transfer.state], transfer.state)} ${sayProgress(transfer, now)}</p>${renderStanding(story.standing, now)}${story.givenBack.map((one) => renderGivenBack(one, { transfer, now, links }))}
${transfer.ambiguous > 0 ? html`<p class="problem">${transfer.ambiguous} ${transfer.ambiguous === 1 ? 'record' : 'records'} could belong to this transfer or to one equal to it. They are kept apart, not guessed.</p>` : ''}
<div class="legs">${renderLeg('Origin', originLeg(transfer), { transfer, links })}${renderLeg('Destination', destinationLeg(transfer), { transfer, links })}</div>
</section>
<div class="columns">
<section class="card column" aria-labelledby="time-title"><h2 id="time-title">Timeline</h2>${renderTimeline(story)}</section>
<div class="column">
<section class="card" aria-labelledby="told-title"><h2 id="told-title">Alerts</h2>${alerts.length === 0 ? html`<p class="empty">None for this transfer.</p>` : renderAlertList(alerts, { now, form, next: toTransferPath(transfer.key) })}</section>
<section class="card" aria-labelledby="record-title"><h2 id="record-title">Record</h2>${renderRecord(transfer)}</section>
</div></div>
<footer><p>State at ${renderTime(now)}. <a href="/api${toTransferPath(transfer.key)}">As JSON</a></p></footer>
</div>`,
  })
}

/** A hash that names several transfers, a batch for instance. */
export function renderSeveralTransfers(
  hash: string,
  stories: readonly TransferStory[],
  view: Pick<TransferView, 'now' | 'links'>,
): Html {
  return renderLayout({
    title: `${stories.length} transfers`,
    active: 'transfers',
    live: false,
    query: hash,
    main: html`<section class="card"><h1>${stories.length} transfers</h1><p class="subject">${hash}</p>${renderTransferTable(
      stories.map(({ transfer }) => transfer),
      view,
    )}</section>`,
  })
}

function renderGivenBack(
  { at, hash, amount }: GaveBack,
  { transfer, now, links }: Pick<TransferView, 'now' | 'links'> & { readonly transfer: Transfer },
): Html {
  return html`<p>Given back ${renderAgo(at, now)}: ${renderAmount(amount, formatToken(transfer.token))} <span class="muted">in main transaction</span> ${renderTransactionHash({ chain: 'main', hash }, links)}</p>`
}

function sayProgress(transfer: Transfer, now: UnixMs): Html {
  const { originAt, destinationAt } = transfer
  if (leftNothing(transfer))
    return html`Its ${originChain(transfer.direction)} transaction failed: nothing left.`
  if (isDisproved(transfer)) {
    return destinationAt === null
      ? html`Nothing proves that value left.`
      : html`Value arrived ${renderAgo(destinationAt, now)}; nothing proves that it left.`
  }
  if (destinationAt !== null && originLeg(transfer) !== null) {
    const took = destinationAt - originAt
    return took < 0
      ? html`The destination leg is ${formatAge(-took)} older than the origin leg.`
      : html`It ${transfer.state === 'failed' ? 'failed after' : 'took'} ${formatAge(took)}.`
  }
  return originLeg(transfer) === null
    ? html`No origin leg is known.`
    : html`Value left ${renderAgo(originAt, now)}; no destination leg is known.`
}

function renderLeg(
  title: string,
  leg: Leg | null,
  { transfer, links }: { readonly transfer: Transfer; readonly links: TransactionLinks },
): Html {
  if (leg === null) {
    return html`<section class="leg leg-none"><h2>${title}</h2><p class="muted">No transaction is known.</p></section>`
  }
  const proofs = transfer.evidence.filter(({ chain, hash }) => chain === leg.chain && hash === leg.hash)
  return html`<section class="leg"><h2>${title} <span class="muted">${leg.chain} chain</span></h2>
<p class="hash">${renderTransactionHash(leg, links)}</p>
<p class="meta"><span>${leg.height === null ? 'block unknown' : `block ${leg.height}`}</span><span>${renderTime(leg.time)}</span></p>
${
  proofs.length === 0
    ? html`<p>${renderState('unknown', 'unverified')} <span class="muted">no second answer was asked for yet</span></p>`
    : proofs.map(
        (proof) =>
          html`<p>${renderState(statusTones[proof.status], proof.status)} <span class="muted">by ${proof.source}, ${renderTime(proof.at)}</span>${renderDetail(proof, transfer)}</p>`,
      )
}</section>`
}

function renderDetail(proof: LegEvidence, transfer: Transfer): Html | '' {
  const detail = describeEvidence(proof, transfer)
  return detail === '' ? '' : html`<span class="detail">${renderHashes(detail, 600)}</span>`
}

function renderTimeline(story: TransferStory): Html {
  return html`<ol class="timeline">${listMoments(story).map(
    ({ at, tone, title, detail }) =>
      html`<li class="dot-${tone}"><p><strong>${title}</strong></p>${detail === '' ? '' : html`<p class="detail">${renderHashes(detail, 2_000)}</p>`}<p class="muted">${renderTime(at)}</p></li>`,
  )}</ol>`
}

function renderRecord(transfer: Transfer): Html {
  const { token } = transfer
  const rows: readonly (readonly [string, string])[] = [
    ['Id', transfer.id ?? 'none given'],
    ['Type', transfer.crossType],
    ['Status of the record', transfer.status],
    ['Confirmed by E12', transfer.confirmedStatus],
    ['Amount, base units', transfer.amountRaw?.toString() ?? 'unknown'],
    ['Token', formatToken(token)],
    ['Token address', token.address],
    ['Token name, from the chain', token.name],
    ['Token type', token.type],
    ['Decimals', token.decimals === null ? 'unknown' : String(token.decimals)],
    ['From', transfer.from],
    ['To', transfer.to],
    ['Source address', transfer.sourceAddress],
    ['Target address', transfer.targetAddress],
    ['Zone event index', transfer.zoneEventIndex ?? ''],
    ['Batch detail', transfer.batchDetail ?? ''],
  ]
  return html`<dl class="record">${rows
    .filter(([, value]) => value !== '')
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${renderHashes(value, 500)}</dd></div>`)}
<div><dt>First seen</dt><dd>${renderTime(transfer.firstSeenAt)}</dd></div>
<div><dt>Last change</dt><dd>${renderTime(transfer.changedAt)}</dd></div>
<div><dt>Last read</dt><dd>${renderTime(transfer.readAt)}</dd></div></dl>`
}

interface Moment {
  readonly at: UnixMs
  readonly tone: string
  readonly title: string
  readonly detail: string
}

const telling = [
  'status',
  'mainHash',
  'zoneHash',
  'amountRaw',
  'value',
  'token',
  'tokenId',
  'targetAddress',
] as const satisfies readonly (keyof Observation)[]

/** Everything that is known to have happened to a transfer, oldest first. */
export function listMoments({ transfer, observations, alerts, givenBack }: TransferStory): readonly Moment[] {
  const moments: readonly Moment[] = [
    ...listOrigin(transfer),
    ...listDestination(transfer),
    { at: transfer.firstSeenAt, tone: 'info', title: 'First seen by spanwatch', detail: '' },
    ...listObservations(observations),
    ...transfer.evidence.map((evidence) => ({
      at: evidence.at,
      tone: statusTones[evidence.status],
      title: `${evidence.source} says of the ${evidence.chain} leg: ${evidence.status}`,
      detail: cleanText(describeEvidence(evidence, transfer), 600),
    })),
    ...transfer.rewrites.map(({ at, before, after }) => ({
      at,
      tone: 'critical',
      title: 'The final record was rewritten',
      detail: describeChange(before, after),
    })),
    ...givenBack.map(({ at, hash, amount }) => ({
      at,
      tone: 'fine',
      title: `Given back: ${templateFilters.amount(amount)}`,
      detail: `main chain, ${hash}`,
    })),
    ...alerts.flatMap(listAlert),
  ]
  return moments.toSorted((a, b) => a.at - b.at)
}

/** Of an origin that is disproved nothing is said but what the record claims; of one that failed, that nothing left. */
function listOrigin(transfer: Transfer): readonly Moment[] {
  const leg = originLeg(transfer)
  if (leftNothing(transfer)) return listLeg('Its transaction failed: nothing left', leg, 'warning')
  return isDisproved(transfer)
    ? listLeg('The record says that value left, and nothing proves it', leg, 'critical')
    : listLeg('Value left', leg)
}

/** Of one that failed, its transaction there is where it did: it brought nothing, or not all. */
function listDestination(transfer: Transfer): readonly Moment[] {
  const leg = destinationLeg(transfer)
  return transfer.state === 'failed' ? listLeg('It failed', leg, 'critical') : listLeg('Value arrived', leg)
}

function listLeg(title: string, leg: Leg | null, tone = 'info'): readonly Moment[] {
  if (leg?.time === null || leg === null) return []
  const height = leg.height === null ? '' : `, block ${leg.height}`
  return [{ at: leg.time, tone, title, detail: `${leg.chain} chain${height}` }]
}

/** One moment an answer, with what it said otherwise than the one before. */
function listObservations(observations: readonly Observation[]): readonly Moment[] {
  const ordered = observations.toSorted((a, b) => a.requestedAt - b.requestedAt)
  return ordered.map((observation, index) => {
    const before = ordered[index - 1]
    return {
      at: observation.requestedAt,
      tone: statusTones[observation.status],
      title: `${observation.source} answered: status ${observation.status}`,
      detail: before === undefined ? '' : describeChange(pickTelling(before), pickTelling(observation)),
    }
  })
}

function pickTelling(observation: Observation): Readonly<Record<string, string>> {
  const { updateTime } = observation
  return {
    ...Object.fromEntries(telling.map((name) => [name, String(observation[name] ?? '')])),
    updateTime: updateTime === null ? '' : formatTime(updateTime),
  }
}

function describeChange(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names
    .filter((name) => (before[name] ?? '') !== (after[name] ?? ''))
    .map((name) => cleanText(`${name}: ${before[name] || 'empty'} → ${after[name] || 'empty'}`, 300))
    .join('; ')
}

function listAlert(alert: AlertStory): readonly Moment[] {
  const name = cleanText(alert.rule, 100)
  const detail = cleanText(alert.summary, 300)
  return [
    {
      at: alert.since,
      tone: alertTone(alert),
      title: `What alert ${name} (${alert.severity}) is about happened`,
      detail,
    },
    ...alert.decisions.map(({ at, what, reason }) => ({
      at,
      tone: 'info',
      title: `${name}: ${cleanText(what, 100)}`,
      detail: cleanText(reason, 300),
    })),
    ...alert.messages.flatMap(({ channel, what, state, message, sentAt }) =>
      sentAt === null
        ? []
        : [
            {
              at: sentAt,
              tone: state === 'sent' ? 'fine' : 'critical',
              title: `${state === 'sent' ? 'Sent to' : 'Not sent to'} ${cleanText(channel)}: ${what}`,
              detail: message === null ? name : `${name}, message #${cleanText(message, 100)}`,
            },
          ],
    ),
    ...(alert.resolvedAt === null
      ? []
      : [
          {
            at: alert.resolvedAt,
            tone: alertTone(alert),
            title: `Alert ${name} ${alert.endedBadly ? 'ended, and not well' : 'resolved'}`,
            detail: '',
          },
        ]),
  ]
}
