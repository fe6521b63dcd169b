import { html } from 'hono/html'
import type { UnixMs } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/duration.ts'
import { cleanText } from '../../lib/text.ts'
import type { PollerHealth } from '../../kernel/running/runner.ts'
import type { EndpointHealth } from '../../clients/sourceHealth.ts'
import { isFailing, isOverdue, isUnasked } from '../judgeVerdict.ts'
import type { ChannelStatus, StatusSnapshot } from '../statusFacts.ts'
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
        { heads: ['Endpoint', 'State', 'Last good'], fine: 'answer', noun: ['endpoint', 'endpoints'], now },
        source.endpoints.map((endpoint) => renderEndpoint(endpoint, source.endpoints, now)),
      )}</div>`,
  )}`
}

interface Row {
  readonly name: string
  /** What of all like it is the same; null for what is fine. */
  readonly problem: { readonly tone: string; readonly word: string; readonly detail: string } | null
  readonly lastAt: UnixMs | null
  readonly markup: Html
}

const mostNamed = 6

interface RowWords {
  readonly heads: readonly string[]
  readonly fine: string
  /** Of one and of several. */
  readonly noun: readonly [string, string]
  readonly now: UnixMs
}

/** What is not fine stands open, a line for each problem whoever has it; the rest is one press away. */
function renderRows(words: RowWords, rows: readonly Row[]): Html {
  const fine = rows.filter(({ problem }) => problem === null)
  const groups = Map.groupBy(
    rows.filter(({ problem }) => problem !== null),
    ({ problem }) => `${problem?.word}: ${problem?.detail}`,
  )
  return html`${groups.size === 0 ? '' : html`<ul class="lines">${[...groups.values()].map((group) => renderGroup(words, group))}</ul>`}${
    fine.length === 0
      ? ''
      : html`<details><summary>${renderState('fine', groups.size === 0 ? `All ${fine.length} ${words.fine}` : `${fine.length} ${words.fine}`)}</summary>${renderTable(
          words.heads,
          fine.map(({ markup }) => markup),
        )}</details>`
  }`
}

/** `11 endpoints failing: HTTP 500, 50026`, then which, and when one of them was well last. */
function renderGroup({ heads, noun: [one, several], now }: RowWords, group: readonly Row[]): Html {
  const [first] = group
  if (!first?.problem) return html``
  const { tone, word, detail } = first.problem
  const who =
    group.length === 1
      ? html`<strong>${cleanText(first.name)}</strong>`
      : html`<strong>${group.length} ${several}</strong>`
  const newest = group.reduce<UnixMs | null>(
    (at, row) => (row.lastAt === null ? at : Math.max(at ?? 0, row.lastAt)),
    null,
  )
  const which =
    group.length === 1
      ? ''
      : html`<details><summary>${sayNames(group)}</summary>${renderTable(
          heads,
          group.map(({ markup }) => markup),
        )}</details>`
  return html`<li>${who} ${renderState(tone, word)}${detail === '' ? '' : `: ${cleanText(detail, 200)}`} <span class="muted">${group.length === 1 ? `${one}, ` : ''}last good ${renderAgo(newest, now)}</span>${which}</li>`
}

function sayNames(group: readonly Row[]): string {
  const named = group.slice(0, mostNamed).map(({ name }) => cleanText(name, 60))
  const more = group.length - named.length
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Without who was asked: that stands beside it. */
function toProblem(tone: string, word: string, error: string | null): Row['problem'] {
  return { tone, word, detail: (error ?? '').replace(/^[^:]{1,60}? at \S{1,120}?: /, '') }
}

function renderTable(heads: readonly string[], rows: readonly Html[]): Html {
  return html`<table>
<thead><tr>${heads.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table>`
}

function renderEndpoint(endpoint: EndpointHealth, of: readonly EndpointHealth[], now: number): Row {
  const { lastGoodAt, lastFailure } = endpoint
  const [failing, unasked] = [isFailing(endpoint, of), isUnasked(endpoint, of)]
  const [tone, word] = failing
    ? (['critical', 'failing'] as const)
    : unasked
      ? (['unknown', 'not asked since it failed'] as const)
      : lastGoodAt === null
        ? (['unknown', 'no answer yet'] as const)
        : (['fine', 'answers'] as const)
  return {
    name: endpoint.endpoint,
    problem: tone === 'fine' ? null : toProblem(tone, word, failing || unasked ? lastFailure : null),
    lastAt: lastGoodAt,
    markup: html`<tr><th scope="row">${cleanText(endpoint.endpoint)}</th><td>${renderState(tone, word)}</td><td>${renderAgo(lastGoodAt, now)}</td></tr>`,
  }
}

export function renderPollers({ pollers, now }: StatusSnapshot): Html {
  if (pollers.length === 0) return html`<p class="empty">No poller is running.</p>`
  return renderRows(
    { heads: ['Poller', 'State', 'Last success'], fine: 'run in time', noun: ['poller', 'pollers'], now },
    pollers.map((poller) => renderPoller(poller, now)),
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
    name: poller,
    problem: tone === 'fine' ? null : toProblem(tone, word, lastError),
    lastAt: lastSuccessAt,
    markup: html`<tr><th scope="row">${cleanText(poller)} <span class="muted">every ${formatDuration(intervalMs)}</span></th><td>${renderState(tone, word)}</td><td>${renderAgo(lastSuccessAt, now)}</td></tr>`,
  }
}

export function renderChannels({ channels, deadMessages, now }: StatusSnapshot): Html {
  if (channels.length === 0)
    return html`<p class="empty">Nobody is told: name a Slack, a mail or another channel in <code>channels</code>.</p>`
  const waiting = channels.reduce((sum, { queued }) => sum + queued, 0)
  return html`<p class="note"><a href="/outbox">Outbox</a>: ${waiting} waiting, ${deadMessages === 0 ? 'none set aside' : renderState('critical', `${deadMessages} set aside`)}.</p>
${renderRows(
  { heads: ['Channel', 'State', 'Queue'], fine: 'take messages', noun: ['channel', 'channels'], now },
  channels.map((channel) => renderChannel(channel, now)),
)}`
}

function renderChannel(
  { channel, circuit, queued, oldestAt, lastAckAt, lastError, refused }: ChannelStatus,
  now: number,
): Row {
  const [tone, word] =
    circuit === 'open'
      ? (['critical', 'takes nothing'] as const)
      : lastError !== null
        ? (['attention', 'retrying'] as const)
        : refused.length > 0
          ? (['attention', 'not to all'] as const)
          : lastAckAt === null
            ? (['info', 'unused'] as const)
            : (['fine', 'takes messages'] as const)
  const queue = queued === 0 ? 'empty' : html`${queued}, oldest from ${renderAgo(oldestAt, now)}`
  return {
    name: channel,
    problem:
      tone === 'fine' || tone === 'info' ? null : toProblem(tone, word, lastError ?? refused.join(', ')),
    lastAt: lastAckAt,
    markup: html`<tr><th scope="row">${cleanText(channel)}</th><td>${renderState(tone, word)}</td><td>${queue}</td></tr>`,
  }
}
