import { expect, test } from 'vitest'
import { matchSightings } from '../../../../src/ledger/matching/matchSightings.ts'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { toSightings } from '../../../../src/ledger/sightings/toSightings.ts'
import { hash, toRecord } from '../../../support/records.ts'

// Records without an id, of which some answers leave a key out.

const raw = (amountRaw: bigint, more: Partial<Observation> = {}) =>
  toRecord({ amountRaw, value: null, ...more })
const unsaidRaw = toRecord({ amountRaw: null, value: null, unsaid: 'amountRaw', requestedAt: 2_000_000 })

/** Of each transfer how many records it has, and how many more it may have. */
function match(answers: readonly (readonly Observation[])[]) {
  return [answers, answers.toReversed()].map((all) =>
    matchSightings(all.flatMap((answer) => toSightings(answer)))
      .map(({ members, ambiguous }) => `${members.length}+${ambiguous.length}`)
      .sort(),
  )
}

const twice = (groups: readonly string[]) => [groups, groups]

test.each([
  { title: 'an amount', said: raw(5n), unsaid: unsaidRaw },
  { title: 'a token', said: toRecord(), unsaid: toRecord({ token: '', unsaid: 'token' }) },
  {
    title: 'a recipient',
    said: toRecord(),
    unsaid: toRecord({ targetAddress: '', unsaid: 'targetAddress' }),
  },
])('a record that once leaves out $title is one transfer', ({ said, unsaid }) => {
  expect(match([[said], [unsaid]])).toEqual(twice(['2+0']))
})

const empty = toRecord({ amountRaw: null, value: null })

test.each([
  ['amounts', [toRecord()], empty],
  ['recipient', [toRecord()], toRecord({ targetAddress: '' })],
  ['amounts, of a detail with an index', [toRecord({ source: 'E12', zoneEventIndex: '3' })], empty],
])('a record without a name whose %s come late is one transfer', (_, said, before) => {
  expect(match([said, [before]])).toEqual(twice(['2+0']))
})

test.each([
  ['amounts', toRecord({ amountRaw: null, value: null, source: 'E12', zoneEventIndex: '0' })],
  ['recipient', toRecord({ targetAddress: '', source: 'E12', zoneEventIndex: '0' })],
])(
  'a record whose %s come late is one transfer though its detail has an index and lacks them',
  (_, detail) => {
    expect(match([[{ ...detail, source: 'E3', zoneEventIndex: null }], [detail], [toRecord()]])).toEqual(
      twice(['3+0']),
    )
  },
)

test('records without a name whose amounts stay empty are as many as stood side by side', () => {
  const batch = { ...empty, crossType: 'BatchWithdraw' as const }
  expect(match([[empty, empty]])).toEqual(match([[batch, batch]]))
})

test('what may be of either of two transfers proves nothing of one, and makes no third', () => {
  expect(match([[raw(5n), raw(7n)], [unsaidRaw]])).toEqual(twice(['1+0', '1+1']))
})

test('an id of records that share no transaction names neither, whichever answers they were in', () => {
  const a = toRecord({ id: 'none' })
  const b = toRecord({ id: 'none', zoneHash: hash('zone2'), mainHash: hash('main2'), amountRaw: 7n })
  expect(match([[a], [b]])).toEqual(twice(['1+0', '1+0']))
  expect(match([[a], [b], [{ ...a, id: null, requestedAt: 2_000_000 }]])).toEqual(twice(['1+0', '2+0']))
})

test('records that bear different ids are several, even where one is a word for none', () => {
  const word = toRecord({ id: 'none', zoneHash: hash('zone2'), mainHash: hash('main2'), amountRaw: 7n })
  const named = { ...word, id: 'a', mainHash: null }
  expect(match([[toRecord({ id: 'none' })], [word], [named]])).toEqual(twice(['1+0', '1+0', '1+0']))
})

test('equal records with two words for none are two, and one without any is of the first', () => {
  const at = (id: string | null, n: string) =>
    toRecord({ id, zoneHash: hash(`z${n}`), mainHash: hash(`m${n}`) })
  const world = [at('none', '1'), at('none', '2'), at('-', '1'), at('-', '2'), at(null, '1')]
  expect(match(world.map((one) => [one]))).toEqual(twice(['1+0', '1+0', '1+0', '2+0']))
})

test.each(['0', '~0'])(
  'records that bear two words for none beside the event index %s are two of each transaction',
  (zoneEventIndex) => {
    const at = (id: string, n: string) =>
      toRecord({ id, zoneHash: hash(`z${n}`), mainHash: hash(`m${n}`), source: 'E12', zoneEventIndex })
    const [a, b, c, d] = [at('none', '1'), at('-', '1'), at('none', '2'), at('-', '2')]
    const four = twice(['1+0', '1+0', '1+0', '1+0'])
    expect(match([[a], [b], [c], [d]])).toEqual(four)
    expect(
      match([
        [a, b],
        [c, d],
      ]),
    ).toEqual(four)
  },
)

test('what differs in something that both say is another transfer', () => {
  const other = { ...unsaidRaw, targetAddress: '0xdd' }
  expect(match([[raw(5n)], [other]])).toEqual(twice(['1+0', '1+0']))
})

test('a record of other transactions fills nothing in', () => {
  const elsewhere = raw(5n, { mainHash: hash('m2'), zoneHash: hash('z2') })
  expect(match([[elsewhere], [unsaidRaw]])).toEqual(twice(['1+0', '1+0']))
})

test('records that all leave it out are one', () => {
  const later = { ...unsaidRaw, source: 'E12' as const }
  expect(match([[unsaidRaw], [later]])).toEqual(twice(['2+0']))
})
