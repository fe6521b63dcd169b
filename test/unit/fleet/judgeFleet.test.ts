import { describe, expect, test } from 'vitest'
import { judgeBridge, judgeFleet, rankBridges } from '../../../src/fleet/judgeFleet.ts'
import type { FleetBridge } from '../../../src/fleet/readFleet.ts'

const well: FleetBridge = {
  bridge: 'one',
  verdict: 'fine',
  reasons: [],
  pageUrl: null,
  inFlight: 0,
  openCases: 0,
  atRiskUsd: null,
  holder: 'a',
  since: 0,
  isHeld: true,
  ageMs: 5_000,
  sources: [],
}

describe('a bridge', () => {
  test.each([
    [{}, 'fine', null],
    [{ verdict: 'attention' }, 'attention', null],
    [{ verdict: 'unknown' }, 'unknown', null],
    [{ ageMs: 30_000 }, 'fine', null],
    [{ ageMs: 30_001 }, 'critical', 'a has said nothing of it for 30s'],
    [{ isHeld: false }, 'critical', 'nobody watches it: a was the last'],
    [{ isHeld: false, holder: null }, 'critical', 'nobody watches it, and nobody ever did'],
    [{ verdict: null, ageMs: null }, 'unknown', 'a has not said anything of it yet'],
    [{ verdict: 'constructor' }, 'unknown', null],
  ])('of which is said %j is %s', (of, level, problem) => {
    expect(judgeBridge({ ...well, ...of })).toEqual({ level, problem })
  })
})

describe('all bridges', () => {
  const stalled = { ...well, bridge: 'two', verdict: 'attention', reasons: ['c1: waits', 'c2: waits'] }
  const gone = { ...well, bridge: 'three', isHeld: false }

  test('are as the worst of them, with a reason of each that is not well, the worst first', () => {
    expect(judgeFleet([well])).toEqual({ level: 'fine', reasons: [] })
    expect(judgeFleet([well, stalled])).toEqual({ level: 'attention', reasons: ['two: c1: waits'] })
    expect(judgeFleet([stalled, well, gone])).toEqual({
      level: 'critical',
      reasons: ['three: nobody watches it: a was the last', 'two: c1: waits'],
    })
    expect(rankBridges([well, stalled, gone]).map(({ bridge }) => bridge)).toEqual(['three', 'two', 'one'])
  })

  test('of which there is none are not known to be well', () => {
    expect(judgeFleet([]).level).toBe('unknown')
  })
})
