import { expect, test } from 'vitest'
import { createAlertViews, toAlertView } from '../../../src/app/toAlertView.ts'
import type { Judgement } from '../../../src/rules/types.ts'
import { createBench, createCondition, createRule, start } from '../alerts/harness.ts'

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
    return toAlertView(
      createAlertViews(bench.store, () => [rule], bench.clock.now()),
      row,
    )
  }
  const firing = (since: number) => ({ findings: [createCondition('zone', { since })], unknown: [] })
  await look(firing(start))
  expect(view()).toMatchObject({ since: start, toldAt: start, resolvedAt: null, endedBadly: false })
  await look({ findings: [], unknown: [] })
  const again = bench.clock.now()
  await look(firing(again))
  expect(view()).toMatchObject({ since: again, toldAt: again })
  await sending.stop()
})
