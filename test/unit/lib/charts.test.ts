import { expect, test } from 'vitest'
import { type ChartSpec, renderChart, toPng } from '../../../src/lib/charts.ts'

const spec: ChartSpec = {
  kind: 'bar',
  categories: ['Mon', 'Tue'],
  series: [
    { name: 'deposits', values: [1, 5] },
    { name: 'withdrawals', values: [2, null] },
  ],
  unit: 'transfers',
  width: 600,
  height: 200,
  theme: 'light',
}

test('a chart is drawn as SVG of its size, with its words', async () => {
  const svg = await renderChart(spec)
  expect(svg).toMatch(/^<svg width="600" height="200"/)
  for (const word of ['Mon', 'Tue', 'deposits', 'withdrawals', 'transfers'])
    expect(svg).toContain(`>${word}<`)
})

test('stacked bars show what is not known, and only that, as such', async () => {
  const stacked = { ...spec, stacked: true }
  expect(await renderChart(stacked)).not.toContain('not known')
  const [deposits, withdrawals] = spec.series.map(({ name }) => ({ name, values: [1, null] }))
  const series = deposits && withdrawals ? [deposits, withdrawals] : []
  expect(await renderChart({ ...stacked, series })).toContain('>not known<')
})

test('names that look like markup stay names', async () => {
  const svg = await renderChart({ ...spec, categories: ['<script>alert(1)</script>', '"&'] })
  expect(svg).not.toContain('<script>')
})

test.each(['bar', 'line'] as const)('what is not known is not drawn as zero: %s', async (kind) => {
  const draw = (values: (number | null)[]) => renderChart({ ...spec, kind, series: [{ name: 'a', values }] })
  expect(await draw([1, null])).not.toBe(await draw([1, 0]))
  expect(await draw([1, null])).not.toContain('NaN')
})

test('a PNG has twice the pixels and says something', async () => {
  const png = await toPng(await renderChart(spec))
  expect(png.subarray(1, 4).toString()).toBe('PNG')
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1_200, 400])
  const words = await toPng(await renderChart({ ...spec, categories: ['other', 'words'] }))
  expect(words.equals(png)).toBe(false)
})
