import { fc, timesOf, seeds } from '../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../src/bridge/observation.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { hash, toRecord } from '../../support/records.ts'

/** One transfer as it truly is: several may be equal but for their names. */
interface Truth {
  readonly zone: number
  readonly place: number
  readonly amount: bigint
  readonly tokenId: string
  readonly isPaid: boolean
  /** The payout was reorganised away again. */
  readonly isTakenBack: boolean
  /** A relayer pays several in one main transaction. */
  readonly payer: number
}

/** After every reading of the list: one that bears no update time is as old as its request. */
const updateTimes = { oldest: 910_000, middle: 920_000, newest: 940_000 }

type Naming = 'by id' | 'by event index' | 'as rows of a batch'

const truths = fc
  .array(
    fc.array(
      fc.record({
        amount: fc.constantFrom(5n, 6n),
        tokenId: fc.constantFrom('', '7', '8'),
        isPaid: fc.boolean(),
        isTakenBack: fc.nat(3).map((n) => n === 0),
        payer: fc.integer({ min: 0, max: 1 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((bundles) => bundles.flatMap((of, zone) => of.map((one, place): Truth => ({ ...one, zone, place }))))

interface Reading {
  readonly source: 'E3' | 'E12'
  /** The oldest knows of no payout, the newest of each that was taken back. */
  readonly age: 'oldest' | 'middle' | 'newest'
  readonly at: number
  readonly pushHeight: number | null
}

/** The record of a transfer, as one list gives it at one time; before its payout when the reading is old or lags. */
function show(truth: Truth, naming: Naming, of: Reading): Observation {
  const isPast = truth.isTakenBack && of.age === 'newest'
  const isPaid = truth.isPaid && of.age !== 'oldest' && !isPast
  const paid = isPaid
    ? {
        mainHash: hash(
          `m${truth.payer}-${naming === 'by event index' ? `${truth.zone}-${truth.place}` : ''}`,
        ),
      }
    : { mainHash: null, mainHeight: null, mainTime: null }
  const index = naming === 'as rows of a batch' ? `${truth.zone}` : String(truth.place)
  return toRecord({
    source: of.source,
    requestedAt: of.at,
    id: naming === 'by id' ? `i${truth.zone}-${truth.place}` : null,
    crossType: naming === 'as rows of a batch' ? 'BatchWithdraw' : 'Withdraw',
    zoneHash: hash(`z${truth.zone}`),
    zoneEventIndex: of.source === 'E12' ? index : null,
    updateTime: of.source === 'E12' ? updateTimes[of.age] : null,
    pushHeight: of.pushHeight,
    amountRaw: truth.amount,
    value: null,
    tokenId: truth.tokenId,
    ...paid,
  })
}

/** A batch's rows differ in their token id: equal rows of one item would be the same row. */
const distinctRows = (all: readonly Truth[]) =>
  all.filter(
    (one, at) => all.findIndex((other) => other.zone === one.zone && other.tokenId === one.tokenId) === at,
  )

const reading = fc.record({
  source: fc.constantFrom('E3' as const, 'E12' as const),
  age: fc.constantFrom('oldest' as const, 'middle' as const, 'newest' as const),
  at: fc.oneof(fc.constantFrom(1_000, 31_000, 900_000), fc.integer({ min: 1_000, max: 900_000 })),
  pushHeight: fc.constantFrom(null, 1, 2),
})

describe('whatever is read of a world, in whatever order and however often (semantics 1 to 7)', () => {
  const namings: Naming[] = ['by id', 'by event index', 'as rows of a batch']
  test.each(namings.flatMap((naming) => seeds().map((seed) => ({ naming, seed }))))(
    'its transfers $naming are as many as there are, and what arrived has arrived (seed $seed)',
    { timeout: 120_000 },
    ({ naming, seed }) => {
      fc.assert(
        fc.property(
          truths,
          fc.array(reading, { maxLength: 6 }),
          fc.infiniteStream(fc.nat()),
          (given, extra, random) => {
            const world = naming === 'as rows of a batch' ? distinctRows(given) : given
            // Each world is shown by the detail as it is, twice; the rest is any mixture of lists, old and lagging readings.
            const whole = { source: 'E12', age: 'newest', pushHeight: null } as const
            const readings = [{ ...whole, at: 950_000 }, { ...whole, at: 990_000 }, ...extra]
            const answers = readings.flatMap((of) => {
              const records = world.map((one) => show(one, naming, of))
              return of.source === 'E3'
                ? [records]
                : [...Map.groupBy(records, ({ zoneHash }) => zoneHash).values()]
            })
            const shuffled = [...answers, ...answers.slice(0, 2)]
              .map((answer) => ({ answer, rank: random.next().value as number }))
              .sort((a, b) => a.rank - b.rank)
            const ledger = createLedger(openDatabase(':memory:'), { tokens: [], openIntervalMs: 10_000 })
            for (const { answer } of shuffled) ledger.recordAnswer(answer, answer[0]?.requestedAt ?? 0)
            const transfers = ledger.listTransfers({ limit: 100 })
            expect(transfers).toHaveLength(world.length)
            const paid = transfers.filter(({ main }) => main !== null)
            expect(paid).toHaveLength(
              world.filter(({ isPaid, isTakenBack }) => isPaid && !isTakenBack).length,
            )
          },
        ),
        { numRuns: timesOf(80, seed), seed },
      )
    },
  )
})
