import { describe, expect, test } from 'vitest'
import { purgeOwedLegs, readOwed, saveOwedLeg } from '../../../../../src/checks/escrow/owed/owedLegs.ts'
import { startOwed } from '../../../../../src/checks/escrow/owed/owedStore.ts'
import { noteTransfers, openEscrowWatch } from '../../../../../src/checks/escrow/watched/watch.ts'
import type { Observation } from '../../../../../src/bridge/observation.ts'
import { noBridge } from '../../../../support/appConfig.ts'
import { toPending, toRecord } from '../../../../support/records.ts'
import { createTestKernel } from '../../support.ts'

const token = `0x${'aa'.repeat(20)}`
const escrow = `0x${'bb'.repeat(20)}`
const bridge = {
  ...noBridge,
  escrows: [{ address: escrow, token, baseline: null }],
  tokens: [{ address: token, symbol: 'T', decimals: 6 }],
}
const all = { height: 1_000_000, time: 10_000_000 }

/** An escrow that owed 10 tokens when counting began, before all that is read. */
function open() {
  const kernel = createTestKernel({ config: { bridge } })
  const { db, ledger, clock } = kernel
  const watch = openEscrowWatch(kernel)
  startOwed(db, token, { height: 1, time: 1 }, 10_000_000n)
  const take = (record: Observation) => {
    const { changes } = ledger.recordAnswer([{ ...record, token, requestedAt: clock.now() }], clock.now())
    noteTransfers(watch, { changed: changes.map(({ after }) => after), ceased: [] }, clock.now())
  }
  return { ...kernel, watch, take, owed: () => readOwed(db, token, all) }
}

test('a withdrawal that is paid after its retention is taken from what is owed once', () => {
  const { db, take, owed } = open()
  take(toPending({ id: 'w1', zoneTime: 800_000 }))
  expect(owed()).toBe(8_500_000n)
  purgeOwedLegs(db, 9_000_000)
  take(toRecord({ id: 'w1', zoneTime: 800_000, mainTime: 9_500_000 }))
  expect(owed()).toBe(8_500_000n)
})

test('a deposit that the list shows anew after its retention is owed once', () => {
  const { db, take, owed } = open()
  const deposit = toRecord({ id: 'd1', direction: 'MainToZone', crossType: 'Deposit', mainTime: 700_000 })
  take(deposit)
  expect(owed()).toBe(11_500_000n)
  purgeOwedLegs(db, 9_000_000)
  take({ ...deposit, pushHeight: 7 })
  expect(owed()).toBe(11_500_000n)
})

test('what was counted of a transfer that is forgotten stays counted, and nothing else of it is kept', () => {
  const { db, ledger, take, owed } = open()
  take(toRecord({ id: 'w1', zoneTime: 800_000, mainTime: 900_000 }))
  const legs = () => db.prepare('SELECT count(*) AS count FROM escrow_legs').get()?.['count']
  purgeOwedLegs(db, 9_000_000)
  expect(legs()).toBe(1)
  ledger.purge({ before: 9_000_000, shownBefore: 20_000_000, limit: 200 })
  purgeOwedLegs(db, 9_000_000)
  expect([legs(), owed()]).toEqual([0, 8_500_000n])
})

test('more legs than one step looks at are looked at in the next one, and then from the first on again', () => {
  const { db } = open()
  const leg = { token, isCredit: true, amount: 1n, less: 0n, more: 0n, mainHash: null, mainHeight: null }
  db.transaction(() => {
    for (let n = 1; n <= 5_001; n += 1)
      saveOwedLeg(db, `t${n}`, { ...leg, key: `t${n}`, mainTime: null, zoneTime: n === 5_001 ? 1 : 100 })
  })
  const next = purgeOwedLegs(db, 50)
  expect([next, purgeOwedLegs(db, 50, next)]).toEqual([5_000, 0])
  expect(db.prepare('SELECT count(*) AS count FROM escrow_legs').get()?.['count']).toBe(5_000)
})

const noAmount = { value: null, amountRaw: null }

test('a deposit that does not say how much it is hides nothing that lacks beside it', () => {
  const { take, owed } = open()
  const deposit = { direction: 'MainToZone', crossType: 'Deposit', mainTime: 700_000 } as const
  take(toRecord({ ...deposit, id: 'd1' }))
  take(toRecord({ ...deposit, id: 'd2', ...noAmount }))
  expect(owed()).toBe(11_500_000n)
})

describe('what a withdrawal does not say of its amount', () => {
  /** Withdrawals of one zone transaction without amounts, once that said 1.5. */
  function owedWith(ids: readonly string[]) {
    const { clock, ledger, take, watch, owed } = open()
    for (const id of ids) take(toRecord({ id, ...noAmount }))
    expect(owed()).toBeNull()
    const zoneHash = toRecord().zoneHash ?? ''
    const said = { amountRaw: 1_500_000n, amount: '1.5', moves: null, errorMessage: '' }
    const zone = { chain: 'zone', hash: zoneHash, source: 'E9', requestedAt: 2_000_000 } as const
    ledger.recordEvidence([{ ...zone, ...said, status: 'success' }], clock.now())
    const learned = { ...watch.learned, zoneAmounts: () => ({ equal: 20, other: 0 }) }
    const changed = ledger.listTransfers({ hash: zoneHash, limit: 10 })
    noteTransfers({ ...watch, learned }, { changed, ceased: [] }, clock.now())
    return owed()
  }

  test('its zone transaction does', () => expect(owedWith(['w1'])).toBe(8_500_000n))
  test('of several its zone transaction does not', () => expect(owedWith(['w1', 'w2'])).toBeNull())
})
