import { createHash } from 'node:crypto'
import { html } from 'hono/html'
import type { ChartSpec } from '../../lib/charts.ts'
import { formatDuration } from '../../lib/duration.ts'
import type { Series } from '../viewTypes.ts'
import { type Html, renderState } from './words.ts'

export const chartNames = ['flow', 'latency'] as const
export type ChartName = (typeof chartNames)[number]

/** What a chart shows, whatever its size and colours. */
export type Drawn = Pick<ChartSpec, 'kind' | 'categories' | 'series' | 'unit' | 'stacked'>

/** A chart of fewer says nothing of a course. */
const leastPoints = 6

/** What a chart draws, from the first that is known; the numbers stand in the table beside it. */
export function toChart(name: ChartName, series: Series): Drawn {
  const drawn = name === 'flow' ? toFlowChart(series) : toLatencyChart(series)
  const count = drawn.categories.length
  const first = drawn.categories.findIndex((_, index) => drawn.series.some(({ values }) => values[index]))
  const from = first === -1 ? count : Math.max(0, Math.min(first, count - leastPoints))
  return {
    ...drawn,
    categories: drawn.categories.slice(from),
    series: drawn.series.map((one) => ({ ...one, values: one.values.slice(from) })),
  }
}

function toFlowChart({ flow }: Series): Drawn {
  return {
    kind: 'bar',
    stacked: true,
    unit: 'transfers',
    categories: flow.map(({ at }) => hourOf(at)),
    series: [
      { name: 'deposits', values: flow.map(({ started }) => started?.MainToZone ?? null) },
      { name: 'withdrawals', values: flow.map(({ started }) => started?.ZoneToMain ?? null) },
    ],
  }
}

function toLatencyChart({ latency }: Series): Drawn {
  const values = latency.flatMap(({ p95 }) => [p95.MainToZone, p95.ZoneToMain]).filter((ms) => ms !== null)
  const most = Math.max(0, ...values)
  const [unit, unitMs]: readonly [string, number] =
    most < 180_000 ? ['seconds', 1_000] : most < 10_800_000 ? ['minutes', 60_000] : ['hours', 3_600_000]
  const line = (direction: 'MainToZone' | 'ZoneToMain') =>
    latency.map(({ p95 }) => {
      const ms = p95[direction]
      return ms === null ? null : Math.round((ms / unitMs) * 10) / 10
    })
  return {
    kind: 'line',
    unit,
    categories: latency.map(({ at }) => dayOf(at)),
    series: [
      { name: 'deposits', values: line('MainToZone') },
      { name: 'withdrawals', values: line('ZoneToMain') },
    ],
  }
}

/** A chart as images for each scheme and width, with a table of its numbers for whoever does not see it. */
export function renderChartCard(name: ChartName, series: Series): Html {
  const drawn = toChart(name, series)
  const isEmpty = drawn.categories.length === 0
  if (isEmpty) return html`<p class="empty">No transfer is known yet: it begins with the first.</p>`
  const alt =
    name === 'flow'
      ? sayFlow(series)
      : 'How long transfers took, by the time of their arrival; the numbers are in the table below'
  return html`${renderChartImage(drawn, (look) => `/charts/${name}.svg?${look}`, { alt })}
<details><summary>As a table</summary>${name === 'flow' ? renderFlowTable(series) : renderLatencyTable(series)}</details>`
}

export const chartSizes = {
  broad: { width: 1_160, height: 240 },
  wide: { width: 560, height: 190 },
  narrow: { width: 310, height: 160 },
} as const

/** One image for each scheme and width; `toHref` says where each is drawn. */
export function renderChartImage(
  drawn: Drawn,
  toHref: (look: string) => string,
  { alt, isBroad = false }: { readonly alt: string; readonly isBroad?: boolean },
): Html {
  const version = createHash('sha256').update(JSON.stringify(drawn)).digest('hex').slice(0, 12)
  const href = (theme: string, size: string) => toHref(`theme=${theme}&size=${size}&v=${version}`)
  const size = isBroad ? 'broad' : 'wide'
  const { width, height } = chartSizes[size]
  return html`<picture class="chart${isBroad ? ' broad' : ''}">
<source media="(max-width: 36rem) and (prefers-color-scheme: dark)" srcset="${href('dark', 'narrow')}">
<source media="(max-width: 36rem)" srcset="${href('light', 'narrow')}">
<source media="(prefers-color-scheme: dark)" srcset="${href('dark', size)}">
<img src="${href('light', size)}" alt="${alt}" width="${width}" height="${height}">
</picture>`
}

function sayFlow({ flow }: Series): string {
  const known = flow.flatMap(({ started }) => started ?? [])
  const sum = (direction: 'MainToZone' | 'ZoneToMain') =>
    known.reduce((total, counts) => total + counts[direction], 0)
  return `Transfers that left in each hour of the past day: ${sum('MainToZone')} deposits and ${sum('ZoneToMain')} withdrawals over ${known.length} hours`
}

const unknown = () => renderState('unknown', 'unknown')

function renderFlowTable({ flow }: Series): Html {
  return html`<table class="dense"><thead><tr><th scope="col">Hour, UTC</th><th scope="col">Deposits left, arrived</th><th scope="col">Withdrawals left, arrived</th></tr></thead>
<tbody>${flow
    .toReversed()
    .map(
      ({ at, started, arrived }) =>
        html`<tr><th scope="row">${dayOf(at)}</th><td>${started === null || arrived === null ? unknown() : `${started.MainToZone}, ${arrived.MainToZone}`}</td><td>${started === null || arrived === null ? unknown() : `${started.ZoneToMain}, ${arrived.ZoneToMain}`}</td></tr>`,
    )}</tbody></table>`
}

function renderLatencyTable({ latency }: Series): Html {
  const say = (ms: number | null) => (ms === null ? unknown() : formatDuration(ms))
  return html`<table class="dense"><thead><tr><th scope="col">From, UTC</th><th scope="col">Deposits: half, 95 %</th><th scope="col">Withdrawals: half, 95 %</th></tr></thead>
<tbody>${latency
    .filter(({ p50 }) => p50.MainToZone !== null || p50.ZoneToMain !== null)
    .toReversed()
    .map(
      ({ at, p50, p95 }) =>
        html`<tr><th scope="row">${dayOf(at)}</th><td>${say(p50.MainToZone)}, ${say(p95.MainToZone)}</td><td>${say(p50.ZoneToMain)}, ${say(p95.ZoneToMain)}</td></tr>`,
    )}</tbody></table>`
}

function hourOf(at: number): string {
  return new Date(at).toISOString().slice(11, 16)
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(5, 16).replace('T', ' ')
}
