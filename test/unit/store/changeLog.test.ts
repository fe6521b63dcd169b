import { createHash, randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { type Change, createChangeLog, type ReplicaState } from '../../../src/store/changeLog.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import { saveMeta } from '../../../src/store/meta.ts'
import { fc } from '../../support/fastCheck.ts'
import { listRows } from '../../support/listRows.ts'

const opened: Database[] = []
afterEach(() => {
  for (const db of opened.splice(0)) db.close()
})

const first = { epoch: 1, seq: 0, hash: new Uint8Array() }

/** A ledger in memory that is the same as all others of this test. */
function open(role: ReplicaState['role']): Database {
  const db = openDatabase(':memory:')
  opened.push(db)
  db.prepare("UPDATE meta SET value = 'same' WHERE name = 'generation'").run()
  db.changes.become({ role, ...first })
  return db
}

function listAll(db: Database): Change[] {
  return db.changes.listPending(0, Infinity)
}

test('a ledger that is not replicated records nothing', () => {
  const db = openDatabase(':memory:')
  opened.push(db)
  db.transaction(() => saveMeta(db, 'a', '1'))
  expect(db.changes.state()).toBeNull()
  expect(listAll(db)).toEqual([])
})

test('a follower holds what the holder committed, and not what was rolled back', () => {
  const [holder, follower] = [open('holder'), open('follower')]
  holder.transaction(() => saveMeta(holder, 'a', '1'))
  expect(() =>
    holder.transaction(() => {
      saveMeta(holder, 'b', '2')
      throw new Error('not this one')
    }),
  ).toThrow('not this one')
  // Beside a transaction, and waiting for the next one.
  holder.prepare("INSERT INTO state_counts VALUES ('completed', 3)").run()
  holder.transaction(() => saveMeta(holder, 'c', '3'), true)
  expect(holder.changes.state()?.seq).toBe(2)
  holder.transaction(() => saveMeta(holder, 'd', '4'))
  follower.changes.apply(listAll(holder))
  expect(listRows(follower)).toEqual(listRows(holder))
  expect(follower.changes.state()).toMatchObject({ role: 'follower', seq: 3 })
  expect(Buffer.from(follower.changes.state()?.hash ?? [])).toEqual(holder.changes.state()?.hash)
})

test('a commit that waits and comes to nothing takes back itself alone, there as well', () => {
  const [holder, follower] = [open('holder'), open('follower')]
  holder.transaction(() => saveMeta(holder, 'a', '1'), true)
  expect(() =>
    holder.transaction(() => {
      saveMeta(holder, 'b', '2')
      throw new Error('no')
    }, true),
  ).toThrow('no')
  holder.transaction(() => saveMeta(holder, 'c', '3'))
  follower.changes.apply(listAll(holder))
  expect(listRows(follower)).toEqual(listRows(holder))
})

test('what is kept in memory for a full disk is recorded once it is saved', () => {
  const [holder, follower] = [open('holder'), open('follower')]
  holder.held.hold()
  holder.transaction(() => saveMeta(holder, 'a', '1'))
  holder.transaction(() => saveMeta(holder, 'b', '2'))
  expect(holder.changes.state()?.seq).toBe(0)
  holder.held.release()
  follower.changes.apply(listAll(holder))
  expect(listRows(follower)).toEqual(listRows(holder))
})

test('what was acknowledged is forgotten with the next commit', () => {
  const holder = open('holder')
  for (const value of ['1', '2', '3']) holder.transaction(() => saveMeta(holder, 'a', value))
  holder.changes.acknowledge(2)
  holder.transaction(() => saveMeta(holder, 'a', '4'))
  expect(listAll(holder).map(({ seq }) => seq)).toEqual([3, 4])
})

test('a commit that changes nothing is no change', () => {
  const holder = open('holder')
  holder.transaction(() => saveMeta(holder, 'a', '1'))
  holder.transaction(() => saveMeta(holder, 'a', '1'))
  expect(holder.changes.state()?.seq).toBe(1)
})

test('a follower refuses to be changed, also beside a transaction', () => {
  const follower = open('follower')
  expect(() => follower.transaction(() => saveMeta(follower, 'a', '1'))).toThrow('follows another one')
  expect(() => saveMeta(follower, 'a', '1')).toThrow('follows another one')
})

test.each([
  ['one that was left out', (list: Change[]) => list.slice(1), 'expected change 1, got 2'],
  [
    'one of another line',
    ([one, ...rest]: Change[]) => [{ ...one, previous: new Uint8Array(32) } as Change, ...rest],
    'change 1 follows another one',
  ],
  [
    'one that was altered on the way',
    ([one, ...rest]: Change[]) => [{ ...one, body: one?.body.map((byte) => byte ^ 1) } as Change, ...rest],
    'checksum of change 1',
  ],
])('%s is refused, and nothing is taken', (_, alter, problem) => {
  const [holder, follower] = [open('holder'), open('follower')]
  holder.transaction(() => saveMeta(holder, 'a', '1'))
  holder.transaction(() => saveMeta(holder, 'b', '2'))
  const before = listRows(follower)
  expect(() => follower.changes.apply(alter(listAll(holder)))).toThrow(problem)
  expect(listRows(follower)).toEqual(before)
  expect(follower.changes.state()?.seq).toBe(0)
})

test('a change that cannot be unpacked, although its checksum is right, is no reason to end', () => {
  const follower = open('follower')
  const body = Buffer.from('no zstd')
  const hash = createHash('sha256').update(body).digest()
  const change = { epoch: 1, seq: 1, previous: new Uint8Array(), hash, body }
  expect(() => follower.changes.apply([change])).toThrow('change 1 cannot be unpacked')
  expect(follower.changes.state()?.seq).toBe(0)
})

test('a ledger that holds something else is found to be another one', () => {
  const [holder, follower] = [open('holder'), open('follower')]
  holder.transaction(() => saveMeta(holder, 'a', '1'))
  follower.changes.become(null)
  saveMeta(follower, 'a', 'other')
  follower.changes.become({ role: 'follower', ...first })
  expect(() => follower.changes.apply(listAll(holder))).toThrow('does not fit what this ledger holds')
})

test('every table has a primary key, but for what a node knows of its own copy', () => {
  const db = open('holder')
  const bare = db
    .prepare(
      `SELECT m.name FROM sqlite_schema m WHERE m.type = 'table' AND NOT EXISTS
         (SELECT 1 FROM pragma_table_info(m.name) c WHERE c.pk > 0) ORDER BY m.name`,
    )
    .all()
    .map(({ name }) => name)
  expect(bare).toEqual(['replica_changes', 'replica_head', 'sqlite_sequence'])
})

test('property: whatever is committed, put off or taken back, a follower is the same row by row', () => {
  const step = fc.record({
    rows: fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.option(fc.string())), { minLength: 1 }),
    mayWait: fc.boolean(),
    fails: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const [holder, follower] = [open('holder'), open('follower')]
      for (const { rows, mayWait, fails } of steps) {
        try {
          holder.transaction(() => {
            for (const [name, value] of rows)
              if (value === null) holder.prepare('DELETE FROM meta WHERE name = ?').run(name)
              else saveMeta(holder, name, value)
            if (fails) throw new Error('planned')
          }, mayWait)
        } catch (error) {
          if (!(error instanceof Error) || error.message !== 'planned') throw error
        }
        follower.changes.apply(holder.changes.listPending(follower.changes.state()?.seq ?? 0, Infinity))
      }
      holder.transaction(() => saveMeta(holder, 'last', 'one'))
      follower.changes.apply(holder.changes.listPending(follower.changes.state()?.seq ?? 0, Infinity))
      expect(listRows(follower)).toEqual(listRows(holder))
    }),
  )
})

test('what nobody takes over has bounds: the oldest goes, and what is kept follows on to the newest', () => {
  const connection = new DatabaseSync(':memory:')
  onTestFinished(() => connection.close())
  migrate(connection, ':memory:')
  const log = createChangeLog(connection, 2_000)
  log.become({ role: 'holder', ...first })
  const commit = (value: string, isKept = true) => {
    connection.exec('BEGIN IMMEDIATE')
    log.recorder.began()
    connection.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('a', ?)").run(value)
    log.recorder.sealing()
    connection.exec(isKept ? 'COMMIT' : 'ROLLBACK')
    log.recorder.ended(isKept)
  }
  const bytes = () => log.listPending(0, Infinity).reduce((sum, { body }) => sum + body.length, 0)
  const value = () => randomBytes(200).toString('hex')
  for (let n = 0; n < 30; n += 1) commit(value(), n % 3 !== 0)
  const kept = log.listPending(0, Infinity).map(({ seq }) => seq)
  expect(bytes()).toBeLessThanOrEqual(2_000)
  expect(kept.length).toBeGreaterThan(3)
  expect(kept).toEqual(kept.map((_, n) => 20 - kept.length + 1 + n))
  log.acknowledge(19)
  for (let n = 0; n < 3; n += 1) commit(value())
  expect(log.listPending(0, Infinity).map(({ seq }) => seq)).toEqual([20, 21, 22, 23])
})
