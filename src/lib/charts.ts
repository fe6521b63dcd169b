import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** A chart of a few series over common categories. Values are for drawing only: exact numbers stand beside a chart. */
export interface ChartSpec {
  readonly kind: 'bar' | 'line'
  readonly categories: readonly string[]
  /** A null is a gap: not known is not zero. */
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[]
  readonly stacked?: boolean
  /** What the numbers are, e.g. `transfers`, `minutes`. */
  readonly unit: string
  readonly width: number
  readonly height: number
  readonly theme: 'light' | 'dark'
}

const inks = {
  light: {
    text: '#4a5160',
    line: '#dfe2e7',
    series: ['#1a73e8', '#e08600', '#1e8e3e', '#d93025', '#7b3fe4'],
  },
  dark: { text: '#b6bcc8', line: '#3a3f4a', series: ['#7ab0ff', '#f2b45c', '#6fcf8a', '#ff8a80', '#c3a6ff'] },
} as const

const font = 'DejaVu Sans'
/** Where a browser draws it, the font may be missing. */
const fonts = `${font}, Verdana, sans-serif`

/** Draws a chart as SVG, without a browser. The library is loaded with the first chart: most processes draw none. */
export async function renderChart(spec: ChartSpec): Promise<string> {
  const { BarChart, GridComponent, init, LegendComponent, LineChart, SVGRenderer, use } = await import(
    './chartLibrary.ts'
  )
  use([BarChart, LineChart, GridComponent, LegendComponent, SVGRenderer])
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: spec.width, height: spec.height })
  try {
    chart.setOption(toOption(spec))
    return chart.renderToSVGString()
  } finally {
    chart.dispose()
  }
}

function toOption(spec: ChartSpec): Record<string, unknown> {
  const ink = inks[spec.theme]
  const axis = {
    axisLabel: { color: ink.text, fontSize: 11 },
    nameTextStyle: { color: ink.text, fontSize: 11 },
  }
  return {
    animation: false,
    color: ink.series,
    textStyle: { fontFamily: fonts, color: ink.text },
    grid: {
      left: 8,
      right: 12,
      top: spec.series.length > 1 ? 34 : 26,
      bottom: 4,
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    },
    legend:
      spec.series.length > 1
        ? { top: 0, itemGap: 28, textStyle: { color: ink.text, fontSize: 11 } }
        : { show: false },
    xAxis: { ...axis, type: 'category', data: spec.categories, axisLine: { lineStyle: { color: ink.line } } },
    yAxis: { ...axis, type: 'value', name: spec.unit, splitLine: { lineStyle: { color: ink.line } } },
    series: [
      ...spec.series.map(({ name, values }) => ({
        name,
        type: spec.kind,
        data: values,
        ...(spec.stacked && { stack: 'all' }),
        ...(spec.kind === 'line' && { showSymbol: values.length < 40, connectNulls: false }),
      })),
      ...unknownSeries(spec),
    ],
  }
}

/** In stacked bars a null looks like zero: what is not known stands as a pale bar of full height, and says so. */
function unknownSeries({ kind, stacked, series, categories, theme }: ChartSpec): object[] {
  if (kind !== 'bar' || !stacked) return []
  const isUnknown = categories.map((_, index) => series.every(({ values }) => values[index] == null))
  if (!isUnknown.includes(true)) return []
  const totals = categories.map((_, index) =>
    series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
  )
  const full = Math.max(1, ...totals)
  const data = isUnknown.map((unknown) => (unknown ? full : null))
  return [{ name: 'not known', type: 'bar', stack: 'all', data, color: inks[theme].line }]
}

/** An SVG as PNG, for mail clients, which show nothing else; `scale` 2 is sharp on dense screens. */
export async function toPng(svg: string, scale = 2): Promise<Buffer> {
  const { Resvg } = await import('@resvg/resvg-js')
  const resvg = new Resvg(svg, {
    fitTo: { mode: 'zoom', value: scale },
    // A server has no fonts of its own.
    font: {
      loadSystemFonts: false,
      fontFiles: [findFont()],
      defaultFontFamily: font,
    },
  })
  return resvg.render().asPng()
}

/** The build puts the font beside the code; a clone takes it from its package. */
function findFont(): string {
  const built = join(import.meta.dirname, 'DejaVuSans.ttf')
  return existsSync(built)
    ? built
    : createRequire(import.meta.url).resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')
}
