import { html } from 'hono/html'
import type { CoursePointView, EscrowStory } from '../escrowTypes.ts'
import { escrowDifference, renderAmount, renderDifference } from './amounts.ts'
import { type Drawn, renderChartImage } from './chartCards.ts'
import { nameEscrowToken } from './escrowTable.ts'
import { type Html, formatTime, renderState, renderTime } from './words.ts'

/** The difference of held and owed step by step, from the first that is kept; where nothing was compared it is not known. */
export function toEscrowChart({ course, token }: Pick<EscrowStory, 'course' | 'token'>, now: number): Drawn {
  const { points, stepMs, period } = course
  const first = points[0]?.at ?? now
  const last = Math.max(Math.floor(now / stepMs) * stepMs, points.at(-1)?.at ?? 0)
  const known = new Map(points.map((point) => [point.at, escrowDifference(point)]))
  const steps = Array.from({ length: Math.floor((last - first) / stepMs) + 1 }, (_, n) => first + n * stepMs)
  const isLong = period === 'week' || period === 'month'
  return {
    kind: 'line',
    unit: nameEscrowToken(token),
    categories: steps.map((at) => {
      const text = new Date(at).toISOString()
      return isLong ? text.slice(5, 16).replace('T', ' ') : text.slice(11, 16)
    }),
    series: [
      {
        name: 'difference',
        values: steps.map((at) => {
          const difference = known.get(at) ?? null
          return difference === null ? null : Number(difference)
        }),
      },
    ],
  }
}

/** Fewer points make no course. */
const leastPoints = 2
const mostRows = 48

export function renderEscrowCourse(story: EscrowStory, now: number): Html {
  const { course, token } = story
  const { points, from, stepMs, period } = course
  const [first] = points
  if (first === undefined)
    return html`<p class="empty">Nothing was compared in the past ${period}. It begins with the first time that a balance and what is owed are known of one block.</p>`
  const begins = html`<p class="note">From ${renderTime(first.at)}${first.at < from + stepMs ? '' : `: nothing older is kept`}. Each point is the moment with the least to spare of ${sayStep(stepMs)}; a gap is time in which nothing was compared.</p>`
  const table = html`<details><summary>As a table</summary>${renderTable(points)}</details>`
  if (points.length < leastPoints)
    return html`<p class="empty">One point so far, ${renderPoint(first)}: the next one comes within ${sayStep(stepMs)}.${period === 'hour' ? '' : ' A shorter period shows more.'}</p>`
  const href = (look: string) =>
    `/charts/escrow.svg?${new URLSearchParams({ token: token.address || 'native', period }).toString()}&${look}`
  return html`${renderChartImage(toEscrowChart(story, now), href, { alt: sayCourse(points), isBroad: true })}${begins}${table}`
}

function renderPoint(point: CoursePointView): Html {
  const difference = escrowDifference(point)
  return difference === null ? renderState('unknown', 'unknown') : renderDifference(difference)
}

function sayCourse(points: readonly CoursePointView[]): string {
  const short = points.filter((point) => escrowDifference(point)?.startsWith('-')).length
  return `The difference of held and owed over ${points.length} steps, below zero in ${short} of them; the numbers are in the table below`
}

function sayStep(ms: number): string {
  return ms < 3_600_000 ? (ms === 60_000 ? 'a minute' : `${ms / 60_000} minutes`) : `${ms / 3_600_000} hours`
}

function renderTable(points: readonly CoursePointView[]): Html {
  const heads = ['From, UTC', 'Held', 'Leaving', 'Owed', 'Difference']
  const shown = points.toReversed().slice(0, mostRows)
  const cell = (amount: string | null) =>
    amount === null ? renderState('unknown', 'unknown') : renderAmount(amount)
  return html`<div class="wide-table"><table class="dense"><thead><tr>${heads.map((name, index) => html`<th scope="col"${index > 0 ? html` class="number"` : ''}>${name}</th>`)}</tr></thead>
<tbody>${shown.map(
    (point) =>
      html`<tr><th scope="row">${formatTime(point.at).slice(5, 16)}</th><td class="number">${cell(point.holds)}</td><td class="number">${cell(point.inTransit)}</td><td class="number">${cell(point.owes)}</td><td class="number">${renderPoint(point)}</td></tr>`,
  )}</tbody></table></div>${shown.length < points.length ? html`<p class="note">The newest ${shown.length} of ${points.length}.</p>` : ''}`
}
