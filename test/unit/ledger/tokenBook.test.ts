import { expect, test } from 'vitest'
import { createTokenBook, readDecimals } from '../../../src/ledger/tokenBook.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { toRecord } from '../../support/records.ts'

test('decimals that were learned in a transaction that came to nothing are learned again', () => {
  const db = openDatabase(':memory:')
  const book = createTokenBook(db, [])
  const learn = () => book.learn([toRecord()], 1)
  const undone = () =>
    db.transaction(() => {
      expect(learn()).toBe(true)
      throw new Error('the commit came to nothing')
    })
  expect(undone).toThrow('came to nothing')
  expect([learn(), book.find('0xcc').decimals, readDecimals(db, '0xcc')]).toEqual([true, 6, 6])
  db.close()
})
