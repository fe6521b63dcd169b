import { expect, test } from 'vitest'
import { countSuppressed } from '../../../src/report/queries.ts'
import { createBench, createCondition, createRule, start } from '../alerts/harness.ts'

const stalled = createRule({ name: 'stalled', kind: 'chain.stalled' })
const hour = 3_600_000

test.each([
  {
    title: 'fired and ended while it was silenced counts',
    matcher: 'rule="stalled"',
    lastsMs: 10_000,
    count: 1,
  },
  { title: 'fired and was told does not', matcher: 'rule="other"', lastsMs: 60_000, count: 0 },
])('of what is suppressed, what $title', ({ matcher, lastsMs, count }) => {
  const { store, engine, database } = createBench()
  store.insertSilence({
    matchers: [matcher],
    startsAt: start,
    endsAt: start + hour,
    author: 'ana',
    comment: 'known',
    createdAt: start,
    transfer: null,
  })
  engine.applyCondition(stalled, { findings: [createCondition('zone')], unknown: [] }, start)
  engine.flush(start)
  for (let at = 5_000; at <= 90_000; at += 5_000) {
    const findings = at < lastsMs ? [createCondition('zone')] : []
    engine.applyCondition(stalled, { findings, unknown: [] }, start + at)
    engine.flush(start + at)
  }
  expect(countSuppressed(database, { from: start, until: start + hour })).toBe(count)
})
