import { html } from 'hono/html'
import { formatDuration } from '../../lib/duration.ts'
import { cleanText } from '../../lib/text.ts'
import type { EndpointHealth } from '../../rules/types.ts'
import type { StatusSnapshot } from '../types.ts'
import { type Html, renderAgo, renderState } from './words.ts'

/** One row an endpoint: whether its newest answer was good, and what went wrong when it was not. */
export function renderSources({ sources, now }: StatusSnapshot): Html {
  if (sources.length === 0) return html`<p class="empty">No source has been asked yet.</p>`
  return html`${sources.map(
    (source) => html`<table>
<caption><strong>${cleanText(source.source)}</strong> <span class="muted">${cleanText(source.host, 100)}</span>${
      source.rejected === null
        ? ''
        : html`<span class="problem">Credentials refused: ${cleanText(source.rejected.reason, 200)}</span>`
    }</caption>
<thead><tr><th scope="col">Endpoint</th><th scope="col">State</th><th scope="col">Last good</th></tr></thead>
<tbody>${source.endpoints.map((endpoint) => renderEndpoint(endpoint, now))}</tbody>
</table>`,
  )}`
}

function renderEndpoint(endpoint: EndpointHealth, now: number): Html {
  const { lastGoodAt, lastFailureAt, lastFailure } = endpoint
  const failing = lastFailureAt !== null && (lastGoodAt === null || lastFailureAt > lastGoodAt)
  const [tone, word] = failing
    ? ['critical', 'failing']
    : lastGoodAt === null
      ? ['unknown', 'no answer yet']
      : ['fine', 'answers']
  return html`<tr><th scope="row">${cleanText(endpoint.endpoint)}</th><td>${renderState(tone ?? '', word ?? '')}${renderDetail(failing ? lastFailure : null)}</td><td>${renderAgo(lastGoodAt, now)}</td></tr>`
}

export function renderPollers({ pollers, now }: StatusSnapshot): Html {
  if (pollers.length === 0) return html`<p class="empty">No poller is running.</p>`
  return html`<table>
<thead><tr><th scope="col">Poller</th><th scope="col">State</th><th scope="col">Last success</th></tr></thead>
<tbody>${pollers.map(({ poller, intervalMs, lastSuccessAt, lastError }) => {
    const [tone, word] =
      lastError !== null
        ? ['critical', 'failing']
        : lastSuccessAt === null
          ? ['unknown', 'first pass']
          : ['fine', 'runs']
    return html`<tr><th scope="row">${cleanText(poller)} <span class="muted">every ${formatDuration(intervalMs)}</span></th><td>${renderState(tone ?? '', word ?? '')}${renderDetail(lastError)}</td><td>${renderAgo(lastSuccessAt, now)}</td></tr>`
  })}</tbody>
</table>`
}

export function renderChannels({ channels, now }: StatusSnapshot): Html {
  if (channels.length === 0) return html`<p class="empty">No channel is configured.</p>`
  return html`<table>
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
