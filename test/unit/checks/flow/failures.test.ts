import { expect, test } from 'vitest'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { createFlowFailures } from '../../../../src/checks/flow/failures.ts'
import { startFailureCount } from '../../../../src/ledger/transfers/countFailures.ts'
import { createLedger } from '../../../../src/ledger/ledger.ts'
import { type Database, openDatabase } from '../../../../src/store/database.ts'
import { fc } from '../../../support/fastCheck.ts'
import { hash, toRecord } from '../../../support/records.ts'

const minute = 60_000
const now = 100 * minute
const window = 60 * minute
const of = { from: now - window, until: now + 10_000, leftFrom: now - 2 * window }
const address = (name: string) => hash(name).slice(0, 42)

interface Failure {
  readonly token: string
  readonly direction: 'ZoneToMain' | 'MainToZone'
  readonly sender: string
  readonly recipient: string
  readonly at: number
}

const one: Failure = {
  token: address('a token'),
  direction: 'ZoneToMain',
  sender: address('who sends'),
  recipient: address('who gets'),
  at: now - minute,
}

function toFailed(failure: Failure, index: number): Observation {
  const { at, direction, recipient, sender, token } = failure
  const isWithdrawal = direction === 'ZoneToMain'
  return toRecord({
    id: hash(`id ${index}`),
    source: 'E12',
    status: 'failed',
    direction,
    token,
    sourceAddress: sender,
    targetAddress: recipient,
    zoneHash: isWithdrawal ? hash(`zone ${index}`) : null,
    zoneTime: isWithdrawal ? at : null,
    mainHash: isWithdrawal ? null : hash(`main ${index}`),
    mainTime: isWithdrawal ? null : at,
    mainHeight: null,
    requestedAt: now,
  })
}

function ledgerOf(failures: readonly Failure[]): { db: Database; add: (failure: Failure) => void } {
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  ledger.recordAnswer(failures.map(toFailed), now)
  return { db, add: (failure) => ledger.recordAnswer([toFailed(failure, 1_000)], now) }
}

test('read in steps of any size, the counts are those of all of them', () => {
  const failure = fc.record({
    token: fc.constantFrom(address('a'), address('b'), ''),
    direction: fc.constantFrom('ZoneToMain' as const, 'MainToZone' as const),
    sender: fc.constantFrom(address('s'), address('t'), address('r')),
    recipient: fc.constantFrom(address('r'), address('q'), address('p')),
    at: fc.constantFrom(now - minute, now - 59 * minute, now - 61 * minute),
  })
  fc.assert(
    fc.property(fc.array(failure, { maxLength: 12 }), fc.integer({ min: 1, max: 4 }), (failures, most) => {
      const { db } = ledgerOf(failures)
      const readOn = startFailureCount(db, of)
      let counts = readOn(most)
      while (counts === null) counts = readOn(most)
      const within = failures.filter(({ at }) => at >= of.from)
      const distinct = (values: readonly string[]) => new Set(values).size
      const counted = (token: string | null, some: readonly Failure[]) =>
        some.length === 0
          ? []
          : [
              {
                token,
                direction: some[0]?.direction,
                failed: some.length,
                recipients: distinct(some.map(({ recipient }) => recipient)),
                senders: distinct(some.map(({ sender }) => sender)),
                tokens: distinct(some.map((each) => each.token)),
              },
            ]
      const expected = [...Map.groupBy(within, ({ direction }) => direction).values()].flatMap((all) => [
        ...counted(null, all),
        ...[...Map.groupBy(all, ({ token }) => token)].flatMap(([token, some]) => counted(token, some)),
      ])
      const sorted = (list: readonly object[]) => list.map((each) => JSON.stringify(each)).sort()
      expect(sorted(counts)).toEqual(sorted(expected))
    }),
  )
})

test('what needs several ticks is unknown until it was counted once, and stands until it is counted again', () => {
  const { add, db } = ledgerOf([one, one, one, one, one])
  const failures = createFlowFailures(db, 2)
  const failedAt = (at: number) => failures(window, of, at)?.[0]?.failed ?? null
  expect([0, 1, 2, 3].map((seconds) => failedAt(now + seconds * 1_000))).toEqual([null, null, 5, 5])
  add(one)
  // A minute after the first began it is counted anew, which takes four ticks.
  const ticks = [59, 60, 61, 62, 63, 64]
  expect(ticks.map((seconds) => failedAt(now + seconds * 1_000))).toEqual([5, 5, 5, 5, 6, 6])
})

test('few are counted within one tick', () => {
  const { db } = ledgerOf([one, one])
  expect(createFlowFailures(db, 3)(window, of, now)).toMatchObject([{ failed: 2 }, { failed: 2 }])
})

test('a clock that is set back makes what was counted old', () => {
  const { add, db } = ledgerOf([one])
  const failures = createFlowFailures(db, 3)
  expect(failures(window, of, now)?.[0]?.failed).toBe(1)
  add(one)
  expect(failures(window, of, now - minute)?.[0]?.failed).toBe(2)
})

test('what nobody asked for is old: it is unknown until it is counted again', () => {
  const { add, db } = ledgerOf([one, one, one])
  const failures = createFlowFailures(db, 2)
  const failedAt = (at: number) => failures(window, of, at)?.[0]?.failed ?? null
  // An outage begins while it is counted anew: for hours nobody asks.
  expect([0, 1, 40, 60].map((seconds) => failedAt(now + seconds * 1_000))).toEqual([null, 3, 3, 3])
  add(one)
  const back = now + 2 * 60 * minute
  expect([0, 1, 2].map((seconds) => failedAt(back + seconds * 1_000))).toEqual([null, null, 4])
})
