import { expect, test } from 'vitest'
import type { Observation } from '../../../src/bridge/observation.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { isShortOfHistory, listQueued } from '../../../src/ledger/evidence/evidenceQueue.ts'
import { createLearned } from '../../../src/ledger/lessons/learned.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { hash, toRecord } from '../../support/records.ts'

const now = 100_000_000
const longAgo = now - 3_600_000

function open() {
  const db = openDatabase(':memory:')
  const evidence = { since: 0, holdMs: 15_000, wantsReceipt: null }
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000, evidence })
  const listLegs = (isLate: boolean) =>
    (['zone', 'main'] as const).flatMap((ask) => listQueued(db, ask, isLate, now, 99).map((leg) => leg.hash))
  return { db, ledger, listLegs, isReading: () => createLearned(db).isReadingHistory() }
}

function recordOf(name: string, at: number): Observation {
  return toRecord({
    id: hash(`id ${name}`),
    zoneHash: hash(`zone ${name}`),
    mainHash: hash(`main ${name}`),
    zoneTime: at,
    mainTime: at,
    requestedAt: now,
  })
}

const legsOf = (...names: string[]) =>
  ['zone', 'main'].flatMap((leg) => names.map((name) => hash(`${leg} ${name}`)))

test('of what was long over when it was first seen so many are queued as are asked for, in their order', () => {
  const { ledger, listLegs, isReading } = open()
  ledger.recordAnswer(
    ['a', 'b', 'c'].map((name) => recordOf(name, longAgo)),
    now,
  )
  expect(listLegs(true)).toEqual([])
  expect(isReading()).toBe(true)
  ledger.queueHistory(2, now)
  expect(listLegs(true).toSorted()).toEqual(legsOf('a', 'b').toSorted())
  ledger.queueHistory(2, now)
  expect(listLegs(true).toSorted()).toEqual(legsOf('a', 'b', 'c').toSorted())
})

test('what happens now is queued at once, and not again with history', () => {
  const { ledger, listLegs } = open()
  ledger.recordAnswer([recordOf('past', longAgo)], now)
  ledger.recordAnswer([recordOf('new', now - 60_000)], now)
  expect(listLegs(false).toSorted()).toEqual(legsOf('new').toSorted())
  ledger.queueHistory(9, now)
  expect(listLegs(true).toSorted()).toEqual(legsOf('past').toSorted())
})

test('a leg that was answered meanwhile is not queued', () => {
  const { ledger, listLegs } = open()
  ledger.recordAnswer([recordOf('past', longAgo)], now)
  const answer = { source: 'E9', status: 'success', errorMessage: '', moves: null, requestedAt: now } as const
  ledger.recordEvidence([{ ...answer, chain: 'zone', hash: hash('zone past') }], now)
  ledger.queueHistory(9, now)
  expect(listLegs(true)).toEqual([hash('main past')])
})

test('what was there before the first history is not looked through', () => {
  const { db, ledger, listLegs } = open()
  ledger.recordAnswer([recordOf('new', now - 60_000)], now)
  db.prepare('DELETE FROM evidence_queue').run()
  // A clock that was set on: by now it would be history as well.
  db.prepare('UPDATE transfers SET first_seen_at = ?').run(now + 3_600_000)
  ledger.recordAnswer([recordOf('past', longAgo)], now)
  ledger.queueHistory(9, now)
  expect(listLegs(true).toSorted()).toEqual(legsOf('past').toSorted())
})

test.each([
  { least: 4, isShort: false },
  { least: 5, isShort: true },
])('with four legs at hand more are wanted below $least: $isShort', ({ least, isShort }) => {
  const { db, ledger } = open()
  ledger.recordAnswer(
    ['a', 'b'].map((name) => recordOf(name, longAgo)),
    now,
  )
  ledger.queueHistory(9, now)
  expect(isShortOfHistory(db, ['zone', 'main', 'native'], now, least)).toBe(isShort)
})

test.each([
  { title: 'arrives meanwhile', mainTime: now + 1_000, at: now + 2_000 },
  { title: 'was asked for just before it was long over', mainTime: null, at: now },
])('the origin of one that $title is asked about as well', ({ mainTime, at }) => {
  const { db, ledger } = open()
  const withdrawal = { id: hash('id w'), direction: 'ZoneToMain', zoneHash: hash('zone w') } as const
  const sent = now - 15 * 60_000 - 1
  const left = { ...withdrawal, mainHash: null, mainHeight: null, mainTime: null, zoneTime: sent }
  // Its request was sent two seconds before the answer was saved.
  ledger.recordAnswer([toRecord({ ...left, requestedAt: now - 2_000 })], now)
  if (mainTime !== null)
    ledger.recordAnswer(
      [toRecord({ ...withdrawal, zoneTime: sent, mainHash: hash('main w'), mainTime, requestedAt: at })],
      at,
    )
  ledger.queueHistory(9, at)
  const asked = [true, false].flatMap((isLate) => listQueued(db, 'zone', isLate, at + 60_000, 9))
  expect(asked.map((leg) => leg.hash)).toEqual([hash('zone w')])
})
