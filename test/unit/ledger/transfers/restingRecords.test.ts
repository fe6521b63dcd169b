import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { type Database, openDatabase } from '../../../../src/store/database.ts'
import { createLedger } from '../../../../src/ledger/ledger.ts'
import { createMissingRecords } from '../../../../src/ledger/transfers/missingRecords.ts'
import { hash, toPending, toRecord } from '../../../support/records.ts'

const at = 1_000_000

function setUp(db: Database = openDatabase(':memory:')) {
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  const read = (requestedAt: number, ...records: Observation[]) =>
    db.transaction(() =>
      ledger.recordAnswer(
        records.map((record) => ({ ...record, requestedAt })),
        requestedAt,
      ),
    )
  const storedReadAt = () => Number(db.prepare('SELECT read_at FROM transfers').get()?.['read_at'])
  return { db, ledger, read, storedReadAt, readAt: () => ledger.listTransfers({ limit: 9 })[0]?.readAt }
}

const whole = toRecord({ id: 'a', updateTime: 5 })

describe('a record that is complete and shown again', () => {
  test('is written at most once an hour, and its time is known all the same', () => {
    const world = setUp()
    const hour = 3_600_000
    world.read(at, whole)
    expect(world.read(at + hour - 1, whole)).toMatchObject({ news: 0, changes: [] })
    expect([world.storedReadAt(), world.readAt()]).toEqual([at, at + hour - 1])
    expect(world.ledger.seenAt('t1')).toBe(at + hour - 1)
    world.read(at + hour, whole)
    expect(world.storedReadAt()).toBe(at + hour)
  })

  test('is judged when it is shown after somebody had it asked for again', () => {
    const world = setUp()
    world.read(at, whole)
    const [transfer] = world.ledger.listTransfers({ limit: 9 })
    world.ledger.askAgain(transfer!, at + 1_000)
    world.read(at + 2_000, whole)
    expect(world.storedReadAt()).toBe(at + 2_000)
  })

  test('is not missing from the list that showed it', () => {
    const world = setUp()
    world.read(at, whole)
    world.read(at + 30_000, whole)
    const missing = createMissingRecords(world.db, (key) => world.ledger.seenAt(key))
    missing.scan({ from: 0, until: at, readBefore: at + 30_000 }, at)
    expect(missing.listDue(at, 9)).toEqual([])
    missing.scan({ from: 0, until: at, readBefore: at + 30_001 }, at)
    expect(missing.listDue(at, 9)).toHaveLength(1)
  })

  test.each([
    ['says something else', { ...whole, status: 'failed' as const }],
    ['was written again', { ...whole, updateTime: 6 }],
  ])('is looked at when it %s', (_, other) => {
    const world = setUp()
    world.read(at, whole)
    expect(world.read(at + 1, other).changes).toHaveLength(1)
    expect(world.storedReadAt()).toBe(at + 1)
  })

  test('is looked at when the answer to an earlier request comes later (semantics 4)', () => {
    const world = setUp()
    world.read(at, whole)
    world.read(at - 1, whole)
    expect(world.ledger.listTransfers({ limit: 9 })).toMatchObject([{ firstSeenAt: at - 1, readAt: at }])
  })

  test('is looked at after another reading changed its transfer', () => {
    const world = setUp()
    const open = toPending({ id: 'a' })
    world.read(at, whole)
    world.read(at + 5_000, open)
    world.read(at + 9_000, whole)
    expect(world.storedReadAt()).toBe(at + 9_000)
  })

  test('was last shown when it was, for the record that says otherwise later', () => {
    const world = setUp()
    world.read(at, whole)
    world.read(at + 9_000, whole)
    world.read(at + 10_000, toPending({ id: 'a' }))
    const sightings = world.ledger.listSightings('t1')
    expect(sightings.map(({ lastAt }) => lastAt)).toEqual([at + 9_000, at + 10_000])
  })

  test('is written at each reading while its transfer is open', () => {
    const world = setUp()
    world.read(at, toPending({ id: 'a' }))
    world.read(at + 5_000, toPending({ id: 'a' }))
    expect(world.storedReadAt()).toBe(at + 5_000)
  })

  test('is looked at when the transaction that saved it came to nothing', () => {
    const world = setUp()
    const { db, ledger } = world
    const fail = () =>
      db.transaction(() => {
        ledger.recordAnswer([{ ...whole, requestedAt: at }], at)
        throw new Error('disk full')
      })
    expect(fail).toThrow('disk full')
    expect(world.read(at + 1, whole).news).toBe(1)
  })

  test('stands beside a record that is new', () => {
    const world = setUp()
    world.read(at, whole)
    const other = toRecord({ id: 'b', zoneHash: hash('zone2'), mainHash: hash('main2') })
    expect(world.read(at + 5_000, whole, other)).toMatchObject({ news: 1 })
    expect(world.ledger.listTransfers({ limit: 9 })).toHaveLength(2)
  })
})
