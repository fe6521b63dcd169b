import { expect, onTestFinished, test } from 'vitest'
import { saveMeta } from '../../../src/store/meta.ts'
import { firstStart, tellSince } from '../../../src/monitor/startTimes.ts'
import type { AppConfig } from '../../../src/kernel/settings.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { plainConfig } from '../../support/appConfig.ts'

const day = 86_400_000
const now = Date.UTC(2026, 0, 10)

function setUp(config: Pick<AppConfig, 'start'> = plainConfig) {
  const db = openDatabase(':memory:')
  onTestFinished(() => db.close())
  return (at: number) => tellSince({ db }, { ...plainConfig, ...config }, at)
}

test('what is news begins a day before the first start, and stays there', () => {
  const readAt = setUp()
  expect(readAt(now)).toBe(now - day)
  expect(readAt(now + 30 * day)).toBe(now - day)
})

test('F106: a first start by a clock that was years ahead makes no history of what happens, once it is set right', () => {
  const readAt = setUp()
  readAt(now + 1_000 * day)
  expect(readAt(now)).toBe(now - day)
  expect(readAt(now + 30 * day)).toBe(now - day)
})

test('a start that looks back less than a day stays where it began after a restart, too', () => {
  const hour = 3_600_000
  const readAt = setUp({ start: { from: { kind: 'ago', ms: hour } } })
  expect(readAt(now)).toBe(now - hour)
  expect(readAt(now + 300_000)).toBe(now - hour)
})

test('the first start stays the first, and is none of the future', () => {
  const db = openDatabase(':memory:')
  onTestFinished(() => db.close())
  expect(firstStart({ db, isFirstStart: true }, now)).toBe(now)
  expect(firstStart({ db, isFirstStart: true }, now + day)).toBe(now)
  expect(firstStart({ db, isFirstStart: true }, now - day)).toBe(now - day)
  expect(firstStart({ db, isFirstStart: true }, now)).toBe(now - day)
})

test('the first start of a ledger in which it was not noted was by when its news begin at the latest', () => {
  const db = openDatabase(':memory:')
  onTestFinished(() => db.close())
  saveMeta(db, 'tell_since', String(now - 30 * day))
  expect(firstStart({ db, isFirstStart: false }, now)).toBe(now - 30 * day)
  expect(firstStart({ db, isFirstStart: false }, now + day)).toBe(now - 30 * day)
})
