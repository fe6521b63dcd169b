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
