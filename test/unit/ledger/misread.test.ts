import { expect, test } from 'vitest'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { listAnswers } from '../../../src/ledger/evidence/legAnswers.ts'
import { createSettling, repackSome } from '../../../src/ledger/transfers/repack.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import { takeMisread } from '../../../src/store/misread.ts'
import { pack } from '../../../src/store/pack.ts'
import { fc, timesOf } from '../../support/fastCheck.ts'
import { hash, toPending, toRecord } from '../../support/records.ts'

const settings = { tokens: [], openIntervalMs: 10_000 }
const address = (digit: string) => `0x${digit.repeat(40)}`
const record = (place: number, isPending = false) =>
  (isPending ? toPending : toRecord)({
    id: `r${place}`,
    zoneHash: hash(`zone ${place}`),
    sourceAddress: address('a'),
    targetAddress: address('b'),
    token: address('c'),
    status: isPending ? 'unknown' : 'success',
    ...(!isPending && { mainHash: hash(`main ${place}`) }),
  })
const records = [record(1), record(2, true), record(3)]

function open() {
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, settings)
  ledger.recordAnswer(records, 1_000_000)
  ledger.recordEvidence(
    [1, 2, 3].map((place) => ({
      chain: 'zone' as const,
      hash: hash(`zone ${place}`),
      source: 'E9' as const,
      requestedAt: 5,
      status: 'success' as const,
      errorMessage: '',
      moves: null,
    })),
    1_000_000,
  )
  return { db, ledger }
}

const damages: readonly (readonly [string, (body: Uint8Array) => Uint8Array | string])[] = [
  ['cut', (body) => body.slice(0, 9)],
  ['of no form', () => Uint8Array.of(9, 9, 9)],
  ['another value', () => pack(true)],
  ['no sightings', () => pack({ s: 5 })],
  ['none at all', () => pack({ s: [] })],
  ['sightings of nothing', () => pack({ s: [['x', 'y']] })],
  ['an amount that is none', () => pack({ s: [Array.from({ length: 26 }, () => 'x')] })],
  ['text', () => '{"s":'],
]

function damage(db: Database, key: number, to: (body: Uint8Array) => Uint8Array | string): void {
  const body = db.prepare('SELECT body FROM transfers WHERE key = ?').get(key)?.['body']
  if (!(body instanceof Uint8Array)) throw new Error('no packed body')
  db.prepare('UPDATE transfers SET body = ? WHERE key = ?').run(to(body), key)
}

test.each(damages)('a row whose sightings are %s is what its columns say, and holds up no other', (_, to) => {
  const { db, ledger } = open()
  const before = ledger.listTransfers({ limit: 9 })
  for (const key of [1, 2]) damage(db, key, to)
  const unread = { crossType: '', amount: '1.5', from: address('a'), to: address('b') }
  expect(ledger.listTransfers({ limit: 9 })).toEqual(
    before.map((one) =>
      one.key === 't3' ? one : expect.objectContaining({ key: one.key, state: one.state }),
    ),
  )
  expect(ledger.getTransfer('t1')).toMatchObject({ ...unread, amountRaw: 1_500_000n, state: 'completed' })
  const pending = ledger.listPending({ direction: null, originAtOrBefore: 1_000_000 })
  expect([...pending].map(({ key }) => key)).toEqual(['t2'])
  expect(takeMisread(db)).toEqual(['transfer t2', 'transfer t1'])
  expect(takeMisread(db)).toEqual([])
})

test('what is read of it after the hour in which nothing new is looked at makes it whole, under its key', () => {
  const { db, ledger } = open()
  const before = ledger.listTransfers({ limit: 9 })
  for (const key of [1, 2]) damage(db, key, (body) => body.slice(0, 9))
  const again = [...records, record(4)].map((one) => ({ ...one, requestedAt: one.requestedAt + 3_600_000 }))
  const { joined } = ledger.recordAnswer(again, 5_000_000)
  expect(joined).toEqual([])
  const said = (all: typeof before) =>
    all.map(({ key, id, state, amount, amountRaw, main, zone, crossType }) => {
      return { key, id, state, amount, amountRaw, main, zone, crossType }
    })
  expect(said(ledger.listTransfers({ limit: 9 }).filter(({ key }) => key !== 't4'))).toEqual(said(before))
  expect(ledger.countByState()).toMatchObject({ completed: 3, pending: 1 })
})

test('a row of before that cannot be read is written in the form of now, and those behind it', () => {
  const { db, ledger } = open()
  for (const key of [1, 3]) damage(db, key, () => (key === 1 ? '{"s":' : pack(true)))
  db.prepare("DELETE FROM meta WHERE name = 'form' OR name GLOB 'repacked_*'").run()
  for (let steps = 0; repackSome(db, 1); steps += 1) expect(steps).toBeLessThan(20)
  expect(takeMisread(db)).toEqual(['transfer t1', 'transfer t3'])
  expect(ledger.listTransfers({ limit: 9 }).map(({ key }) => key)).toHaveLength(3)
  expect(takeMisread(db)).toEqual([])
})

test.each([
  ['apart', 'leg_answers', () => undefined],
  ['settled', 'settled_answers', (db: Database) => void createSettling(db, 0)(9)],
])('answers that cannot be read are none, those %s', (_, table, settle) => {
  const { db, ledger } = open()
  settle(db)
  const first = db.prepare(`SELECT min(rowid) AS id FROM ${table}`).get()?.['id'] ?? 0
  for (const bytes of [Uint8Array.of(3), pack(true), pack([7]), pack([['zone', 'E9', 5, 'what', {}]])]) {
    db.prepare(`UPDATE ${table} SET answers = ? WHERE rowid = ?`).run(bytes, first)
    const of = (place: number) => listAnswers(db, [hash(`zone ${place}`)]).length
    expect([of(1), of(3)]).toEqual([0, 1])
    expect(ledger.listTransfers({ limit: 9 })).toHaveLength(3)
  }
  expect(takeMisread(db)).toHaveLength(1)
  ledger.recordAnswer([{ ...record(1), status: 'failed' }], 2_000_000)
  expect(ledger.getTransfer('t1')).toMatchObject({ evidence: [] })
})

test('whichever bytes are other ones, every other transfer is read', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (at, bits) => {
      const { db, ledger } = open()
      damage(db, 1, (body) => body.with(at % body.length, (body[at % body.length] ?? 0) ^ bits))
      const keys = ledger.listTransfers({ limit: 9 }).map(({ key }) => key)
      expect(keys.toSorted()).toEqual(['t1', 't2', 't3'])
      ledger.recordAnswer([...records, record(4)], 2_000_000)
      db.close()
    }),
    { numRuns: timesOf(100) },
  )
})
