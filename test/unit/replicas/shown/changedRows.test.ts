import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { changedRows, type KeyValue } from '../../../../src/replicas/shown/changedRows.ts'
import { fc, timesOf, seeds } from '../../../support/fastCheck.ts'

const tables = `
CREATE TABLE numbers (key INTEGER PRIMARY KEY, body ANY) STRICT;
CREATE TABLE pairs (a TEXT NOT NULL, rest TEXT, b ANY NOT NULL, PRIMARY KEY (b, a)) STRICT, WITHOUT ROWID;
CREATE TABLE unseen (body TEXT) STRICT;`

const value = fc.oneof(
  fc.integer(),
  fc.string({ unit: 'binary', maxLength: 200 }).map((text) => text.replaceAll('\0', '').toWellFormed()),
  fc.uint8Array({ maxLength: 300 }),
  fc.constant(null),
  fc.double({ noNaN: true }),
)
const text = fc
  .string({ unit: 'binary', maxLength: 20 })
  .map((one) => one.replaceAll('\0', '').toWellFormed())
const part = fc.oneof(fc.integer(), text, fc.uint8Array({ maxLength: 8 }))
const edit = fc.oneof(
  fc.record({
    on: fc.constant('numbers' as const),
    key: fc.integer({ min: -3, max: 3 }),
    body: value,
    gone: fc.boolean(),
  }),
  fc.record({
    on: fc.constant('pairs' as const),
    a: fc.constantFrom('', 'x', 'ü\n'),
    b: part,
    rest: text,
    gone: fc.boolean(),
  }),
)
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never

function apply(db: DatabaseSync, one: Edit): void {
  const run = (sql: string, ...values: SQLInputValue[]) => db.prepare(sql).run(...values)
  if (one.on === 'numbers' && one.gone) run('DELETE FROM numbers WHERE key = ?', one.key)
  else if (one.on === 'numbers') run('INSERT OR REPLACE INTO numbers VALUES (?, ?)', one.key, one.body)
  else if (one.gone) run('DELETE FROM pairs WHERE a = ? AND b = ?', one.a, one.b)
  else
    run(
      'INSERT INTO pairs (a, rest, b) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET rest = excluded.rest',
      one.a,
      one.rest,
      one.b,
    )
}

const readKeys = (db: DatabaseSync) => ({
  numbers: db.prepare('SELECT key AS name, * FROM numbers').all(),
  pairs: db.prepare('SELECT b, a, rest FROM pairs').all(),
})

const nameOf = (parts: readonly (KeyValue | undefined)[]) =>
  parts
    .map((one) =>
      one instanceof Uint8Array ? `x${Buffer.from(one).toString('hex')}` : `${typeof one} ${String(one)}`,
    )
    .join()

/** The keys of rows that are there on one side alone, or are others on both. */
function listDiffering(
  before: readonly object[],
  after: readonly object[],
  key: readonly string[],
): string[] {
  const toMap = (rows: readonly object[]) =>
    new Map(
      rows.map((row) => {
        const cells = new Map<string, KeyValue>(Object.entries(row))
        return [nameOf(key.map((name) => cells.get(name))), nameOf([...cells.values()])]
      }),
    )
  const [old, fresh] = [toMap(before), toMap(after)]
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .filter((name) => old.get(name) !== fresh.get(name))
    .sort()
}

describe('changed rows', () => {
  test.each(seeds())('are those that differ before and after, seed %d', (seed) => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 12 }), fc.array(edit, { maxLength: 12 }), (first, then) => {
        const db = new DatabaseSync(':memory:')
        try {
          db.exec(tables)
          for (const one of first) apply(db, one)
          const before = readKeys(db)
          const session = db.createSession()
          for (const one of then) apply(db, one)
          db.exec("INSERT INTO unseen VALUES ('x')")
          const changed = changedRows(session.changeset())
          const after = readKeys(db)
          const found = (name: string) => (changed.get(name) ?? []).map(nameOf).sort()
          expect(found('numbers')).toEqual(listDiffering(before.numbers, after.numbers, ['key']))
          expect(found('pairs')).toEqual(listDiffering(before.pairs, after.pairs, ['b', 'a']))
          expect([...changed.keys()].every((name) => name === 'numbers' || name === 'pairs')).toBe(true)
        } finally {
          db.close()
        }
      }),
      { seed, numRuns: timesOf(300, seed) },
    )
  })

  test('a row with a text of a hundred kilobytes is read past', () => {
    const db = new DatabaseSync(':memory:')
    db.exec(tables)
    const session = db.createSession()
    db.prepare('INSERT INTO numbers VALUES (1, ?), (2, 7)').run('x'.repeat(100_000))
    expect(changedRows(session.changeset()).get('numbers')?.flat().toSorted()).toEqual([1, 2])
    db.close()
  })

  test.each([[[1, 2, 3]], [[0x54, 1, 1, 0x61, 0, 18, 0, 3, 9]], [[0x54, 1, 1, 0x61, 0, 77, 0, 5]], [[0x54]]])(
    'what is none is refused: %j',
    (bytes) => expect(() => changedRows(Uint8Array.from(bytes))).toThrow('A recorded change cannot be read'),
  )
})
