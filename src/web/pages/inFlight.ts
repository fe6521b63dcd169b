import { html } from 'hono/html'
import type { UnixMs } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/duration.ts'
import type { InFlight } from '../types.ts'
import { type Html, directionPaths, directionWords, formatAge } from './words.ts'

/** Per direction one row an age, with a bar to compare by eye. */
export function renderInFlight(inFlight: readonly InFlight[], now: UnixMs): Html {
  if (inFlight.length === 0) return html`<p class="empty">Not known yet.</p>`
  const most = Math.max(1, ...inFlight.flatMap(({ buckets }) => buckets.map(({ count }) => count)))
  return html`${inFlight.map((entry) => renderDirection(entry, most, now))}`
}

function renderDirection({ direction, buckets, oldestAt }: InFlight, most: number, now: UnixMs): Html {
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  return html`<table class="bars">
<caption><strong>${directionWords[direction]}s</strong> <span class="muted">${directionPaths[direction]}</span><span class="caption-end">${total} in flight${oldestAt === null ? '' : `, oldest ${formatAge(Math.max(0, now - oldestAt))}`}</span></caption>
<thead class="hidden"><tr><th scope="col">Age</th><th scope="col">Share</th><th scope="col">Transfers</th></tr></thead>
<tbody>${buckets.map(
    ({ fromMs, toMs, count }) =>
      html`<tr><th scope="row">${formatRange(fromMs, toMs)}</th><td class="bar"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="bar-back" width="100" height="8"/><rect class="bar-fill" width="${((100 * count) / most).toFixed(1)}" height="8"/></svg></td><td class="number">${count}</td></tr>`,
  )}</tbody>
</table>`
}

function formatRange(fromMs: number, toMs: number | null): string {
  if (toMs === null) return `over ${formatDuration(fromMs)}`
  return fromMs === 0
    ? `under ${formatDuration(toMs)}`
    : `${formatDuration(fromMs)} – ${formatDuration(toMs)}`
}
