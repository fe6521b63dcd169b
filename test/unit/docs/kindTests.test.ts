import { kinds } from '../../../src/checks/index.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

import { listCodes, readDoc, readTable, root } from './markdown.ts'

const rows = readTable(readDoc('test/worlds/kinds.md'), 'kind', 'told', 'not told')

test('test/worlds/kinds.md has every kind once', () => {
  const named = rows.map(([kind = '']) => listCodes(kind)[0] ?? '')
  expect(named.toSorted()).toEqual([...kinds.names].sort())
})

test('the tests that it names are there', () => {
  const named = rows.flatMap(([, ...cells]) => cells).filter((cell) => cell !== 'none')
  const gone = named.filter((cell) => {
    const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(cell) ?? []
    const path = `test/${file}.test.ts`
    return title === '' || !existsSync(join(root, path)) || !readDoc(path).includes(title)
  })
  expect(gone).toEqual([])
})

test('no kind lacks one', () => {
  expect(rows.filter(([, ...cells]) => cells.length !== 2 || cells.includes('none'))).toEqual([])
})
