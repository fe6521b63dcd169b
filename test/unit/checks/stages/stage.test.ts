import { describe, expect, test } from 'vitest'
import { type Said, type StageRule, standingOf } from '../../../../src/checks/stages/stage.ts'
import { fc } from '../../../support/fastCheck.ts'

const hour = 3_600_000
const day = 24 * hour
const rule = (stage: string, of: Partial<StageRule> = {}): StageRule => ({
  stage,
  isTold: false,
  lastsMs: null,
  everyMs: null,
  ...of,
})
/** Proposed hourly; may be proven at once; a week to be disputed; a month to be claimed. */
const rules = [
  rule('proposed', { isTold: true, everyMs: hour }),
  rule('proven', { isTold: true, lastsMs: 7 * day }),
  rule('claimable', { lastsMs: 30 * day }),
  rule('expired'),
]
const left = { at: 0, zoneHeight: 100 }
const proposal = (at: number, zoneHeight: number) => ({ stage: 'proposed', hash: `0x${at}`, zoneHeight, at })
const nothing: Said = { named: [], proposals: [], removals: [], wordOf: () => null }
const stand = (said: Partial<Said>, now: number) => {
  const { stage, since, until, isAgain } = standingOf(left, rules, { ...nothing, ...said }, now)
  return [stage, since, until, isAgain]
}
const proposals = [proposal(hour, 150), proposal(2 * hour, 300)]
const named = [{ stage: 'proven', at: 3 * hour }]

describe('a withdrawal goes from stage to stage', () => {
  test('it has left, and waits for a proposal as long as one takes', () =>
    expect(stand({}, 1)).toEqual(['left', 0, hour, false]))
  test('a proposal that ends before it says nothing of it', () =>
    expect(stand({ proposals: [proposal(hour, 99)] }, hour)).toEqual(['left', 0, hour, false]))
  test('the first proposal that covers it counts', () =>
    expect(stand({ proposals }, 2 * hour)).toEqual(['proposed', hour, null, false]))
  test('it is proven by an event that names it', () =>
    expect(stand({ proposals, named }, 4 * hour)).toEqual(['proven', 3 * hour, 3 * hour + 7 * day, false]))
  test('a millisecond before its time is over it is proven, then claimable', () => {
    const end = 3 * hour + 7 * day
    expect(stand({ proposals, named }, end - 1)[0]).toBe('proven')
    expect(stand({ proposals, named }, end)).toEqual(['claimable', end, end + 30 * day, false])
    expect(stand({ proposals, named }, end + 30 * day)).toEqual(['expired', end + 30 * day, null, false])
  })
})

describe('a proposal that is removed', () => {
  test('covers nothing any more: what left waits for the next one', () =>
    expect(
      stand({ proposals: [proposal(hour, 150)], removals: [{ zoneHeight: 150, at: 2 * hour }] }, 3 * hour),
    ).toEqual(['left', 0, hour, false]))
  test('takes back what was proven by it: that has to be proven again', () => {
    const removals = [{ zoneHeight: 120, at: 4 * hour }]
    expect(stand({ proposals, named, removals }, 5 * hour)).toEqual(['left', 0, hour, true])
    const again = [...proposals, proposal(6 * hour, 400)]
    expect(stand({ proposals: again, named, removals }, 7 * hour)).toEqual(['proposed', 6 * hour, null, true])
    const anew = [...named, { stage: 'proven', at: 8 * hour }]
    expect(stand({ proposals: again, named: anew, removals }, 9 * hour)).toEqual([
      'proven',
      8 * hour,
      8 * hour + 7 * day,
      false,
    ])
  })
  test('above what it was proven by changes nothing', () =>
    expect(stand({ proposals, named, removals: [{ zoneHeight: 300, at: 4 * hour }] }, 5 * hour)[0]).toBe(
      'proven',
    ))
})

test('a stage that time begins follows the one just before it, and no other', () => {
  const disputed = [
    rule('proposed', { isTold: true, lastsMs: day }),
    rule('proven', { isTold: true, lastsMs: day }),
    rule('claimable'),
  ]
  expect(standingOf(left, disputed, { ...nothing, proposals }, 9 * day).stage).toBe('proposed')
  expect(standingOf(left, disputed, { ...nothing, proposals, named }, 9 * day).stage).toBe('claimable')
})

test('a challenge’s word on the proposal’s transaction begins a stage', () => {
  const challenged = [rule('proposed', { isTold: true }), rule('claimable', { isTold: true })]
  const said = {
    ...nothing,
    proposals,
    wordOf: ({ hash }: { hash: string }, stage: string) =>
      stage === 'claimable' && hash === `0x${hour}` ? 5 * hour : null,
  }
  expect(standingOf(left, challenged, said, 6 * hour)).toMatchObject({ stage: 'claimable', since: 5 * hour })
})

test('time alone never takes a withdrawal back a stage', () => {
  const order = ['left', 'proposed', 'proven', 'claimable', 'expired']
  fc.assert(
    fc.property(fc.nat(40 * day), fc.nat(40 * day), fc.boolean(), (one, other, isProven) => {
      const said = { ...nothing, proposals, named: isProven ? named : [] }
      const at = (now: number) => order.indexOf(standingOf(left, rules, said, now).stage)
      expect(at(Math.min(one, other))).toBeLessThanOrEqual(at(Math.max(one, other)))
    }),
  )
})

test('a proposal that came before a withdrawal left is none of it, whatever height it names', () => {
  const later = { at: 9 * hour, zoneHeight: 900 }
  const covered = (at: number) =>
    standingOf(later, rules, { ...nothing, proposals: [proposal(at, Number.MAX_SAFE_INTEGER)] }, 30 * hour)
  // The clocks of the two chains may differ by ten minutes.
  const earliest = 9 * hour - 600_000
  expect(covered(earliest - 1)).toMatchObject({ stage: 'left', until: 10 * hour })
  expect(covered(earliest)).toMatchObject({ stage: 'proposed', since: earliest })
})
