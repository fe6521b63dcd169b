import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { matchSightings } from '../../../../src/ledger/matching/matchSightings.ts'
import { toSightings } from '../../../../src/ledger/sightings/toSightings.ts'
import { hash, toRecord } from '../../../support/records.ts'

const noZone = { zoneHash: null, zoneHeight: null, zoneTime: null } as const
const noMain = { mainHash: null, mainHeight: null, mainTime: null } as const

const [z1, z2, m1, m2] = [hash('z1'), hash('z2'), hash('m1'), hash('m2')]
const names = new Map([
  [z1, 'z1'],
  [z2, 'z2'],
  [m1, 'm1'],
  [m2, 'm2'],
])

/** Of several answers, which transactions each transfer's records name. */
function namesOf(...answers: readonly Partial<Observation>[][]): string[] {
  const sightings = answers.flatMap((answer, at) =>
    toSightings(answer.map((one) => toRecord({ requestedAt: at, ...one }))),
  )
  return matchSightings(sightings)
    .map(({ members }) => members.flatMap((one) => [one.zoneHash, one.mainHash]))
    .map((hashes) =>
      [...new Set(hashes.flatMap((one) => (one === null ? [] : String(names.get(one)))))].sort().join(),
    )
    .sort()
}

describe('a hash that records share joins them only where nothing else could be (semantics 1)', () => {
  test('two equal withdrawals that one main transaction pays are two, beside a record that names no origin', () => {
    const payout = { id: 'x', mainHash: m1, ...noZone }
    const [one, other] = [
      { zoneHash: z1, mainHash: m1 },
      { zoneHash: z2, mainHash: m1 },
    ]
    expect(namesOf([payout], [one], [other])).toEqual(['m1', 'm1,z1', 'm1,z2'])
    expect(namesOf([payout], [one])).toEqual(['m1,z1'])
  })

  describe('of two equal deposits that one main transaction makes', () => {
    const deposit = { direction: 'MainToZone', mainHash: m1 } as const
    const [open, nameless] = [
      { ...deposit, id: 'x', ...noZone },
      { ...deposit, ...noZone },
    ]
    const [one, other] = [
      { ...deposit, id: 'x', zoneHash: z1 },
      { ...deposit, zoneHash: z2 },
    ]
    const detail = { ...other, source: 'E12', zoneEventIndex: '1' } as const

    test('the one without an id is one and the same before its credit and after it', () => {
      expect(namesOf([open, nameless], [one, nameless])).toEqual(['m1', 'm1,z1'])
      expect(namesOf([open, nameless], [one, nameless], [one, other])).toEqual(['m1,z1', 'm1,z2'])
    })

    test('its detail is no third one, though the other was credited later', () => {
      expect(namesOf([open, nameless], [open, other], [one, other], [detail])).toEqual(['m1,z1', 'm1,z2'])
      expect(namesOf([open, other], [one, other], [detail])).toEqual(['m1,z1', 'm1,z2'])
    })

    test('a third that is not credited yet is one of its own', () => {
      expect(namesOf([one, other, nameless])).toEqual(['m1', 'm1,z1', 'm1,z2'])
      expect(namesOf([open, nameless], [one, other, nameless])).toEqual(['m1', 'm1,z1', 'm1,z2'])
    })
  })

  test('a second payout of one zone transaction is no other form of the first', () => {
    const paid = { id: 'x', zoneHash: z1, mainHash: m1 }
    expect(namesOf([paid], [{ zoneHash: z1, mainHash: m2 }])).toEqual(['m1,z1', 'm2,z1'])
    expect(namesOf([paid], [{ zoneHash: z1, ...noMain }])).toEqual(['m1,z1'])
  })

  test('two records of one id, side by side, with other payouts are two', () => {
    const [one, other] = [
      { id: 'x', zoneHash: z1, mainHash: m1 },
      { id: 'x', zoneHash: z1, mainHash: m2 },
    ]
    expect(namesOf([one, other])).toEqual(['m1,z1', 'm2,z1'])
    // One after the other it is a record that was written again.
    expect(namesOf([one], [other])).toEqual(['m1,m2,z1'])
  })

  test.each([
    ['token', { token: '0xdd' }],
    ['token id', { tokenId: '8' }],
    ['amount', { amountRaw: 2n, value: null }],
    ['recipient', { targetAddress: '0xdd' }],
    ['direction', { direction: 'MainToZone' }],
  ] as const)('records of one transaction that differ in their %s are two', (_, other) => {
    const pending = { zoneHash: z1, ...noMain }
    expect(namesOf([pending], [{ zoneHash: z1, mainHash: m1 }])).toEqual(['m1,z1'])
    expect(namesOf([pending], [{ zoneHash: z1, mainHash: m1, ...other }])).toEqual(['m1,z1', 'z1'])
  })
})
