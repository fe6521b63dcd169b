import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listCodes, readDoc, readTable, root } from './markdown.ts'

const rows = readTable(readDoc('docs/faults.md'), 'id', 'fault', 'tests')

test('no fault is left out', () => {
  const ids = new Set(rows.map(([id = '']) => id))
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `F${from + n}`)
  const wanted = [...range(1, 53), ...range(55, 83)]
  expect(wanted.filter((id) => !ids.has(id))).toEqual([])
})

test.each(rows)('%s has a test with its id in the title', (id = '', _fault = '', files = '') => {
  const paths = listCodes(files)
  expect(paths.length).toBeGreaterThan(0)
  for (const path of paths) {
    const title = new RegExp(`['"\`](F\\d+[ ,]+)*${id}\\b`)
    expect(readFileSync(join(root, path), 'utf8'), path).toMatch(title)
  }
})
