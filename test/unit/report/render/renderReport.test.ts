import { describe, expect, test } from 'vitest'
import { once } from '../../../../src/lib/once.ts'
import { renderReport } from '../../../../src/report/render/renderReport.ts'
import { createReport, hostile } from './sampleReport.ts'

const pageUrl = 'https://spanwatch.example.com'
/** Without its charts, which take most of the time. */
const render = (overrides: Parameters<typeof createReport>[0]) =>
  renderReport(createReport(overrides), pageUrl, async () => [])
const sample = once(() => renderReport(createReport(), pageUrl))

test('every section stands in the mail and in its text, with the exact numbers', async () => {
  const { html, text, subject } = await sample()
  expect(subject).toMatch(
    /^\[spanwatch\] Bridge reconciliation 2026-10-25: not reconciled: 3\.5 USDC paid without origin, 12 base units of \[=HYPERLINK.* failed; corrected for 2026-10-24: 1,234,567\.5 USDC paid without origin; incomplete$/,
  )
  for (const form of [html, text]) {
    for (const words of [
      '25 hours: the clocks change',
      'not the whole day was observed: transfers 97 %',
      '98,765,432,109,876,543,198',
      '−9,590.32',
      'Restated',
      'Learned of earlier days',
      '1 found then, sent or not',
      'transfer.failed',
      '118 (3000)',
      '1m 1s (58s)',
      '999,988',
      '99.9 %',
      '97.1 %',
    ])
      expect(form).toContain(words)
  }
})

test('of many lines about earlier days those of the newest are shown, and it is said that there are more', async () => {
  const line = { kind: 'transfer.failed', severity: 'critical' as const, count: 1, money: [] }
  const days = Array.from({ length: 21 }, (_, at) => `2026-09-${String(at + 1).padStart(2, '0')}`)
  const all = await render({ corrections: days.slice(1).map((day) => ({ ...line, day })) })
  expect(all.text).toContain('2026-09-02')
  expect(all.text).not.toContain('lines the 20')
  const { text } = await render({ corrections: days.map((day) => ({ ...line, day })) })
  expect(text.replaceAll('\n', ' ')).toContain('Of 21 lines the 20 of the newest days.')
  expect(text).not.toContain('2026-09-01')
  expect(text).toContain('2026-09-21')
})

test('an alert of digits is no number to a spreadsheet', async () => {
  const { findings } = createReport()
  const named = (alertId: string) =>
    findings.map((group) => ({ ...group, examples: group.examples.map((one) => ({ ...one, alertId })) }))
  for (const alertId of ['1234e567', '#1234e567']) {
    const { csv } = await render({ findings: named(alertId) })
    expect(csv.find(({ name }) => name.startsWith('findings'))?.content).toContain(',t42,#1234e567,12,')
  }
})

test('the columns of the book are names and values in whatever is too narrow for them', async () => {
  const { html } = await sample()
  const [, width] = /@media \(max-width: (\d+)px\) \{\s*\.wide,/.exec(html) ?? []
  expect(Number(width)).toBeGreaterThan(1_060)
})

test('a narrow screen leaves the long tables to their files, and says so', async () => {
  const { html, csv } = await sample()
  const hidden = [...html.matchAll(/<tr class="detail">.*?<h2[^>]*>([^<]*)<\/h2>/gs)].map(
    ([, title]) => title,
  )
  expect(hidden).toEqual(['Escrows at the end of the day', 'Time from origin to destination'])
  expect(html).toContain(
    'Escrows at the end of the day: file escrow. Time from origin to destination: file latency.',
  )
  const files = csv.map(({ name }) => name.replace(/-\d{4}-.*/, ''))
  expect(files).toEqual(expect.arrayContaining(['escrow', 'latency']))
})

test('what could not be known is printed as unknown, never as zero', async () => {
  const { html, text } = await render({ latencies: null, escrows: null, coverage: null })
  for (const form of [html, text])
    expect(form.replace(/\s+/g, ' ').split('unknown: it could not be observed')).toHaveLength(4)
})

test('F72, F73: names from the chain stay text', async () => {
  const { html, text, csv } = await sample()
  expect(html).not.toContain('<img src=x')
  expect(html).toContain('&lt;img src=x')
  expect(text).toContain('[=HYPERLINK(')
  expect(csv.map(({ content }) => content).join('')).toContain(`"'=HYPERLINK(""`)
})

test('F74: amounts in the CSV stay numbers, exact to the last unit', async () => {
  const [flows] = (await sample()).csv
  const [head = '', first = ''] = (flows?.content ?? '').split('\r\n')
  const cells = Object.fromEntries(head.split(',').map((name, index) => [name, first.split(',')[index]]))
  expect(cells).toMatchObject({
    token: `0x${'c'.repeat(40)}`,
    started_amount: '98765432109876543210',
    started_raw: '98765432109876543210000000',
    closing_unknown_amounts: '1',
  })
})

test('the mail asks nobody else for anything, and links to the page alone', async () => {
  const { html, charts } = await sample()
  const sources = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, target]) => target)
  expect(new Set(sources)).toEqual(
    new Set([
      ...charts.map(({ name }) => `cid:${name}`),
      ...['/', '/transfers/t42', '/transfers/t43'].map((path) => `https://spanwatch.example.com${path}`),
    ]),
  )
})

describe('a quiet day', () => {
  test('has no charts, and says that nothing happened', async () => {
    const quiet = createReport({
      book: [],
      problems: [],
      corrections: [],
      flows: [],
      findings: [],
      oldest: [],
      missing: [],
      latencies: [],
      hours: [],
    })
    const { html, text, charts } = await renderReport(quiet, pageUrl)
    expect(charts).toEqual([])
    for (const form of [html, text]) expect(form).toContain('Nothing was found.')
    expect(text).toMatch(/^Bridge reconciliation 2026-10-25: reconciled: 0 deposits, 0 withdrawals\n/)
  })

  test('an unlisted token without a name is still told apart by its address', async () => {
    const token = { ...hostile, name: '' }
    const book = (createReport().book ?? []).map((line) => ({ ...line, token }))
    expect((await render({ book })).html).toContain(token.address)
  })
})

test('charts that cannot be drawn cost nothing but the charts, and the report says so', async () => {
  const failing = () => Promise.reject(new Error("Cannot find module '@resvg/resvg-js-linux-x64-gnu'"))
  const report = await renderReport(createReport(), null, failing)
  expect(report.charts).toEqual([])
  const said = /its charts, which could not be drawn \(Cannot find module/
  expect(report.text).toMatch(said)
  expect(report.html).toMatch(said)
  expect(report.html).not.toContain('cid:')
})

test('the text stays within 80 columns', async () => {
  const { text } = await sample()
  const wide = text.split('\n').filter((line) => line.length > 80 && !/0x[0-9a-f]{40}/.test(line))
  expect(wide).toEqual([])
})

test('what was kept before there was a book is shown by its flows', async () => {
  const { book, problems, corrections, ...old } = createReport()
  expect([book, problems, corrections]).not.toContain(undefined)
  const { text, subject } = await renderReport(old, null, async () => [])
  expect(subject).toContain('1 critical finding (transfer.failed)')
  expect(text).toContain('98,765,432,109,876,543,210 (120)')
})
