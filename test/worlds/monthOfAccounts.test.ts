import { expect, test } from 'vitest'
import { fc } from '../support/fastCheck.ts'
import { followTruth, type Happening, leastAmount, play } from '../unit/checks/escrow/accounts/world.ts'

const minute = 60
/** A day at the pace of 300,000 transfers a month; `ACCOUNT_TRANSFERS` plays more of it. */
const transfers = Number(process.env['ACCOUNT_TRANSFERS'] ?? 10_000)
const thefts = 30
const seconds = Math.round((transfers / 300_000) * 30 * 86_400)
/** What was read late, and what waits for a record, is judged by then. */
const settledAfter = 6 * minute
const baseline = 10n ** 15n

const honest = ['deposit', 'withdrawal', 'withdrawal with a fee', 'deposit', 'withdrawal'] as const
const stolen = ['drain', 'payout without origin', 'paid too much', 'credited without a lock'] as const

function listHappenings(): Happening[] {
  const one = (what: fc.Arbitrary<Happening['what']>) =>
    fc.record({
      what,
      amount: fc.bigInt({ min: leastAmount, max: 90_000_000_000n }),
      // Without the library's leaning towards the ends: half of a month would happen in its first minutes.
      at: fc.noBias(fc.integer({ min: 1, max: seconds })),
      takes: fc.integer({ min: 5, max: 900 }),
      recordAfter: fc.integer({ min: 0, max: 45 }),
      flowAfter: fc.integer({ min: 0, max: 45 }),
    })
  const [many = []] = fc.sample(
    fc.array(one(fc.constantFrom(...honest)), { minLength: transfers, maxLength: transfers, size: 'max' }),
    { numRuns: 1 },
  )
  const [few = []] = fc.sample(
    fc.array(one(fc.constantFrom(...stolen)), { minLength: thefts, maxLength: thefts, size: 'max' }),
    { numRuns: 1 },
  )
  return [...many, ...few]
}

test(`each minute of ${transfers} transfers and ${thefts} thefts every account is what the chains say`, async () => {
  const all = listHappenings()
  const truthAt = followTruth(all, baseline)
  let minutes = 0
  const world = await play(all, baseline, (now, accountsAt) => {
    const second = now - settledAfter
    if (second <= 0) return
    const truth = truthAt(second)
    const { claims, toZone, toMain, fees, open, lost, found } = accountsAt(second, truth.held)
    minutes += 1
    expect({ second, claims, toZone, toMain, fees, open, unexplained: lost + found }).toEqual({
      second,
      claims: truth.claims,
      toZone: truth.toZone,
      toMain: truth.toMain,
      fees: truth.fees,
      open: 0n,
      unexplained: -truth.stolen,
    })
  })
  world.close()
  expect(minutes).toBeGreaterThan(seconds / minute - 10)
}, 900_000)
