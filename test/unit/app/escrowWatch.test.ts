import { expect, test } from 'vitest'
import { createEscrowWatch } from '../../../src/app/escrowWatch.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { saveHoldings, saveOwedJudgement } from '../../../src/store/escrowOwed.ts'
import { saveReading } from '../../../src/store/escrowReadings.ts'

const token = `0x${'aa'.repeat(20)}`
const escrow = `0x${'bb'.repeat(20)}`

function setUp() {
  const db = openDatabase(':memory:')
  const bridge = {
    contracts: [],
    escrows: [{ address: escrow, token, baseline: null }],
    tokens: [],
    fees: [],
  }
  return { db, watch: createEscrowWatch(db, bridge) }
}

test('the reserve of a token is not known before its balance was read', () => {
  const { db, watch } = setUp()
  expect(watch.reserveOf(token)).toBeNull()
  saveHoldings(db, token, 70n, 1_000)
  expect(watch.reserveOf(token)).toBe(70n)
  db.close()
})

test('after a drain the reserve is what is still owed, so that small transfers stay small', () => {
  const { db, watch } = setUp()
  saveHoldings(db, token, 5n, 1_000)
  saveOwedJudgement(db, token, { owed: 900n, holdings: 900n, openOut: 0n, height: 7, at: 500 })
  expect(watch.reserveOf(token)).toBe(900n)
  saveHoldings(db, token, 1_000n, 2_000)
  expect(watch.reserveOf(token)).toBe(1_000n)
  db.close()
})

test('what was held by a reading that was not judged yet counts', () => {
  const { db, watch } = setUp()
  saveReading(db, { token, low: 1, high: 1, readAt: 1_000, balances: { [escrow]: 800n } })
  saveHoldings(db, token, 5n, 31_000)
  expect(watch.reserveOf(token)).toBe(800n)
  db.close()
})
