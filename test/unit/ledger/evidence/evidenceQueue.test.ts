import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHashCell } from '../../../../src/store/hash.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../../src/store/database.ts'
import { dropQueued, listQuestions, listQueued } from '../../../../src/ledger/evidence/evidenceQueue.ts'
import { queueLegs } from '../../../../src/ledger/evidence/queueLegs.ts'
import { noteForgotten } from '../../../../src/ledger/lessons/historyMarks.ts'
import { createOldLedger } from '../../../support/oldLedger.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { transferOf } from '../../rules/transfers.ts'

/** When the chain's head has to have passed a payout that is first seen at `now`, long after its withdrawal was. */
function timeOfPayout(mainTime: number, now: number): unknown {
  const db = openDatabase(':memory:')
  const settings = { since: 0, holdMs: 10_000, wantsReceipt: null }
  const before = transferOf([toRecord({ mainHash: null, mainHeight: null, mainTime: null, zoneTime: 1_000 })])
  const after = transferOf([toRecord({ mainHash: hash('paid'), mainTime, zoneTime: 1_000 })])
  queueLegs(db, settings, { before, after }, now)
  const row = db.prepare('SELECT time FROM evidence_queue WHERE hash = ?').get(toHashCell(hash('paid')))
  db.close()
  return row?.['time']
}

test('a payout is looked for once the head has passed it, not once it has passed the withdrawal', () => {
  expect(timeOfPayout(500_000, 600_000)).toBe(500_000)
})

test('one that names a time to come is looked for all the same', () => {
  expect(timeOfPayout(900_000_000, 600_000)).toBe(600_000)
})

test('questions of before are known by their hashes, whatever those look like', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-queue-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'ledger.sqlite')
  const old = createOldLedger(path, 44)
  const insert = old.prepare(
    `INSERT INTO evidence_queue (ask, hash, added_at, ready_at, due_at, height, time, late, reads)
      VALUES ('zone', ?, 1, 2, 3, 4, 5, 0, 6)`,
  )
  const odd = ['0x', '0xABCD', `0x${'g'.repeat(64)}`, 'no hash at all', `0x${'a'.repeat(63)}`]
  const hashes = [hash('plain'), `0x${'ab'.repeat(20)}`, ...odd]
  for (const one of hashes) insert.run(one)
  old.close()
  const db = openDatabase(path)
  const legs = listQueued(db, 'zone', false, 10, 99)
  expect(legs.map((leg) => leg.hash).toSorted()).toEqual(hashes.toSorted())
  expect(legs[0]).toMatchObject({ addedAt: 1, readyAt: 2, dueAt: 3, height: 4, time: 5, reads: 6 })
  expect(hashes.map((one) => listQuestions(db, one))).toEqual(hashes.map(() => ['zone']))
  for (const one of hashes) dropQueued(db, 'zone', one)
  expect(listQueued(db, 'zone', false, 10, 99)).toEqual([])
  db.close()
})

test('semantics.md 44: where a run takes few turns, each tenth of all of them goes to the oldest', () => {
  const db = openDatabase(':memory:')
  const insert = db.prepare(
    `INSERT INTO evidence_queue (ask, hash, added_at, ready_at, due_at, height, time, late, risk)
      VALUES ('past', ?, 0, 0, ?, 1, 0, 0, ?)`,
  )
  insert.run(toHashCell(hash('oldest')), 1, 0.001)
  for (let n = 0; n < 30; n += 1) insert.run(toHashCell(hash(`dear${n}`)), 2, 0.5)
  const isAsked = (before: number) =>
    listQueued(db, 'past', false, 9, 5, before).some((leg) => leg.hash === hash('oldest'))
  expect([0, 5, 10, 15].map(isAsked)).toEqual([false, true, false, true])
  db.close()
})

describe('semantics.md 46: whether an origin was paid before is asked where the ledger may have forgotten it', () => {
  const day = 86_400_000
  const leftAt = 10 * day

  test.each([
    { title: 'it left before what is forgotten', forgottenUntil: leftAt, isAsked: true },
    { title: 'not where nothing is forgotten', forgottenUntil: null, isAsked: false },
    { title: 'not where it left after that', forgottenUntil: leftAt - 1, isAsked: false },
    { title: 'not of history that is read late', forgottenUntil: leftAt + 60_000, isAsked: false },
    { title: 'not of what was seen within a day', seenAt: leftAt + day - 1, isAsked: false },
  ])('$title', ({ forgottenUntil = leftAt, isAsked, seenAt = leftAt + day }) => {
    const db = openDatabase(':memory:')
    if (forgottenUntil !== null) noteForgotten(db, forgottenUntil)
    const record = toRecord({ zoneTime: leftAt, mainTime: leftAt + 60_000 })
    const after = { ...transferOf([record]), firstSeenAt: seenAt }
    const settings = { since: 0, holdMs: 10_000, wantsReceipt: null }
    queueLegs(db, settings, { before: null, after }, seenAt)
    expect(listQueued(db, 'past', false, seenAt, 9)).toHaveLength(isAsked ? 1 : 0)
    db.close()
  })
})
