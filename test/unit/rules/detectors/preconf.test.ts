import { describe, expect, test } from 'vitest'
import { preconfGap } from '../../../../src/checks/preconf/gap.ts'
import { preconfStalled } from '../../../../src/checks/preconf/stalled.ts'
import type { Facts } from '../../../../src/checks/index.ts'
import type { PreconfFacts } from '../../../../src/checks/preconf/facts.ts'
import { toFacts, toHead, toPreconf } from '../facts.ts'

const stalled = (facts: Facts) => preconfStalled.judge(facts, preconfStalled.params.parse({}))
const gap = (facts: Facts) => preconfGap.judge(facts, preconfGap.params.parse({}))
const reasonOf = (facts: Facts) => stalled(facts).findings.map((finding) => finding.facts['reason'])
const silent: PreconfFacts = {
  ...toPreconf(10_000, { pending: 100, latest: 99 }),
  unansweredSince: 10_100,
}

describe('preconf.stalled', () => {
  test('a frozen block being made, while latest goes on, is told after the bound and not before', () => {
    const preconf = (now: number) => toPreconf(now, { pending: 100, latest: 105 })
    expect(reasonOf(toFacts(9_999, { preconf: preconf(9_999) }))).toEqual([])
    expect(reasonOf(toFacts(10_000, { preconf: preconf(10_000) }))).toEqual(['frozen'])
  })

  test('a whole chain that stands still is not it', () => {
    expect(stalled(toFacts(60_000, { preconf: toPreconf(60_000, { pending: 100, latest: 100 }) }))).toEqual({
      findings: [],
      unknown: [],
    })
  })

  test('an RPC that stands still as a whole while the explorer shows later blocks is it', () => {
    const preconf = toPreconf(60_000, { pending: 100, latest: 99 })
    expect(reasonOf(toFacts(60_000, { preconf, heads: [toHead({ chain: 'main', height: 130 })] }))).toEqual([
      'frozen',
    ])
  })

  test('no block being made at all is told after the bound and not before', () => {
    const preconf = (now: number) => toPreconf(now, { pending: null, latest: 105 })
    expect(reasonOf(toFacts(9_999, { preconf: preconf(9_999) }))).toEqual([])
    expect(reasonOf(toFacts(10_000, { preconf: preconf(10_000) }))).toEqual(['none pending'])
  })

  test('an RPC that cannot be asked is not judged', () => {
    const preconf = toPreconf(10_000, { pending: 100, latest: 105 })
    expect(stalled(toFacts(60_000, { preconf }))).toEqual({ findings: [], unknown: ['preconf'] })
  })

  test('a connection that stands and answers nothing is told while the main chain goes on', () => {
    const heads = [toHead({ chain: 'main', advancedAt: 19_000 })]
    expect(reasonOf(toFacts(20_100, { preconf: silent, heads }))).toEqual(['unanswered'])
    expect(stalled(toFacts(20_099, { preconf: silent, heads }))).toEqual({
      findings: [],
      unknown: ['preconf'],
    })
    expect(stalled(toFacts(20_100, { preconf: silent })).unknown).toEqual(['preconf'])
  })

  test('what stood before a pause in the readings has to stand for the bound again', () => {
    const { view } = toPreconf(60_000, { pending: 100, latest: 160 })
    const preconf = { ...silent, unansweredSince: null, view: { ...view, readSince: 55_000 } }
    expect(stalled(toFacts(60_000, { preconf }))).toEqual({ findings: [], unknown: ['preconf'] })
    const later = { ...preconf, view: { ...preconf.view, readAt: 65_000 } }
    expect(reasonOf(toFacts(65_000, { preconf: later }))).toEqual(['frozen'])
  })

  test('without a preconfirmation RPC there is nothing to say', () => {
    expect(stalled(toFacts(60_000))).toEqual({ findings: [], unknown: [] })
  })
})

describe('preconf.gap', () => {
  test('five blocks behind latest are told, four are not', () => {
    const at = (latest: number) => toFacts(60_000, { preconf: toPreconf(60_000, { pending: 100, latest }) })
    expect(gap(at(104)).findings).toEqual([])
    expect(gap(at(105)).findings[0]?.facts).toMatchObject({
      gap: 5,
      pendingAgeMs: 60_000,
      latestAgeMs: 60_000,
    })
  })

  test('a main head read after the newest answer says nothing of the distance at that time', () => {
    const preconf = toPreconf(60_000, { pending: 100, latest: 99 })
    const head = (readAt: number) => [toHead({ chain: 'main', height: 120, readAt })]
    expect(gap(toFacts(61_500, { preconf, heads: head(61_500) })).findings).toEqual([])
    expect(gap(toFacts(61_500, { preconf, heads: head(60_000) })).findings).toHaveLength(1)
  })

  test('without a fresh answer nothing is known', () => {
    const preconf = toPreconf(60_000, { pending: 100, latest: 160 })
    expect(gap(toFacts(62_001, { preconf }))).toEqual({ findings: [], unknown: ['preconf'] })
  })
})
