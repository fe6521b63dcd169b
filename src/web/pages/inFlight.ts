import { html } from 'hono/html'
import type { UnixMs } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/duration.ts'
import type { InFlight } from '../statusFacts.ts'
import { directionPaths, directionWords, formatAge, type Html, renderState } from './words.ts'

/** Per direction one row an age in which something is, with a bar to compare by eye. */
export function renderInFlight(inFlight: readonly InFlight[], now: UnixMs): Html {
  if (inFlight.length === 0) return html`<p class="empty">Not known yet.</p>`
  const most = Math.max(1, ...inFlight.flatMap(({ buckets }) => buckets.map(({ count }) => count)))
  return html`${inFlight.map((entry) => renderDirection(entry, most, now))}`
}

function renderDirection(entry: InFlight, most: number, now: UnixMs): Html {
  const { direction, buckets, oldestAt, normal } = entry
  const filled = buckets.filter(({ count }) => count > 0)
  const total = filled.reduce((sum, { count }) => sum + count, 0)
  const name = html`<strong>${directionWords[direction]}s</strong> <span class="muted">${directionPaths[direction]}</span>`
  const note = html`<p class="note">${sayNormal(entry)}</p>`
  if (filled.length === 0) return html`<p class="bars-none">${name}: none in flight</p>${note}`
  return html`<table class="bars">
<caption>${name}<span class="caption-end">${total} in flight${oldestAt === null ? '' : `, oldest ${formatAge(Math.max(0, now - oldestAt))}`}</span></caption>
<thead class="hidden"><tr><th scope="col">Age</th><th scope="col">Share</th><th scope="col">Transfers</th></tr></thead>
<tbody>${filled.map(
    ({ fromMs, toMs, count }) =>
      html`<tr${normal !== null && fromMs >= normal.p99 ? html` class="is-late"` : ''}><th scope="row">${formatRange(fromMs, toMs)}</th><td class="bar"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="bar-back" width="100" height="8"/><rect class="bar-fill" width="${((100 * count) / most).toFixed(1)}" height="8"/></svg></td><td class="number">${count}</td></tr>`,
  )}</tbody>
</table>${note}`
}

function sayNormal({ normal, late }: InFlight): Html {
  if (normal === null)
    return html`${renderState('unknown', 'Normal is unknown')}: no transfer of the past 30 days arrived yet.`
  return html`Normal: half within ${formatDuration(normal.p50)}, 95 % within ${formatDuration(normal.p95)}, 99 % within ${formatDuration(normal.p99)} <span class="muted">(${normal.samples} in 30 days)</span>. ${late ? renderState('attention', `${late} in flight for longer than that`) : html`None is in flight for longer than that.`}`
}

function formatRange(fromMs: number, toMs: number | null): string {
  if (toMs === null) return `over ${formatDuration(fromMs)}`
  return fromMs === 0
    ? `under ${formatDuration(toMs)}`
    : `${formatDuration(fromMs)} – ${formatDuration(toMs)}`
}
