import { expect, test } from 'vitest'
import { createAlertViews, toAlertView } from '../../../../src/web/views/toAlertView.ts'
import { renderMeta } from '../../../../src/web/pages/alertList.ts'
import type { Judgement } from '../../../../src/rules/kind.ts'
import { createBench, createCondition, createRule, start } from '../../alerts/harness.ts'

const rule = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'critical' })

test('an alert that fires anew was told when it was told of that, not of an earlier time', async () => {
  const bench = createBench()
  const sending = bench.startSending()
  const look = async (judgement: Judgement) => {
    bench.engine.applyCondition(rule, judgement, bench.clock.now())
    bench.engine.flush(bench.clock.now())
    sending.wake()
    await bench.clock.advance(600_000)
  }
  const view = () => {
    const [row] = bench.store.listAlerts({ limit: 1 })
    if (!row) throw new Error('there is no alert')
    return toAlertView(createAlertViews(bench.store, [rule], bench.clock.now()), row)
  }
  const firing = (since: number) => ({ findings: [createCondition('zone', { since })], unknown: [] })
  await look(firing(start))
  expect(view()).toMatchObject({
    since: start,
    foundAt: start,
    toldAt: start,
    resolvedAt: null,
    endedBadly: false,
  })
  await look({ findings: [], unknown: [] })
  const again = bench.clock.now()
  await look(firing(again))
  expect(view()).toMatchObject({ since: again, toldAt: again })
  await sending.stop()
})

test.each([
  ['escrow.drift', 86_400_000],
  ['chain.stalled', 0],
] as const)(
  'of %s, what began is told by the clock that told it, %d ms behind ours',
  async (kind, leadMs) => {
    const bench = createBench()
    const of = createRule({ name: 'of', kind, severity: 'critical' })
    const finding = { ...createCondition('zone', { since: start - leadMs }), kind }
    bench.engine.applyCondition(of, { findings: [finding], unknown: [] }, bench.clock.now())
    const [row] = bench.store.listAlerts({ limit: 1 })
    if (!row) throw new Error('there is no alert')
    const views = createAlertViews(bench.store, [of], bench.clock.now(), 86_400_000)
    const view = toAlertView(views, row)
    expect(view).toMatchObject({ since: start - leadMs, leadMs })
    expect((await renderMeta(view, start + 60_000)).toString()).toMatch(/happened <time[^>]*>1m ago/)
  },
)

test.each([
  { title: 'has no summary', rules: [{ ...rule, summarize: () => null }] },
  { title: 'is gone', rules: [] },
])('what a finding says is in the words of its kind where its rule $title', ({ rules }) => {
  const bench = createBench()
  bench.engine.applyCondition(rule, { findings: [createCondition('zone')], unknown: [] }, bench.clock.now())
  const [row] = bench.store.listAlerts({ limit: 1 })
  if (!row) throw new Error('there is no alert')
  const { title, summary } = toAlertView(createAlertViews(bench.store, rules, bench.clock.now()), row)
  expect(summary).toBe(`Chain stalled: ${title}`)
})
