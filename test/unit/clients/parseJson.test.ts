import { expect, test } from 'vitest'
import { parseJson } from '../../../src/clients/parseJson.ts'

const filler = 'a'.repeat(1_000_001)

test('what is not JSON is null', () => {
  expect(parseJson('{"a":')).toBeNull()
})

test.each([
  { title: 'nested 200 deep', text: `["${filler}",${'['.repeat(199)}${']'.repeat(199)}]`, isRead: true },
  { title: 'nested 201 deep', text: `["${filler}",${'['.repeat(200)}${']'.repeat(200)}]`, isRead: false },
  {
    title: 'full of brackets inside a string',
    text: JSON.stringify([`${'['.repeat(1_000_000)}"\\`, 1]),
    isRead: true,
  },
  { title: 'of half a million empty arrays', text: `[${'[],'.repeat(500_000)}1]`, isRead: false },
  { title: 'with a string that never ends', text: `["${filler}`, isRead: false },
])('a large text $title', ({ text, isRead }) => {
  expect(parseJson(text) !== null).toBe(isRead)
})
