import { expect, test } from 'vitest'
import { parseJson, unwrap } from '../../../src/bridge/nestedJson.ts'

test('JSON within a text is read, also where a key stands twice', () => {
  expect(parseJson('{"a":[1],"a":[2]}')).toEqual({ a: [2] })
  expect(unwrap('[1,2]')).toEqual([1, 2])
  expect(unwrap('[1,2')).toBe('[1,2')
})

test.each([
  ['nested 201 deep', '['.repeat(201) + ']'.repeat(201)],
  ['of 300,002 values', `[${'1,'.repeat(300_001)}1]`],
])('a text %s stays a text', (_, text) => {
  expect(parseJson(text)).toBeUndefined()
  expect(unwrap(text)).toBe(text)
})
