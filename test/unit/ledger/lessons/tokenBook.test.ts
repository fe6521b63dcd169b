import { expect, test } from 'vitest'
import { createTokenBook, readDecimals } from '../../../../src/ledger/lessons/tokenBook.ts'
import { openDatabase } from '../../../../src/store/database.ts'
import { toRecord } from '../../../support/records.ts'

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

test('the native currency is one token, however the configuration and records spell it', () => {
  const db = openDatabase(':memory:')
  const spellings = ['', `0x${'00'.repeat(20)}`, `0x${'ee'.repeat(20)}`]
  const plain = createTokenBook(db, [])
  expect(plain.learn([toRecord({ token: spellings[2] ?? '', value: '1', amountRaw: 1_000n })], 1)).toBe(false)
  for (const one of spellings) expect(plain.find(one)).toEqual({ symbol: null, decimals: 18 })
  for (const address of spellings.slice(1)) {
    const book = createTokenBook(db, [
      { address: address.toUpperCase().replace('X', 'x'), symbol: 'COIN', decimals: 18 },
    ])
    expect(spellings.map((one) => book.find(one).symbol)).toEqual(['COIN', 'COIN', 'COIN'])
  }
  db.close()
})
