import { fc } from '../../support/fastCheck.ts'
import { expect, test } from 'vitest'
import { parseJson } from '../../../src/lib/parseJson.ts'

const toKeys = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`

/** Objects of one key each, all different. */
const toShapes = (count: number, padding: number) =>
  `["${'a'.repeat(padding)}",${Array.from({ length: count }, (_, index) => `{"k${index}":1}`).join()}]`

const filler = 'a'.repeat(1_000_001)

test('what is not JSON is null', () => {
  expect(parseJson('{"a":')).toBeNull()
})

test.each([
  { title: 'nested 200 deep', text: `["${filler}",${'['.repeat(199)}${']'.repeat(199)}]`, isRead: true },
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

test.each([
  { title: 'nested 200 deep', text: '['.repeat(200) + ']'.repeat(200), isRead: true },
  { title: 'of 300,000 values', text: `[${'1,'.repeat(299_999)}1]`, isRead: true },
  { title: 'of one more', text: `[${'1,'.repeat(300_000)}1]`, isRead: false },
  { title: 'of 5,000 keys in one object', text: toKeys(5_000), isRead: true },
  { title: 'of one more key', text: toKeys(5_001), isRead: false },
  { title: 'of many keys in many objects', text: `[${`${toKeys(4_000)},`.repeat(30)}{}]`, isRead: true },
  { title: 'of 6,000 different keys', text: toShapes(6_000, 0), isRead: true },
  { title: 'of 1 MB and 5,000 different keys', text: toShapes(5_000, 1_000_000), isRead: true },
  { title: 'of 1 MB and one more', text: toShapes(5_001, 1_000_000), isRead: false },
  { title: 'that closes what is not open', text: ']]]]', isRead: false },
])('a text of any size $title', ({ text, isRead }) => {
  expect(parseJson(text) !== null).toBe(isRead)
})

const nested = (depth: number, inside = '') => '['.repeat(depth) + inside + ']'.repeat(depth)

test.each([
  { title: 'one level too many', inside: '[]' },
  { title: 'hundreds of thousands', inside: nested(450_000) },
  { title: 'objects', inside: '{"a":'.repeat(1_000) + '1' + '}'.repeat(1_000) },
  { title: 'with brackets in strings', inside: String.raw`["]]]\"]",{"}":"{"}]` },
  {
    title: 'with a key twice, and more values than are read',
    inside: `[{"a":1,"a":2},${'[],'.repeat(400_000)}1]`,
  },
])('F110: what nests deeper than 200 levels is left out alone: $title', ({ inside }) => {
  const text = `{"before":[1,"x"],"deep":${nested(199, inside)},"after":{"k":2}}`
  expect(parseJson(text)).toEqual({
    value: { before: [1, 'x'], deep: JSON.parse(nested(199, 'null')) as unknown, after: { k: 2 } },
  })
})

test.each([
  { title: 'is never closed', text: '['.repeat(1_000) },
  { title: 'is closed too often', text: `${nested(1_000)}]` },
  { title: 'is closed too seldom', text: `[${'['.repeat(300)}${']'.repeat(299)}` },
  { title: 'stands beside a key that is given twice', text: `{"a":${nested(300)},"a":1}` },
])('F110: a text whose depth $title is refused', ({ text }) => {
  expect(parseJson(text)).toBeNull()
})

test.each([
  { title: 'at the top', text: '{"code":"50011","code":"0"}' },
  { title: 'deep within', text: '{"data":[{"rows":[{"a":1},{"b":{"c":1,"d":2,"c":1}}]}]}' },
  { title: 'behind spaces and lines', text: '{"a" :1,"b":2,\n"a"\t\r\n :3}' },
  { title: 'in two spellings', text: String.raw`{"code":"50011","c\u006fde":"0"}` },
  { title: 'as __proto__', text: '{"__proto__":1,"__proto__":2}' },
  { title: 'beside strings that begin with a colon', text: '{"a":": b","c":":","a":1}' },
  { title: 'an empty one', text: '{"":1,"":2}' },
])('a key that stands twice in one object, $title, is refused', ({ text }) => {
  expect(JSON.parse(text)).toBeTypeOf('object')
  expect(parseJson(text)).toBeNull()
})

test.each([
  { title: 'the same key in two objects', value: [{ a: 1 }, { a: { a: 2 } }] },
  { title: 'text that looks like keys', value: { data: '{"a":1,"a":2}', other: '":":"' } },
  {
    title: 'strings that begin with a colon, or end with a backslash',
    value: { a: ':b', c: [' : ', ':'], d: '\\' },
  },
  { title: 'no object at all', value: [':', '"', 1, null] },
])('$title is read', ({ value }) => {
  expect(parseJson(JSON.stringify(value))).toEqual({ value })
  expect(parseJson(JSON.stringify(value, null, 2))).toEqual({ value })
})

test('whatever is written once is read, and refused with one key repeated', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (value, space) => {
      const text = JSON.stringify(value, null, space % 3)
      // Keys such as __proto__ are lost when a value is made, not when it is read.
      const again = JSON.stringify(JSON.parse(text))
      expect(parseJson(again)).not.toBeNull()
      const [key = ''] = Object.keys(JSON.parse(again) as object)
      expect(parseJson(`{${JSON.stringify(key)}: 0,${again.slice(1)}`)).toBeNull()
    }),
  )
})
