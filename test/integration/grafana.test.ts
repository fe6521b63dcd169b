import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stringify } from 'yaml'
import { describe, expect, onTestFinished, test } from 'vitest'
import { metricDefinitions } from '../../src/web/metricDefinitions.ts'
import { addProcessMetrics, createRegistry } from '../../src/web/metrics.ts'
import { hasProgram } from '../support/hasProgram.ts'

interface Panel {
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

const dashboard: { panels: Panel[]; templating: { list: { definition?: string }[] } } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../deploy/grafana-dashboard.json'), 'utf8'),
)
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
)

const { registry } = createRegistry({ collect: () => expect.fail() })
addProcessMetrics(registry)
const names = new Set(registry.getMetricsAsArray().map(({ name }) => name))
/** The labels that Prometheus and histograms add, and each metric's own. */
const labels = new Set([
  'instance',
  'le',
  'rule',
  ...metricDefinitions.flatMap((definition) => definition.labels),
])

const unknownNames = (text: string) =>
  (text.match(/\b(?:spanwatch|process|nodejs)_\w+/g) ?? [])
    .map((name) => name.replace(/_(bucket|sum|count)$/, ''))
    .filter((name) => !names.has(name))

/** What a query selects or groups by, and its legend shows. */
const unknownLabels = (expr: string, legend: string) =>
  [
    ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', ')),
    ...[...expr.matchAll(/(\w+)=~?"/g)].map(([, label = '']) => label),
    ...[...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
  ].filter((label) => !labels.has(label))

describe('the Grafana dashboard', () => {
  test('asks something', () => expect(queries.length).toBeGreaterThan(20))

  test.each(queries)('$title: $expr names metrics and labels that exist', ({ expr, legendFormat }) => {
    expect(expr).toMatch(/spanwatch_|process_/)
    expect(unknownNames(expr)).toEqual([])
    expect(unknownLabels(expr, legendFormat)).toEqual([])
  })

  test('its variable too', () => {
    const texts = dashboard.templating.list.flatMap(({ definition }) => definition ?? [])
    expect(texts.flatMap(unknownNames)).toEqual([])
  })

  test('a metric or a label that is not there would be noticed', () => {
    expect(unknownNames('rate(spanwatch_nope_total[5m])')).toEqual(['spanwatch_nope_total'])
    expect(unknownLabels('sum by (nope) (x{other="1"})', '{{third}}')).toEqual(['nope', 'other', 'third'])
  })

  test('a legend shows only what its query keeps', () => {
    const lost = queries.filter(({ expr, legendFormat }) => {
      const [, kept] = /^[^(]*?by \(([^)]*)\)/.exec(expr) ?? []
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
      return kept !== undefined && shown.some((label) => !kept.split(', ').includes(label))
    })
    expect(lost).toEqual([])
  })

  test('no panel lies over another, and none beyond the grid', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)}:${y + Math.floor(index / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24)
  })

  test.runIf(hasProgram('promtool'))('Prometheus understands every query', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'spanwatch-grafana-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const rules = queries.map(({ expr }, index) => ({
      record: `query:${index}`,
      expr: expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '5m'),
    }))
    const path = join(folder, 'queries.yaml')
    writeFileSync(path, stringify({ groups: [{ name: 'dashboard', rules }] }))
    const { stdout } = await promisify(execFile)('promtool', ['check', 'rules', path])
    expect(stdout).toContain(`${queries.length} rules found`)
  })
})
