import { html } from 'hono/html'
import { formatDuration } from '../../lib/duration.ts'
import { cleanText } from '../../lib/text.ts'
import type { PollerHealth } from '../../kernel/runner.ts'
import type { EndpointHealth } from '../../clients/sourceHealth.ts'
import { isFailing, isOverdue } from '../judgeVerdict.ts'
import type { StatusSnapshot } from '../types.ts'
import { type Html, renderAgo, renderState } from './words.ts'

/** One row an endpoint: what fails stands open, what answers is folded away with its number. */
export function renderSources({ sources, now }: StatusSnapshot): Html {
  if (sources.length === 0) return html`<p class="empty">No source has been asked yet.</p>`
  return html`${sources.map(
    (source) =>
      html`<div class="group"><h3>${cleanText(source.source)} <span class="muted">${cleanText(source.host, 100)}</span></h3>${
        source.rejected === null
          ? ''
          : html`<p class="problem">Credentials refused: ${cleanText(source.rejected.reason, 200)}</p>`
      }${renderRows(
        ['Endpoint', 'State', 'Last good'],
        source.endpoints.map((endpoint) => renderEndpoint(endpoint, now)),
        'answer',
      )}</div>`,
  )}`
}

interface Row {
  readonly isFine: boolean
  readonly markup: Html
}

/** What is not fine stands open; the rest is one press away. */
function renderRows(heads: readonly string[], rows: readonly Row[], fineWord: string): Html {
  const [bad, fine] = [rows.filter(({ isFine }) => !isFine), rows.filter(({ isFine }) => isFine)]
  return html`${bad.length === 0 ? '' : renderTable(heads, bad)}${
    fine.length === 0
      ? ''
      : html`<details><summary>${renderState('fine', bad.length === 0 ? `All ${fine.length} ${fineWord}` : `${fine.length} ${fineWord}`)}</summary>${renderTable(heads, fine)}</details>`
  }`
}

function renderTable(heads: readonly string[], rows: readonly Row[]): Html {
  return html`<table>
<thead><tr>${heads.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map(({ markup }) => markup)}</tbody>
</table>`
}

function renderEndpoint(endpoint: EndpointHealth, now: number): Row {
  const { lastGoodAt, lastFailure } = endpoint
  const failing = isFailing(endpoint)
  const [tone, word] = failing
    ? (['critical', 'failing'] as const)
    : lastGoodAt === null
      ? (['unknown', 'no answer yet'] as const)
      : (['fine', 'answers'] as const)
  return {
    isFine: tone === 'fine',
    markup: html`<tr><th scope="row">${cleanText(endpoint.endpoint)}</th><td>${renderState(tone, word)}${renderDetail(failing ? lastFailure : null)}</td><td>${renderAgo(lastGoodAt, now)}</td></tr>`,
  }
}

export function renderPollers({ pollers, now }: StatusSnapshot): Html {
  if (pollers.length === 0) return html`<p class="empty">No poller is running.</p>`
  return renderRows(
    ['Poller', 'State', 'Last success'],
    pollers.map((poller) => renderPoller(poller, now)),
    'run in time',
  )
}

function renderPoller(health: PollerHealth, now: number): Row {
  const { poller, intervalMs, lastSuccessAt, lastError } = health
  const [tone, word] =
    lastError !== null
      ? (['critical', 'failing'] as const)
      : isOverdue(health, now)
        ? (['unknown', 'behind'] as const)
        : lastSuccessAt === null
          ? (['unknown', 'first pass'] as const)
          : (['fine', 'runs'] as const)
  return {
    isFine: tone === 'fine',
    markup: html`<tr><th scope="row">${cleanText(poller)} <span class="muted">every ${formatDuration(intervalMs)}</span></th><td>${renderState(tone, word)}${renderDetail(lastError)}</td><td>${renderAgo(lastSuccessAt, now)}</td></tr>`,
  }
}

export function renderChannels({ channels, deadMessages, now }: StatusSnapshot): Html {
  if (channels.length === 0) return html`<p class="empty">No channel is configured.</p>`
  const waiting = channels.reduce((sum, { queued }) => sum + queued, 0)
  return html`<p class="note"><a href="/outbox">Outbox</a>: ${waiting} waiting, ${deadMessages === 0 ? 'none set aside' : renderState('critical', `${deadMessages} set aside`)}.</p>
<table>
<thead><tr><th scope="col">Channel</th><th scope="col">State</th><th scope="col">Queue</th></tr></thead>
<tbody>${channels.map(({ channel, circuit, queued, oldestAt, lastAckAt, lastError }) => {
    const [tone, word] =
      circuit === 'open'
        ? ['critical', 'refuses']
        : lastError !== null
          ? ['attention', 'retrying']
          : lastAckAt === null
            ? ['info', 'unused']
            : ['fine', 'takes messages']
    return html`<tr><th scope="row">${cleanText(channel)}</th><td>${renderState(tone ?? '', word ?? '')}${renderDetail(lastError)}</td><td>${queued === 0 ? 'empty' : html`${queued}, oldest from ${renderAgo(oldestAt, now)}`}</td></tr>`
  })}</tbody>
</table>`
}

function renderDetail(text: string | null): Html | '' {
  return text === null ? '' : html`<span class="detail">${cleanText(text, 200)}</span>`
}
