import { expect, test } from 'vitest'
import { listUnjudgedPayouts, noteUnjudged } from '../../../../../src/checks/escrow/owed/unjudgedStore.ts'
import { openDatabase } from '../../../../../src/store/database.ts'
import { createLearned } from '../../../../../src/ledger/lessons/learned.ts'
import { hash, toRecord } from '../../../../support/records.ts'
import { transferOf } from '../../../rules/transfers.ts'

const hour = 3_600_000
const paidAt = 1_000 * hour

/** A withdrawal of which nobody says how much, first seen so long before it was paid. */
function payOut(hours: number) {
  const answered = { at: paidAt, status: 'success', errorMessage: '' } as const
  const transfer = transferOf(
    [toRecord({ value: null, amountRaw: null, mainTime: paidAt })],
    [
      { ...answered, chain: 'zone', hash: hash('zone'), source: 'E9', moves: null },
      {
        ...answered,
        chain: 'main',
        hash: hash('main'),
        source: 'E13',
        moves: [{ token: '0xcc', from: '0xe5', to: '0x99', amount: '12000', amountRaw: null, tokenId: '' }],
      },
    ],
  )
  return { ...transfer, firstSeenAt: paidAt - hours * hour, destinationAt: paidAt }
}

test.each([1, 25])(
  'a payout of which nobody says how much is listed for a day since it was paid, after %i hours on its way',
  (hours) => {
    const db = openDatabase(':memory:')
    const note = (now: number) =>
      noteUnjudged(
        { db, learned: createLearned(db), tellSince: 0 },
        { changed: [payOut(hours)], ceased: [] },
        now,
      )
    const list = (now: number) => listUnjudgedPayouts(db, { from: now - 24 * hour, until: now })
    note(paidAt)
    // What changes of it later begins no other day.
    note(paidAt + hour)
    expect(list(paidAt + 24 * hour).map(({ reason }) => reason)).toEqual(['amount'])
    expect(list(paidAt + 24 * hour + 1)).toEqual([])
  },
)
