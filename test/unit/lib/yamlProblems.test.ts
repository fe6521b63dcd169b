import { describe, expect, test } from 'vitest'
import { nearest } from '../../../src/lib/nearest.ts'
import { parseYamlDocument } from '../../../src/lib/parseYamlDocument.ts'
import { renderProblem } from '../../../src/lib/renderProblems.ts'
import { positionOf, problemInside, type YamlProblem } from '../../../src/lib/yamlProblems.ts'

const parse = (text: string, maxBytes?: number) =>
  parseYamlDocument({ path: 'a.yaml', text, ...(maxBytes === undefined ? {} : { maxBytes }) })

function docOf(text: string) {
  const { doc } = parse(text)
  if (doc === null) throw new Error('not YAML')
  return doc
}

const messages = (problems: readonly YamlProblem[]) =>
  problems.map(({ line, column, message }) => `${line}:${column} ${message}`)

describe('values', () => {
  test('whole numbers come as numbers while they are exact, as bigint beyond', () => {
    expect(parse('[9007199254740991, 9007199254740993, 1.5]').data).toEqual([
      9007199254740991,
      9007199254740993n,
      1.5,
    ])
  })

  test('words of older YAML stay words', () => {
    expect(parse('[yes, off, 1_000, 2026-11-21, 12:30]').data).toEqual([
      'yes',
      'off',
      '1_000',
      '2026-11-21',
      '12:30',
    ])
  })

  test('a file at the limit is read, one byte more is not', () => {
    expect(messages(parse('a: b', 4).problems)).toEqual([])
    expect(messages(parse('a: bc', 4).problems)).toEqual(['1:1 the file is larger than 4 bytes'])
  })

  test('aliases that multiply are refused', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefg'
      .split('')
      .map((name, index) => `${name}: &${name} [${`*${'abcdef'[index]},`.repeat(9)}]`)
      .join('\n')}\n`
    const { doc, problems } = parse(bomb)
    expect(doc).toBeNull()
    expect(messages(problems)).toEqual([
      '1:1 the aliases (*name) of this file stand for too much: write it out',
    ])
  })

  test('nesting without end is a problem, not a crash', () => {
    expect(parse('['.repeat(100_000)).problems.length).toBeGreaterThan(0)
  })

  test('tags build nothing', () => {
    expect(messages(parse('a: !!js/function "x"').problems)).toHaveLength(1)
  })
})

describe('positions', () => {
  const doc = docOf('a:\n  b: [x, { c: 1 }]\nd: &e { f: 2 }\ng: *e\n')

  test.each([
    [['a', 'b', 0], { line: 2, column: 7 }],
    [['a', 'b', 1, 'c'], { line: 2, column: 15 }],
    [['g', 'f'], { line: 3, column: 12 }],
    [['a', 'nothing', 'deep'], { line: 2, column: 3 }],
  ])('%j', (path, expected) => {
    expect(positionOf(doc, path)).toMatchObject(expected)
  })

  test('of a key', () => {
    expect(positionOf(doc, ['a', 'b'], 'key')).toEqual({ line: 2, column: 3, width: 1 })
  })

  test('inside a text on one line', () => {
    const { line, column } = problemInside(docOf("a:\n  b: 'x == 1'"), ['a', 'b'], 2, 'here')
    expect([line, column]).toEqual([2, 9])
  })

  test.each([
    ['a literal block', 'a:\n  b: |\n    x &&\n      y == 1\n', 9, [4, 9]],
    ['a folded block', 'a:\n  b: >\n    x &&\n    y == 1\n', 5, [2, 6]],
    ['a text whose quoting changed it', 'a:\n  b: "\\x41 == 1"\n', 2, [2, 6]],
    ['a text that is shorter', 'a:\n  b: x\n', 5, [2, 6]],
  ])('inside %s', (_, text, offset, place) => {
    const { line, column } = problemInside(docOf(text), ['a', 'b'], offset, 'here')
    expect([line, column]).toEqual(place)
  })
})

test('a line of a megabyte is shown around the mistake', () => {
  const { problems } = parse(`a: ["${'x'.repeat(1000)}", 0x12, "${'y'.repeat(1000)}"]`)
  const lines = renderProblem(problems[0] as YamlProblem).split('\n')
  expect(lines.every((line) => line.length < 200)).toBe(true)
  expect(lines[1]?.slice((lines[2] ?? '').indexOf('^')).startsWith('0x12')).toBe(true)
})

test.each([
  ['pase', 'pace'],
  ['transfres', 'transfers'],
  ['BaseURL', 'baseUrl'],
  ['zz', null],
  ['completely-else', null],
])('nearest to %s is %s', (word, expected) => {
  expect(nearest(word, ['pace', 'transfers', 'baseUrl'])).toBe(expected)
})
