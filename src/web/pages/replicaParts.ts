import { html } from 'hono/html'
import type { ReplicaNode, ReplicaStatus } from '../../kernel/kernel.ts'
import { formatDuration } from '../../lib/duration.ts'
import { cleanText } from '../../lib/text.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { formatAge, type Html, renderAgo, renderState, renderTime } from './words.ts'

/** Over every page of a node that follows: whose word it shows, and from when. */
export function renderNotice(status: ReplicaStatus, now: UnixMs): Html {
  const { holder, inStepAt, unreachable } = status
  const who =
    holder === null
      ? html`and no node is known to watch`
      : html`${renderNode(holder)} watches since ${renderTime(holder.since)}`
  const shown =
    inStepAt === null
      ? 'what was committed has not been taken over yet'
      : `what is shown is what it had committed ${formatAge(now - inStepAt)} ago`
  const away =
    unreachable === null
      ? ''
      : ` PostgreSQL has not answered for ${formatDuration(Math.max(0, now - unreachable.since))}.`
  return html`<aside id="follows" class="follows" aria-label="This node follows" data-live><p>This node (${cleanText(status.node)}) follows; ${who}; ${shown}.${away} Changes are made there.</p></aside>`
}

function renderNode({ node, pageUrl }: { readonly node: string; readonly pageUrl: string | null }): Html {
  const name = cleanText(node)
  return pageUrl === null || !/^https?:/.test(pageUrl)
    ? html`${name}`
    : html`<a href="${pageUrl}">${name}</a>`
}

const missedMs = 30_000

/** The nodes of a bridge: who watches, how far the others are, when each was seen. */
export function renderNodes(status: ReplicaStatus, now: UnixMs): Html {
  const { nodes, unreachable } = status
  const head = Math.max(0, ...nodes.map(({ seq }) => seq))
  const away =
    unreachable === null
      ? ''
      : html`<p class="problem">PostgreSQL has not answered for ${formatDuration(Math.max(0, now - unreachable.since))}: ${cleanText(unreachable.problem, 200)}</p>`
  const rows = nodes.map((one) => renderRow(one, { head, now }))
  return html`${away}${
    rows.length === 0
      ? html`<p class="empty">The other nodes have not been looked at yet.</p>`
      : html`<table>
<thead><tr><th scope="col">Node</th><th scope="col">State</th><th scope="col">Behind</th><th scope="col">Seen</th></tr></thead>
<tbody>${rows}</tbody>
</table>`
  }`
}

function renderRow(one: ReplicaNode, { head, now }: { readonly head: number; readonly now: UnixMs }): Html {
  const isMissing = now - one.seenAt >= missedMs
  const state = isMissing ? renderState('critical', 'missing') : renderState('fine', one.role)
  return html`<tr><th scope="row">${renderNode(one)} <span class="muted">${cleanText(one.program)}</span></th><td>${state}</td><td>${one.role === 'holder' ? 0 : head - one.seq}</td><td>${renderAgo(one.seenAt, now)}</td></tr>`
}
