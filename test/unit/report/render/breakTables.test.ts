import { expect, test } from 'vitest'
import { summarizeBreaks } from '../../../../src/breaks/summarizeBreaks.ts'
import { renderReport } from '../../../../src/report/render/renderReport.ts'
import { ana, createWorld, day, pending, start, unbacked } from '../../breaks/world.ts'
import { createReport, hostile } from './sampleReport.ts'

const draw = () => Promise.resolve([])
const pageUrl = 'https://spanwatch.example.com'

/** A break that is open, a pair that was matched, and one that was written off and taken back. */
function summarize() {
  const world = createWorld()
  world.record('1', pending(1_250_000n))
  world.record('2', pending(2_000_000n))
  world.record('3', unbacked(2_000_000n))
  world.operations.matchBreaks({ payout: 't3', origin: 't2', reason: 'ticket 311', force: false }, ana)
  world.operations.writeOffBreak({ name: 't1', reason: '=cmd|x <b>' }, ana)
  world.clock.at += day
  world.operations.undoEntry({ entry: 'e2', reason: 'wrong one' }, { ...ana, by: 'ben' })
  const of = (from: number) => summarizeBreaks(world.sources, { from, until: from + day }, world.clock.now())
  const summaries = [of(start + day), of(start + 2 * day)] as const
  world.close()
  return summaries
}

test('the report shows what is open, what was settled by hand, who did it and why', async () => {
  const [breaks] = summarize()
  const { html, text, csv } = await renderReport(createReport({ breaks }), pageUrl, draw)
  for (const form of [html, text])
    for (const words of [
      'What does not reconcile',
      '1.25',
      'Settled by hand',
      'e1 matched',
      'ticket 311',
      'payout t3, unbacked',
      'e2 written off, taken back by e3',
    ])
      expect(form).toContain(words)
  expect(html).toContain('href="https://spanwatch.example.com/breaks?state=all"')
  expect(html).not.toContain('<b>')
  const [open = '', made = ''] = ['breaks', 'entries'].map(
    (name) => csv.find((file) => file.name === `${name}-2026-10-25.csv`)?.content,
  )
  expect(open.split('\r\n')[1]).toBe(
    `0xcccccccccccccccccccccccccccccccccccccccc,USDC,token,1,1.25,0,2026-11-01T00:00:00.000Z,2,4`,
  )
  expect(made.split('\r\n')).toHaveLength(5)
  expect(made).toContain(`"'=cmd|x <b>"`)
})

test.each([
  ['2026-10-25', 'on this day'],
  ['2026-W43', 'in this week'],
  ['2026-10', 'in this month'],
])('the report of %s says that entries were made %s', async (name, words) => {
  const [breaks] = summarize()
  const report = createReport({ breaks })
  const { text } = await renderReport({ ...report, window: { ...report.window, day: name } }, pageUrl, draw)
  expect(text.replaceAll(/\s+/g, ' ')).toContain(`took back ${words}.`)
})

test('an entry stands in the report of the day on which it was made', () => {
  const [first, second] = summarize()
  expect(first.entries.map(({ id }) => id)).toEqual(['e1', 'e2'])
  expect(second.entries).toMatchObject([{ id: 'e3', undoes: 'e2', who: 'ben', reason: 'wrong one' }])
  expect(first.sums).toMatchObject([
    { symbol: 'USDC', open: { count: 1, amount: '1.25' }, settled: { count: 2, amount: '4' } },
  ])
})

test('a report that was kept before there were breaks shows none, and does not say that there are none', async () => {
  const { html, text, csv } = await renderReport(createReport(), pageUrl, draw)
  for (const form of [html, text]) expect(form).not.toContain('reconciles.')
  expect(csv.some(({ name }) => name.startsWith('breaks'))).toBe(false)
})

test('a token that nobody lists goes by its address, whatever it calls itself', async () => {
  const sum = {
    token: hostile.address,
    symbol: null,
    inBaseUnits: true,
    open: { count: 1, amount: '77', unknown: 1 },
    settled: { count: 0, amount: '0' },
    oldestAt: start,
  }
  const { text } = await renderReport(
    createReport({ breaks: { sums: [sum], isCut: true, entries: [] } }),
    null,
    draw,
  )
  expect(text).toContain(`base units of ${hostile.address}`)
  expect(text).toContain('77 and 1 of unknown amount')
  expect(text).toContain('more than are read at once')
})
