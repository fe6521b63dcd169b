import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/store/database.ts'
import { readMetaNumber, saveMeta } from '../../../src/store/meta.ts'
import { takeMisread } from '../../../src/store/misread.ts'
import {
  bigintText,
  columnOf,
  columns,
  describedTables,
  flag,
  int,
  jsonOf,
  texts,
  oneOf,
  real,
  table,
  text,
} from '../../../src/store/table.ts'

const silences = table('silences', {
  id: int,
  matchers: texts,
  begins: int.from('starts_at'),
  expiredAt: int.orNull(),
})
const good = { id: 7, matchers: '["a"]', starts_at: 5, expired_at: null }

test('columns are keys in snake case, but where another name is given', () => {
  expect(silences.read(good)).toEqual({ id: 7, matchers: ['a'], begins: 5, expiredAt: null })
  expect(silences.list('s')).toBe('s.id, s.matchers, s.starts_at, s.expired_at')
})

test('what is written is read again', () => {
  const db = openDatabase(':memory:')
  const tokens = table('escrow_tokens', {
    token: text,
    type: text,
    isAssumed: flag.from('assumed'),
    baseline: bigintText.orNull(),
    total: bigintText,
  })
  const rows = [
    { token: '0x1', type: 'a', isAssumed: true, baseline: -(10n ** 40n), total: 0n },
    { token: '0x2', type: 'a', isAssumed: false, baseline: null, total: 1n },
  ]
  for (const row of rows) db.prepare(`INSERT ${tokens.into}`).run(...tokens.values(row))
  expect(tokens.all(db, 'SELECT * FROM escrow_tokens WHERE type = ? ORDER BY token', 'a')).toEqual(rows)
  expect(tokens.get(db, 'SELECT * FROM escrow_tokens WHERE token = ?', '0x3')).toBeNull()
  expect(int.get(db, 'SELECT count(*) FROM escrow_tokens')).toBe(2)
  expect(text.all(db, 'SELECT token FROM escrow_tokens ORDER BY token')).toEqual(['0x1', '0x2'])
  db.close()
})

test.each([
  [{ ...good, id: 'x' }, 'silences, column id: expected an integer, found "x".'],
  [{ ...good, id: 1.5 }, 'silences, column id: expected an integer, found 1.5.'],
  [{ ...good, starts_at: null }, 'silences, row of id 7, column starts_at: expected an integer, found null.'],
  [
    { ...good, expired_at: '' },
    'silences, row of id 7, column expired_at: expected an integer or NULL, found "".',
  ],
  [
    { ...good, matchers: '{' },
    'silences, row of id 7, column matchers: expected JSON of its schema, found "{".',
  ],
  [
    { ...good, matchers: '{}' },
    'silences, row of id 7, column matchers: expected JSON of its schema, found "{}".',
  ],
])('a cell that cannot be read is an error: %j', (row, problem) => {
  expect(() => silences.read(row)).toThrow(`The ledger cannot be read: ${problem}`)
})

test('a column that a query does not give is an error, even where it may be NULL', () => {
  const { expired_at: _, ...row } = good
  expect(() => silences.read(row)).toThrow('A row of silences has no column expired_at.')
  expect(() => columns({ n: int }).read({ m: 1 })).toThrow('A row of a query has no column n.')
})

test('where others must not be held back, a cell that cannot be read is another value, and a missing one an error', () => {
  const rows = columns({ word: oneOf('out', 'in').orElse('in') })
  expect(['out', 'x', null].map((word) => rows.read({ word }))).toEqual([
    { word: 'out' },
    { word: 'in' },
    { word: 'in' },
  ])
  expect(() => rows.read({})).toThrow('A row of a query has no column word.')
})

test('rows that can be read are read beside those that cannot, which are noted once', () => {
  const db = openDatabase(':memory:')
  const values = columns({ name: text, value: oneOf('in', 'out') })
  for (const [name, value] of ['in', 'x', 'out'].entries()) saveMeta(db, `way ${name}`, value)
  const sql = "SELECT name, value FROM meta WHERE name LIKE 'way %' ORDER BY name"
  const read = () => values.readable(db, sql).map(({ value }) => value)
  expect([read(), read()]).toEqual([
    ['in', 'out'],
    ['in', 'out'],
  ])
  expect(takeMisread(db)).toEqual(['a query of meta, row of name way 1, column value'])
  db.close()
})

test('an integer beyond what is ever written is a row that cannot be read, and names its table', () => {
  const db = openDatabase(':memory:')
  saveMeta(db, 'huge', '9007199254740993')
  const sql = "SELECT CAST(value AS INTEGER), (SELECT name FROM names LIMIT 1) FROM meta WHERE name = 'huge'"
  expect(() => int.get(db, sql)).toThrow(/^The ledger cannot be read: a query of meta: /)
  db.close()
})

test('a value that a query gives is read alike', () => {
  const db = openDatabase(':memory:')
  for (const [name, value] of [
    ['good', '12'],
    ['bound', '5.0'],
    ['bad', '5x'],
  ] as const)
    saveMeta(db, name, value)
  expect(['good', 'bound', 'missing'].map((name) => readMetaNumber(db, name))).toEqual([12, 5, null])
  expect(() => readMetaNumber(db, 'bad')).toThrow(
    'The ledger cannot be read: a query of meta, column value: expected an integer as text, found "5x".',
  )
  expect(() => columns({ name: int }).all(db, 'SELECT name FROM meta')).toThrow(
    'a query of meta, column name: expected an integer',
  )
  db.close()
})

test.each([
  [flag, [0, 1], [2, null, '1']],
  [oneOf('out', 'in'), ['out', 'in'], ['', 'OUT', 1]],
  [bigintText, ['0', '-12'], ['', '0x1', '1.5', 1]],
  [real, [1, 0.5], ['1', null]],
  [text, ['', 'a'], [1, null]],
  [jsonOf<{ a: number }>('a'), ['{"a":1}'], ['{}', '[]', 'null', '{', 1]],
] as const)('a codec reads what it writes and nothing else: %#', (codec, readable, others) => {
  expect(readable.map((cell) => codec.write(codec.read(cell) as never))).toEqual(readable)
  expect(others.map((cell) => codec.read(cell))).toEqual(others.map(() => undefined))
})

test('each table is described as the migrations make it', async () => {
  const root = resolve(import.meta.dirname, '../../../src')
  const files = globSync('**/*.ts', { cwd: root }).map((path) => join(root, path))
  for (const file of files) if (/[^.]\btable\('/.test(readFileSync(file, 'utf8'))) await import(file)
  const db = openDatabase(':memory:')
  const problems = describedTables.flatMap(({ name, shape }) => {
    const actual = new Map(
      db
        .prepare(`PRAGMA table_info(${name})`)
        .all()
        .map(({ name, type, notnull, pk }) => [name, String(type) + (notnull || pk ? '' : ' or NULL')]),
    )
    return Object.entries(shape).flatMap(([key, codec]) => {
      const column = columnOf(key, codec)
      const said = `${codec.type}${codec.isNullable ? ' or NULL' : ''}`
      const is = actual.get(column) ?? 'missing'
      return is === said ? [] : `${name}.${column} is ${is}, described as ${said}`
    })
  })
  const names = new Set(describedTables.map(({ name }) => name))
  const others = text
    .all(db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .filter((name) => !names.has(name))
  db.close()
  expect(problems).toEqual([])
  // Of these no row is read but by single values.
  expect(others).toMatchInlineSnapshot(`
    [
      "aliases",
      "audit_state",
      "bridge_contracts",
      "bridge_events",
      "bridge_topics",
      "case_crowds",
      "case_open_keys",
      "dissent",
      "flow_amounts",
      "flow_dirty",
      "flow_slots",
      "group_members",
      "group_repeats",
      "learned_samples",
      "meta",
      "names",
      "open_lessons",
      "other_hashes",
      "quarantine",
      "replica_changes",
      "replica_head",
      "zone_audit_hours",
    ]
  `)
})
