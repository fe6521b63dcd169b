import { describe, expect, test } from 'vitest'
import { kinds } from '../../../src/checks/index.ts'
import { loadConfig } from '../../../src/config/loadConfig.ts'
import { parseYamlDocument } from '../../../src/lib/parseYamlDocument.ts'
import { loadRules } from '../../../src/rules/loadRules.ts'
import { parseScenario } from '../../../src/sandbox/scenario.ts'

describe('YAML that contains itself', () => {
  test.each([
    ['a map in itself', 'a: &a { b: *a }', 1],
    ['a list in itself', 'a: &a [1, *a]', 1],
    ['far below', 'a: &a\n  b:\n    - c: [{ d: *a }]', 3],
    ['two in each other', 'a: &a\n  b: &b { c: *a }\n  d: *b', 2],
  ])('%s is a problem with its line', (_, text, line) => {
    const { doc, problems } = parseYamlDocument({ path: 'x.yaml', text })
    expect(doc).toBeNull()
    expect(problems).toMatchObject([
      { line, message: expect.stringContaining('stands inside of what it stands for') },
    ])
  })

  test('an alias of something before it is none', () => {
    const { data, problems } = parseYamlDocument({ path: 'x.yaml', text: 'a: &a { b: 1 }\nc: *a\nd: [*a]' })
    expect(problems).toEqual([])
    expect(data).toEqual({ a: { b: 1 }, c: { b: 1 }, d: [{ b: 1 }] })
  })

  test('is said of every kind of file', () => {
    const text = 'rules: &x\n  - *x\n'
    const said = 'stands inside of what it stands for'
    const files = { readFile: () => text, isFolder: () => false }
    expect(JSON.stringify(loadConfig({ path: 'spanwatch.yaml', env: {}, files }))).toContain(said)
    expect(JSON.stringify(loadRules([{ path: 'rules.yaml', text }], kinds))).toContain(said)
    expect(() => parseScenario(text, 'scenario.yaml')).toThrow(said)
  })
})

describe('what is no YAML is said in our words, where it was done', () => {
  test.each([
    ['a tab', 'a:\n\tb: 1\n', [2, 1, 'tabs cannot indent YAML: use spaces']],
    ['a tab after spaces', 'a:\n  - x\n  \t- y\n', [3, 3, 'tabs cannot indent']],
    ['a quote that is open to the end', 'a: 1\nb: "foo\nc: 2\nd: 3\n', [2, 4, 'this quote is not closed']],
    ['a single one', "a:\n  b: 'foo\n  c: 2\n", [2, 6, 'this quote is not closed']],
    [
      'a quote that the next one ends',
      'a: { b: "foo,\n  c: "bar" }\nd: 1\n',
      [1, 9, 'this quote is not closed: the one in line 2 was taken for its end'],
    ],
    ['an apostrophe', "a: 'it's late'\n", [1, 8, "write '' for a quote inside of it"]],
    ['text behind a quote', 'a: "x" == "y"\n', [1, 8, 'text stands behind the quote']],
    ['a key twice', 'a: 1\nb:\n  c: 1\n  c: 2\n', [4, 3, 'this key was given before, in line 3']],
    ['a line too far in', 'a:\n  b: 1\n   c: 2\n', [3, 4, 'indented further than the one above']],
    ['a line too far out', 'a:\n    b: 1\n  c: 2\n', [3, 3, 'those begin in column 5, this one in column 3']],
    ['a line beside an entry', 'a:\n  - x: 1\n   y: 2\n', [3, 4, 'begin it with -']],
    ['a list that goes on as a map', 'a:\n  - x\n  b: 1\n', [3, 3, 'those begin in column 1']],
    ['no space after a colon', 'a:\n  b:1\n  c: 2\n', [2, 4, 'expected a space after this colon']],
    [
      'no space after a colon between braces',
      'a: { b:1, c: 2 }\n',
      [1, 6, 'a space is missing after the colon'],
    ],
    ['a colon in a text', 'a: late: very late\n', [1, 8, 'a colon inside of a text']],
    ['a brace that is open', 'a: { b: 1, c: 2\nd: 3\ne: 4\n', [1, 4, 'this { is not closed: } is missing']],
    ['a bracket that is open', 'a: [ 1, 2\nd: 3\n', [1, 4, 'this [ is not closed: ] is missing']],
    ['the wrong one', 'a: { b: 1 ]\nd: 3\n', [1, 11, 'expected } here: it is { that is open']],
    ['one too many', 'a: { b: 1 }}\n', [1, 12, 'this } closes nothing']],
    ['no comma', 'a: { b: 1 c: 2 }\n', [1, 9, 'expected a comma']],
    ['no colon', 'a: 1\nfoo\nb: 2\n', [2, 1, 'expected a key with a colon']],
    ['a sign that means something', 'a: @foo\n', [1, 4, 'text that begins with @ has to be in quotes']],
    ['a star', 'a: *foo\n', [1, 4, 'text that begins with * has to be in quotes']],
    ['an exclamation mark', 'a: !foo\n', [1, 4, 'text that begins with ! has to be in quotes']],
    [
      'a list in a text of one line',
      'a: { b: c in ["d"] }\n',
      [1, 14, 'inside of { } or [ ] a text with [ has to be in quotes'],
    ],
    ['a template', 'a: {{ x }} is late\n', [1, 4, 'text that begins with {{ has to be in quotes']],
    ['a backslash', 'a: "C:\\path"\n', [1, 7, '\\p means nothing between double quotes']],
    ['a block that is not indented', 'a: |\nfoo\nb: 1\n', [2, 1, 'the text after | has to be indented']],
    ['a text that begins with a block', 'a: > foo\n', [1, 6, 'after > the text begins in the next line']],
    ['a space that is none', 'a:\n\u00a0\u00a0b: 1\n', [2, 1, 'characters that are no spaces']],
    ['two documents', 'a: 1\n---\nb: 2\n', [2, 1, 'expected one YAML document']],
  ] as const)('%s', (_, text, [line, column, message]) => {
    const { problems } = parseYamlDocument({ path: 'x.yaml', text })
    expect(problems).toEqual([
      expect.objectContaining({ line, column, message: expect.stringContaining(message) }),
    ])
  })

  test('a mapping that has nothing below it, or no space after its colon, says what was meant', () => {
    const files = (text: string) => ({ readFile: () => text, isFolder: () => false })
    const said = (text: string) => JSON.stringify(loadConfig({ path: 'x.yaml', env: {}, files: files(text) }))
    expect(said('explorer:\nbaseUrl: https://a.example\n')).toContain('lines below, indented further')
    expect(said('explorer:\n  baseUrl:https://a.example\n')).toContain('a space is missing after the colon')
  })
})
