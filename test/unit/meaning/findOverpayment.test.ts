import { describe, expect, test } from 'vitest'
import type { LegEvidence, Transfer } from '../../../src/bridge/transfer.ts'
import {
  findOverpayment,
  listOfOneOrigin,
  listOutdatedPayouts,
  mayBeShownAsOne,
  mayBeSurplus,
} from '../../../src/meaning/findOverpayment.ts'
import { fc, timesOf, seeds } from '../../support/fastCheck.ts'
import { hash, toRecord, toZoneWord } from '../../support/records.ts'
import { createLessons } from './bundle.ts'
import { transferOf } from '../rules/transfers.ts'

const now = 2_000_000
const settings = { fees: [], learned: null, now }

function payout(
  n: number,
  overrides: Partial<Parameters<typeof toRecord>[0] & object>,
  proofAt: number | null,
): Transfer {
  const record = toRecord({ mainHash: hash(`m${n}`), requestedAt: 1_000_000 + n, ...overrides })
  const proof: LegEvidence = {
    chain: record.direction === 'MainToZone' ? 'zone' : 'main',
    hash: (record.direction === 'MainToZone' ? record.zoneHash : record.mainHash) ?? '',
    source: 'E13',
    status: 'success',
    at: proofAt ?? 0,
    height: null,
    time: null,
    errorMessage: '',
    moves: null,
  }
  return { ...transferOf([record], proofAt === null ? [] : [proof]), key: `t${n}` }
}

/** All that is said of each, by keys. */
const say = (one: Transfer, all: readonly Transfer[]) => {
  const keys = (some: readonly Transfer[]) => some.map(({ key }) => key)
  const overpaid = findOverpayment(one, all, settings)
  return {
    alike: keys(listOfOneOrigin(one, all)),
    overpaid: overpaid && { ...overpaid, payouts: keys(overpaid.payouts), surplus: keys(overpaid.surplus) },
    outdated: listOutdatedPayouts(one, all, settings).map(({ payout: { key }, since }) => [key, since]),
    mayBeSurplus: mayBeSurplus(one, all, now),
    mayBeShownAsOne: mayBeShownAsOne(one, all, now),
  }
}

const anyPayout = fc.record({
  id: fc.constantFrom(null, 'a', 'b'),
  zoneEventIndex: fc.constantFrom(null, '1', '2'),
  amountRaw: fc.constantFrom(1_500_000n, 7n),
  crossType: fc.constantFrom('Withdraw', 'BatchWithdraw'),
  main: fc.constantFrom(1, 2, 3, null),
  seenAt: fc.integer({ min: 1_900_000, max: 2_000_000 }),
  proofAt: fc.option(fc.integer({ min: 1_900_000, max: 2_000_000 })),
  onlyAt: fc.option(fc.integer({ min: 1_900_000, max: 2_100_000 })),
})

describe('of a crowd', () => {
  test.each(seeds())('the same is said as of the few that it is about (seed %i)', (seed) => {
    fc.assert(
      fc.property(fc.array(anyPayout, { minLength: 1, maxLength: 15 }), (some) => {
        const few = some.map(({ main, seenAt, proofAt, onlyAt, ...record }, n) => {
          const leg = main === null ? { mainHash: null, mainTime: null } : { mainHash: hash(`x${main}`) }
          const one = payout(n, { ...record, ...leg, requestedAt: seenAt }, main === null ? null : proofAt)
          return onlyAt === null ? one : { ...one, onlyAt }
        })
        // Deposits beside withdrawals: a list too long to be looked through each time, and nothing else.
        const crowd = Array.from({ length: 30 }, (_, n) =>
          payout(100 + n, { direction: 'MainToZone', crossType: 'Deposit', id: `d${n}` }, null),
        )
        const all = [...few, ...crowd]
        for (const one of few) expect(say(one, all)).toEqual(say(one, few))
      }),
      { seed, numRuns: timesOf(300, seed) },
    )
  })

  test('each asks about all at no more cost than all of them have', () => {
    let reads = 0
    const all = Array.from({ length: 300 }, (_, n) => {
      const one = payout(n, { zoneEventIndex: '7', source: 'E12', requestedAt: 1_950_000 + n }, 1_900_000)
      return Object.defineProperty({ ...one }, 'firstSeenAt', { get: () => ((reads += 1), one.firstSeenAt) })
    })
    const outdated = all.map((one) => listOutdatedPayouts(one, all, settings).length)
    const found = all.map((one) => findOverpayment(one, all, settings)?.surplus.length)
    expect([new Set(outdated), new Set(found)]).toEqual([new Set([300]), new Set([undefined])])
    expect(all.filter((one) => mayBeSurplus(one, all, now))).toHaveLength(300)
    expect(reads).toBeLessThan(20_000)
  })
})

describe('records that name one zone transaction under names of their own', () => {
  /** Withdrawals of so many units, each paid, of a zone transaction that says so many and what its action is. */
  const surplusOf = (amounts: readonly number[], said: number, action?: string, crossType = 'Withdraw') => {
    const all = amounts.map((amount, n) => {
      const raw = BigInt(amount) * 1_000_000n
      const names = { id: `id ${n}`, zoneEventIndex: n % 2 === 0 ? null : String(n) }
      const one = payout(n, { ...names, amountRaw: raw, value: String(amount), crossType }, now - 1)
      const word = toZoneWord(one, { amount: String(said), amountRaw: BigInt(said) * 1_000_000n })
      return { ...one, evidence: [...one.evidence, { ...word, ...(action !== undefined && { action }) }] }
    })
    return findOverpayment(all[0] as Transfer, all, settings)?.surplus.map(({ key }) => key) ?? []
  }

  test.each([
    ['were paid as much as it took, each', [5, 5, 5], 5, undefined, ['t1', 't2']],
    ['were paid more than it took', [5, 50], 5, undefined, ['t1']],
    ['were paid more than it took, as its action says', [5, 50], 5, '{"type":"withdraw"}', ['t1']],
    ['were paid in parts what it took', [2, 3], 5, undefined, []],
    ['were paid less than it took', [2, 2], 5, undefined, []],
    ['are each a thing that it does', [5, 5], 5, '{"items":[{"amount":"5"},{"amount":"5"}]}', []],
    ['say all of them more than it took, which is another unit then', [5, 6], 1, undefined, []],
    ['were paid, and it says no amount', [5, 5], 0, undefined, []],
  ] as const)('%s', (_, amounts, said, action, surplus) => {
    expect(surplusOf(amounts, said, action)).toEqual(surplus)
  })

  test('are rows of a batch', () => {
    expect(surplusOf([5, 5], 5, undefined, 'BatchWithdraw')).toEqual([])
  })

  test('were seen on a bridge whose zone means another amount', () => {
    const learned = { ...createLessons(), zoneAmounts: () => ({ equal: 0, other: 30 }) }
    const all = [0, 1].map((n) => {
      const one = payout(n, { id: `id ${n}` }, now - 1)
      return {
        ...one,
        evidence: [...one.evidence, toZoneWord(one, { amount: '1.5', amountRaw: 1_500_000n })],
      }
    })
    expect(findOverpayment(all[0] as Transfer, all, settings)).not.toBeNull()
    expect(findOverpayment(all[0] as Transfer, all, { ...settings, learned })).toBeNull()
  })
})
