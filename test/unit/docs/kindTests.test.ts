import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { knownKinds } from '../../../src/rules/knownKinds.ts'
import { listCodes, readDoc, readTable, root } from './markdown.ts'

const rows = readTable(readDoc('test/worlds/kinds.md'), 'kind', 'told', 'not told')

test('test/worlds/kinds.md has every kind once', () => {
  const kinds = rows.map(([kind = '']) => listCodes(kind)[0] ?? '')
  expect(kinds.toSorted()).toEqual([...knownKinds].sort())
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
