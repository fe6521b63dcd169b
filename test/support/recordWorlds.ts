import type { Observation } from '../../src/bridge/observation.ts'
import { strongName } from '../../src/ledger/sightings/sighting.ts'
import { fc } from './fastCheck.ts'
import { hash, toRecord } from './records.ts'

/** Records read together. */
export type RecordAnswer = readonly Observation[]

/** Few names and amounts, so that what can be mistaken for something else is. */
const rows = fc.record({
  id: fc.constantFrom(null, null, 'a', 'b'),
  zone: fc.constantFrom(null, 'z1', 'z2'),
  main: fc.constantFrom(null, 'm1', 'm2'),
  index: fc.constantFrom(null, '1', '2'),
  direction: fc.constantFrom('ZoneToMain' as const, 'ZoneToMain' as const, 'MainToZone' as const),
  amountRaw: fc.constantFrom(5n, 6n),
  tokenId: fc.constantFrom('', '', '7', '8'),
  crossType: fc.constantFrom('Withdraw', 'Withdraw', 'BatchWithdraw'),
  batchDetail: fc.constantFrom(null, null, null, '[]'),
})

/** What differs from reading to reading of one record. */
const forms = fc.record({
  of: fc.nat(3),
  status: fc.constantFrom('success' as const, 'failed' as const, 'unknown' as const),
  update: fc.constantFrom(null, 10, 20, 90_000),
  // Before its second leg was filled in, or after one was taken back.
  lacks: fc.constantFrom(null, null, null, 'main' as const, 'zone' as const),
  pushHeight: fc.constantFrom(null, null, 1, 2),
})

const moments = fc.oneof(
  fc.constantFrom(1_000, 1_001, 31_000, 32_000, 62_000),
  fc.integer({ min: 100, max: 100_000 }),
)

/**
 * What lists and details say of a few records in readings that alternate, lag, are repeated, come at one moment and
 * contradict each other.
 */
export const recordWorlds: fc.Arbitrary<readonly RecordAnswer[]> = fc
  .record({
    pool: fc.array(rows, { minLength: 1, maxLength: 4 }),
    readings: fc.array(
      fc.record({
        source: fc.constantFrom('E3' as const, 'E12' as const),
        requestedAt: moments,
        shown: fc.array(forms, { minLength: 1, maxLength: 5 }),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  })
  .map(({ pool, readings }) =>
    readings
      .map(({ source, requestedAt, shown }) =>
        shown
          .map(({ of, status, update, lacks, pushHeight }) => {
            const { zone, main, index, batchDetail, ...rest } = pool[
              of % pool.length
            ] as (typeof pool)[number]
            const isDetail = source === 'E12'
            return toRecord({
              ...rest,
              source,
              requestedAt,
              status,
              pushHeight,
              value: null,
              zoneHash: zone === null || lacks === 'zone' ? null : hash(zone),
              mainHash: main === null || lacks === 'main' ? null : hash(main),
              zoneEventIndex: isDetail ? index : null,
              updateTime: isDetail ? update : null,
              batchDetail: isDetail ? batchDetail : null,
            })
          })
          .filter(({ id, zoneHash, mainHash }) => id !== null || zoneHash !== null || mainHash !== null),
      )
      .filter((answer) => answer.length > 0),
  )

/**
 * The same answer in two. Only where each record bears a strong name of its own: what stands side by side without one is
 * proof that it is several.
 */
export function splitAnswer(answer: RecordAnswer): RecordAnswer[] {
  const names = answer.map(strongName)
  if (names.includes(null) || new Set(names).size < names.length) return [answer]
  return [answer.slice(0, 1), answer.slice(1)].filter((part) => part.length > 0)
}
