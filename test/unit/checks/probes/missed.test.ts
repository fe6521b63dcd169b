import { describe, expect, test } from 'vitest'
import type { ProbeFact } from '../../../../src/checks/probes/facts.ts'
import { deadlineOf, probeMissed } from '../../../../src/checks/probes/missed.ts'
import { toFacts } from '../../rules/facts.ts'

const hour = 3_600_000
const minute = 60_000
const start = 1_800_000_000_000
const address = `0x${'a1'.repeat(20)}`
const subject = `${address}|ZoneToMain`
const within = 30 * minute

const prober: ProbeFact = {
  address,
  direction: 'ZoneToMain',
  everyMs: hour,
  since: start,
  last: null,
  open: null,
}
const judge = (probe: Partial<ProbeFact>, at: { now: number; shownUntil?: number | null; with?: object }) => {
  const { now, shownUntil = now } = at
  const facts = toFacts(now, { probes: { shownUntil, list: [{ ...prober, ...probe }] } })
  const { findings, unknown } = probeMissed.judge(facts, { within, ...at.with })
  return { told: findings.map((one) => [one.subject, one.facts['state']]), unknown }
}
const silent = { told: [], unknown: [] }
const told = (state: string) => ({ told: [[subject, state]], unknown: [] })
const end = start + hour + within

describe('a prober of whom nothing was ever seen', () => {
  test('is waited for over one period and what a probe may take', () =>
    expect(judge({}, { now: end })).toEqual(silent))
  test('is told one millisecond later', () => expect(judge({}, { now: end + 1 })).toEqual(told('none')))
  test('has what it sent before it was looked for count for nothing', () => {
    const last = { key: 't1', leftAt: start - 9 * hour, arrivedAt: start - 8 * hour }
    expect(judge({ last }, { now: end })).toEqual(silent)
    expect(judge({ last }, { now: end + 1 })).toEqual(told('none'))
  })
})

describe('the newest that came through', () => {
  const last = { key: 't1', leftAt: start + hour, arrivedAt: start + 3 * hour }
  test('counts from when it left, however long it took', () => {
    expect(judge({ last }, { now: last.leftAt + hour + within })).toEqual(silent)
    expect(judge({ last }, { now: last.leftAt + hour + within + 1 })).toEqual(told('none'))
  })
  test('beside one that is under way and slow', () => {
    const open = { count: 2, failed: 1, oldestAt: start + 2 * hour, newestAt: start + 2 * hour }
    expect(judge({ last, open }, { now: start + 3 * hour })).toEqual(told('under way'))
  })
  test('beside others that failed', () => {
    const open = { count: 1, failed: 1, oldestAt: start + 2 * hour, newestAt: start + 2 * hour }
    expect(judge({ last, open }, { now: start + 3 * hour })).toEqual(told('failed'))
  })
})

describe('where it could not be seen', () => {
  const unsaid = { told: [], unknown: [subject] }
  test('the list was never read', () =>
    expect(judge({}, { now: end + hour, shownUntil: null })).toEqual(unsaid))
  test('the list is shown until the deadline', () =>
    expect(judge({}, { now: end + hour, shownUntil: end })).toEqual(unsaid))
  test('and is told once it is shown beyond', () =>
    expect(judge({}, { now: end + hour, shownUntil: end + 1 })).toEqual(told('none')))
})

test('a rule on the other direction does not look at it', () => {
  expect(judge({}, { now: end + hour, with: { direction: 'MainToZone' } })).toEqual(silent)
})

test('the deadline is a period and what a probe may take after the newest that came through left', () => {
  expect(deadlineOf(prober, within)).toBe(end)
})
