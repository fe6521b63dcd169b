import type { Hono } from 'hono'
import { renderChart } from '../../lib/charts.ts'
import { type ChartName, chartNames, toChart } from '../pages/chartCards.ts'
import type { WebDeps, WebEnv } from '../types.ts'

const sizes = { wide: { width: 460, height: 210 }, narrow: { width: 310, height: 200 } } as const
/** Both charts in both schemes and widths, twice over while one follows another. */
const mostKept = 16

/** Charts as images: drawn here, once for each state of their numbers. */
export function addChartRoutes(app: Hono<WebEnv>, deps: WebDeps): void {
  const kept = new Map<string, Promise<string>>()
  app.get('/charts/:file', async (c) => {
    const name = chartNames.find((one) => `${one}.svg` === c.req.param('file'))
    if (name === undefined) return c.notFound()
    const theme = c.req.query('theme') === 'dark' ? 'dark' : 'light'
    const size = c.req.query('size') === 'narrow' ? 'narrow' : 'wide'
    const svg = await draw(name, theme, size)
    // An image runs no script, and its text is styled inline.
    c.set('policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    return c.body(svg, 200, { 'Content-Type': 'image/svg+xml' })
  })

  function draw(name: ChartName, theme: 'light' | 'dark', size: keyof typeof sizes): Promise<string> {
    const spec = { ...toChart(name, deps.readSeries()), ...sizes[size], theme }
    const key = JSON.stringify(spec)
    const known = kept.get(key)
    if (known) return known
    const drawing = renderChart(spec)
    kept.set(key, drawing)
    drawing.catch(() => kept.delete(key))
    const [oldest] = kept.keys()
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
    return drawing
  }
}
