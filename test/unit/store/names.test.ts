import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/store/database.ts'
import { learnNames, nameNumber, namesOf } from '../../../src/store/names.ts'
import { pack } from '../../../src/store/pack.ts'
import { readPacked } from '../../../src/store/table.ts'

const address = (index: number) => `0x${index.toString(16).padStart(40, '0')}`

test('a number that came to nothing with its transaction stands for no text, and then for the next one', () => {
  const db = openDatabase(':memory:')
  const name = (one: string) => db.transaction(() => nameNumber(db, one))
  expect(name(address(1))).toBe(1)
  expect(() =>
    db.transaction(() => {
      expect(nameNumber(db, address(2))).toBe(2)
      expect(namesOf(db).nameOf(2)).toBe(address(2))
      throw new Error('no')
    }),
  ).toThrow('no')
  expect([namesOf(db).numberOf(address(2)), namesOf(db).nameOf(2)]).toEqual([undefined, undefined])
  expect(name(address(3))).toBe(2)
  const packed = pack([address(1), address(2), address(3)], [], namesOf(db))
  expect(readPacked(packed, [], namesOf(db))).toEqual([address(1), address(2), address(3)])
})

test('more names than are remembered still have one number each, and only so many are given for packing', () => {
  const db = openDatabase(':memory:')
  const count = () => Number(db.prepare('SELECT count(*) AS n FROM names').get()?.['n'])
  db.transaction(() =>
    learnNames(
      db,
      Array.from({ length: 5_000 }, (_, index) => address(index)),
    ),
  )
  expect(count()).toBe(4_096)
  const [first, second] = db.transaction(() => [1, 1].map(() => nameNumber(db, address(4_999))))
  expect([first, second, namesOf(db).nameOf(4_097)]).toEqual([4_097, 4_097, address(4_999)])
  expect(namesOf(db).nameOf(4_098)).toBeUndefined()
  expect(count()).toBe(4_097)
})

test('what another connection named is read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-names-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'ledger.sqlite')
  const writer = openDatabase(path)
  const reader = openDatabase(path, { readOnly: true })
  onTestFinished(() => [writer, reader].forEach((db) => db.close()))
  expect(namesOf(reader).nameOf(1)).toBeUndefined()
  writer.transaction(() => learnNames(writer, [address(7)]))
  const packed = pack({ token: address(7) }, [], namesOf(writer))
  expect(readPacked(packed, [], namesOf(reader))).toEqual({ token: address(7) })
})
