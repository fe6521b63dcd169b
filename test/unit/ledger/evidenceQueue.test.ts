import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/store/database.ts'
import { queueLegs } from '../../../src/ledger/evidenceQueue.ts'
import { hash, toRecord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

/** When the chain's head has to have passed a payout that is first seen at `now`, long after its withdrawal was. */
function timeOfPayout(mainTime: number, now: number): unknown {
  const db = openDatabase(':memory:')
  const settings = { since: 0, holdMs: 10_000, wantsReceipt: null }
  const before = transferOf([toRecord({ mainHash: null, mainHeight: null, mainTime: null, zoneTime: 1_000 })])
  const after = transferOf([toRecord({ mainHash: hash('paid'), mainTime, zoneTime: 1_000 })])
  queueLegs(db, settings, { before, after }, now)
  const row = db.prepare('SELECT time FROM evidence_queue WHERE hash = ?').get(hash('paid'))
  db.close()
  return row?.['time']
}

test('a payout is looked for once the head has passed it, not once it has passed the withdrawal', () => {
  expect(timeOfPayout(500_000, 600_000)).toBe(500_000)
})

test('one that names a time to come is looked for all the same', () => {
  expect(timeOfPayout(900_000_000, 600_000)).toBe(600_000)
})
