import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createCommits } from '../../../src/store/commits.ts'

const full = () => Object.assign(new Error('database or disk is full'), { errcode: 13 })

/** A connection whose disk takes nothing while it is full: as SQLite does, it rolls back what it could not commit. */
function setUp() {
  const connection = new DatabaseSync(':memory:')
  onTestFinished(() => connection.close())
  connection.exec('CREATE TABLE seen (what TEXT)')
  const disk = { isFull: false, failures: 0 }
  const commits = createCommits(
    {
      exec(sql) {
        if (sql === 'COMMIT' && disk.isFull) {
          connection.exec('ROLLBACK')
          throw full()
        }
        connection.exec(sql)
      },
      prepare: (sql) => connection.prepare(sql),
      get isTransaction() {
        return connection.isTransaction
      },
    },
    null,
    (outcome) => {
      if (!('error' in outcome)) return
      disk.failures += 1
      commits.hold()
    },
  )
  const see = (what: string) =>
    commits.transaction(() => void connection.prepare('INSERT INTO seen VALUES (?)').run(what))
  const wait = (what: string) =>
    commits.transaction(() => void connection.prepare('INSERT INTO seen VALUES (?)').run(what), true)
  const seen = () =>
    connection
      .prepare('SELECT what FROM seen')
      .all()
      .map(({ what }) => what)
  return { commits, connection, disk, see, seen, wait }
}

test('what came out of a commit says whether it may wait', () => {
  const { commits, connection, see } = setUp()
  commits.transaction(
    () => 'nothing new',
    (what) => what === 'nothing new',
  )
  expect(connection.isTransaction).toBe(true)
  commits.transaction(
    () => 'news',
    (what) => what === 'nothing new',
  )
  expect(connection.isTransaction).toBe(false)
  see('after')
})

test('F16: what is committed while the disk takes nothing is known, and saved when it is released', () => {
  const { commits, connection, disk, see, seen } = setUp()
  see('before')
  disk.isFull = true
  expect(() => see('refused')).toThrow('disk is full')
  see('held')
  see('held too')
  expect(commits.isHeld()).toBe(true)
  expect(seen()).toEqual(['before', 'held', 'held too'])
  expect(commits.heldBytes()).toBeGreaterThan(0)
  disk.isFull = false
  commits.release()
  expect(commits.isHeld()).toBe(false)
  expect(connection.isTransaction).toBe(false)
  see('after')
  expect(seen()).toEqual(['before', 'held', 'held too', 'after'])
  expect(disk.failures).toBe(1)
})

test('F16: work that throws while commits are held takes back itself alone', () => {
  const { commits, disk, see, seen } = setUp()
  disk.isFull = true
  expect(() => see('refused')).toThrow('disk is full')
  see('held')
  expect(() =>
    commits.transaction(() => {
      see('joined')
      throw new Error('a bug')
    }),
  ).toThrow('a bug')
  expect(seen()).toEqual(['held'])
  expect(commits.isHeld()).toBe(true)
  expect(commits.rollbacks()).toBe(2)
})

test('F16: what is released onto a disk that is still full is lost, and said to be', () => {
  const { commits, disk, see, seen } = setUp()
  see('before')
  disk.isFull = true
  expect(() => see('refused')).toThrow('disk is full')
  see('held')
  expect(() => commits.release()).toThrow('disk is full')
  expect(commits.rollbacks()).toBe(2)
  expect(seen()).toEqual(['before'])
  // The next hold began at once: what is found again is kept.
  see('found again')
  expect(seen()).toEqual(['before', 'found again'])
})

test('F16: a hold that SQLite gave up begins anew with the next commit that is refused', () => {
  const { commits, connection, disk, see, seen } = setUp()
  see('before')
  disk.isFull = true
  expect(() => see('refused')).toThrow('disk is full')
  see('held')
  expect(() =>
    commits.transaction(() => {
      // More than what may be held was written out, which the disk refused.
      connection.exec('ROLLBACK')
      throw full()
    }),
  ).toThrow('disk is full')
  expect(seen()).toEqual(['before'])
  see('found again')
  expect(seen()).toEqual(['before', 'found again'])
  expect(commits.isHeld()).toBe(true)
})

test('F16: a hold that SQLite gave up for a reader is noticed before anything else is held', () => {
  const { commits, connection, disk, see, seen } = setUp()
  see('before')
  disk.isFull = true
  expect(() => see('refused')).toThrow('disk is full')
  see('held')
  // A statement beside any transaction found no room in memory: SQLite rolls back all of it.
  connection.exec('ROLLBACK')
  see('found again')
  expect(commits.rollbacks()).toBe(2)
  expect(disk.failures).toBe(2)
  expect(seen()).toEqual(['before', 'found again'])
  expect(commits.isHeld()).toBe(true)
  disk.isFull = false
  connection.exec('ROLLBACK')
  expect(() => commits.release()).toThrow('did not fit')
  see('after')
  commits.release()
  expect(seen()).toEqual(['before', 'after'])
})

test('a transaction that cannot even be taken back leaves the next one whole', () => {
  const connection = new DatabaseSync(':memory:')
  onTestFinished(() => connection.close())
  connection.exec('CREATE TABLE seen (what TEXT)')
  let isBroken = true
  const commits = createCommits(
    {
      exec(sql) {
        if (sql === 'ROLLBACK' && isBroken) throw new Error('disk I/O error')
        connection.exec(sql)
      },
      prepare: (sql) => connection.prepare(sql),
      get isTransaction() {
        return connection.isTransaction
      },
    },
    null,
    () => undefined,
  )
  const fails = () =>
    commits.transaction(() => {
      throw new Error('a bug')
    })
  expect(fails).toThrow('disk I/O error')
  isBroken = false
  connection.exec('ROLLBACK')
  expect(() => commits.transaction(() => expect(connection.isTransaction).toBe(true))).not.toThrow()
})

describe('commits that may wait', () => {
  test('are seen at once, and on the disk with the next that may not', () => {
    const { commits, connection, see, seen, wait } = setUp()
    wait('one')
    wait('two')
    expect(seen()).toEqual(['one', 'two'])
    expect([commits.isUnsaved(), connection.isTransaction]).toEqual([true, true])
    see('now')
    expect([commits.isUnsaved(), connection.isTransaction]).toEqual([false, false])
    expect(seen()).toEqual(['one', 'two', 'now'])
  })

  test('are on the disk with the twentieth, or when they are saved', () => {
    const { commits, connection, wait } = setUp()
    for (let n = 1; n < 20; n += 1) wait(String(n))
    expect(connection.isTransaction).toBe(true)
    wait('20')
    expect(connection.isTransaction).toBe(false)
    wait('21')
    commits.save()
    expect(connection.isTransaction).toBe(false)
    expect(() => commits.save()).not.toThrow()
  })

  test('one that throws takes back itself alone', () => {
    const { commits, seen, wait } = setUp()
    wait('one')
    expect(() =>
      commits.transaction(() => {
        wait('joined')
        throw new Error('a bug')
      }, true),
    ).toThrow('a bug')
    wait('two')
    commits.save()
    expect(seen()).toEqual(['one', 'two'])
  })

  test('F16: what waited on a disk that is full is lost, said to be, and held from then on', () => {
    const { commits, disk, see, seen, wait } = setUp()
    wait('one')
    disk.isFull = true
    expect(() => see('refused')).toThrow('disk is full')
    expect([seen(), commits.rollbacks(), commits.isHeld()]).toEqual([[], 1, true])
    wait('held')
    expect(seen()).toEqual(['held'])
    disk.isFull = false
    commits.release()
    expect([seen(), commits.isUnsaved()]).toEqual([['held'], false])
  })

  test('F16: a disk that is found full by a statement takes back that commit, and holds what waited', () => {
    const { commits, disk, seen, wait } = setUp()
    wait('one')
    expect(() =>
      commits.transaction(() => {
        throw full()
      }),
    ).toThrow('disk is full')
    expect([seen(), commits.isHeld(), disk.failures]).toEqual([['one'], true, 1])
    commits.release()
    expect([seen(), commits.isUnsaved()]).toEqual([['one'], false])
  })
})

test.each(['alone', 'waiting', 'held'])(
  'a part that fails takes back what it did, and nothing of its transaction: %s',
  (how) => {
    const { commits, see, seen, wait } = setUp()
    if (how === 'waiting') wait('before')
    if (how === 'held') commits.hold()
    const failing = () => {
      see('part')
      throw new Error('a row cannot be read')
    }
    commits.transaction(() => {
      see('whole')
      expect(() => commits.part(failing)).toThrow('a row cannot be read')
      commits.part(() => see('other part'))
    })
    expect(seen()).toEqual([...(how === 'waiting' ? ['before'] : []), 'whole', 'other part'])
    expect(commits.rollbacks()).toBe(1)
  },
)
