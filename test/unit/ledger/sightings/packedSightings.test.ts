import { expect, test } from 'vitest'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { decodeSightings, encodeSightings } from '../../../../src/ledger/sightings/packedSightings.ts'
import { toSightings } from '../../../../src/ledger/sightings/toSightings.ts'
import { decodeSighting, encodeSighting } from '../../../../src/ledger/sightings/sightingCells.ts'
import { fc } from '../../../support/fastCheck.ts'
import { toPending, toRecord } from '../../../support/records.ts'

const text = fc.constantFrom('', '0', 'a', 'b')
const change: fc.Arbitrary<Partial<Observation>> = fc.record(
  {
    id: fc.option(text),
    status: fc.constantFrom('success' as const, 'failed' as const),
    mainHash: fc.option(text),
    mainTime: fc.option(fc.nat(3)),
    zoneHeight: fc.option(fc.nat(3)),
    value: fc.option(text),
    amountRaw: fc.option(fc.bigInt(0n, 2n)),
    tokenId: text,
    batchDetail: fc.option(text),
    updateTime: fc.option(fc.nat(3)),
    logIndex: text,
    unsaid: fc.constant('tokenName'),
    requestedAt: fc.nat(3),
  },
  { requiredKeys: [] },
)
const sightings = fc
  .array(change, { maxLength: 6 })
  .map((changes) => changes.flatMap((one) => toSightings([toRecord(one)])))

test('whatever is seen of a transfer comes back as if each was stored whole', () => {
  fc.assert(
    fc.property(sightings, sightings, (members, ambiguous) => {
      const whole = (some: typeof members) => some.map(encodeSighting).map(decodeSighting)
      const packed = encodeSightings({ members, ambiguous })
      expect(decodeSightings(packed)).toStrictEqual({
        members: whole(members),
        ambiguous: whole(ambiguous),
      })
    }),
  )
})

test('what was seen again is stored by what is other', () => {
  const [first, second] = [toPending(), toRecord()].flatMap((one) => toSightings([one]))
  const { s, d } = encodeSightings({ members: [first, second].flatMap((one) => one ?? []), ambiguous: [] })
  expect(s).toHaveLength(1)
  // The hash, height and time of the far side.
  expect(d?.map((one) => one.slice(1))).toEqual([[toRecord().mainHash, 500, 900_000]])
})

test('rows of before have all of them whole', () => {
  const members = [toPending(), toRecord()].flatMap((one) => toSightings([one]))
  expect(decodeSightings({ s: members.map(encodeSighting) })).toEqual(
    decodeSightings(encodeSightings({ members, ambiguous: [] })),
  )
})
