import { expect, test } from 'vitest'
import type { BridgeLog } from '../../../../src/bridge/bridgeLog.ts'
import { purgeLogs, saveLogs } from '../../../../src/checks/contracts/logStore.ts'
import { type Database, openDatabase } from '../../../../src/store/database.ts'
import { readProgress, saveProgress } from '../../../../src/checks/contracts/progressStore.ts'
import { isNewAmong } from '../../../../src/checks/contracts/firstEventStore.ts'

const contract = `0x${'c0'.repeat(20)}`
const isNew = (db: Database, one: BridgeLog, since = 0) => isNewAmong(db, one, { least: 0, since })
const log = (hash: string, height: number): BridgeLog => ({
  contract,
  hash,
  height,
  time: height * 1_000,
  place: '0',
  topics: [`0x${'01'.repeat(32)}`],
  data: '0x',
})

test('an event is new in the first transaction that emitted it, whatever was read first', () => {
  const db = openDatabase(':memory:')
  const news = () => ['0xa0', '0xa1', '0xa2'].filter((hash) => isNew(db, log(hash, 0)))
  saveLogs(db, [log('0xa1', 100), log('0xa2', 200)], 1)
  expect(news()).toEqual(['0xa1'])
  saveLogs(db, [log('0xa1', 202)], 2)
  expect(news()).toEqual(['0xa1'])
  saveLogs(db, [log('0xa0', 50)], 3)
  expect(news()).toEqual(['0xa0'])
})

test('of several that were there before the monitor none is known to be the first', () => {
  const db = openDatabase(':memory:')
  saveLogs(db, [log('0xa1', 100)], 1)
  expect(isNew(db, log('0xa1', 100), 200_000)).toBe(true)
  saveLogs(db, [log('0xa2', 150)], 1)
  expect(isNew(db, log('0xa1', 100), 200_000)).toBe(false)
})

test('of several that came while nothing ran, after the contract was first read, the first is new', () => {
  const db = openDatabase(':memory:')
  saveProgress(db, contract, { ...readProgress(db, contract), followedSince: 90_000 })
  saveLogs(db, [log('0xa1', 100), log('0xa2', 150)], 1)
  expect(isNew(db, log('0xa1', 100), 200_000)).toBe(true)
  expect(isNew(db, log('0xa2', 150), 200_000)).toBe(false)
})

test('one that comes again after it was forgotten is not new', () => {
  const db = openDatabase(':memory:')
  saveLogs(db, [log('0xa1', 100)], 1)
  purgeLogs(db, { contract, belowHeight: 1_000, openSince: 2, limit: 10 })
  saveLogs(db, [log('0xa2', 2_000)], 3)
  expect(isNew(db, log('0xa2', 2_000))).toBe(false)
})
