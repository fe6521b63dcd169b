import { expect, test } from 'vitest'
import { type ChartSpec, renderChart } from '../../../src/lib/charts.ts'
import { createChartDrawer } from '../../../src/lib/drawChart.ts'

const charts = createChartDrawer()
const spec: ChartSpec = {
  kind: 'bar',
  categories: ['Mon', 'Tue'],
  series: [{ name: 'deposits', values: [1, 5] }],
  unit: 'transfers',
  width: 600,
  height: 200,
  theme: 'light',
}

/** Ids within it are counted on. */
const withoutIds = (svg: string) => svg.replaceAll(/zr\d+-[\w-]+/g, '')

test('the thread draws what is drawn here, several at once', async () => {
  const other = { ...spec, categories: ['Wed', 'Thu'] }
  const [first, second, png] = await Promise.all([charts.svg(spec), charts.svg(other), charts.png(spec)])
  expect(withoutIds(first)).toBe(withoutIds(await renderChart(spec)))
  expect(second).toContain('>Wed<')
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1_200, 400])
})

test('what cannot be drawn says why, and the next is drawn', async () => {
  const none = { ...spec, width: 0, height: 0 }
  await expect(charts.png(none)).rejects.toThrow(/\w{3}/)
  expect(await charts.svg(spec)).toContain('>Mon<')
})

test('what no thread can be given is refused, and the next is drawn', async () => {
  const functions = { ...spec, unit: (() => '') as unknown as string }
  await expect(charts.svg(functions)).rejects.toThrow('could not be cloned')
  expect(await charts.svg(spec)).toContain('>Mon<')
})
