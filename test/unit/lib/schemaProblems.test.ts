import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseYamlDocument } from '../../../src/lib/parseYamlDocument.ts'
import { type SchemaContext, schemaProblems, valueAt } from '../../../src/lib/schemaProblems.ts'
import { withoutEchoes } from '../../../src/lib/yamlProblems.ts'

const kinds = ['api.html', 'api.slow', 'clock.skew', 'head.stall', 'page.cap', 'page.drift', 'page.empty']
const schema = z.strictObject({
  name: z
    .string()
    .min(2)
    .max(4)
    .regex(/^[a-z]+$/, 'expected lower-case letters')
    .default('abc'),
  count: z.int().min(1).max(3).default(1),
  ratio: z.number().gt(0).lt(1).default(0.5),
  list: z.array(z.string()).max(1).default([]),
  level: z.enum(['low', 'middle', 'high']).default('low'),
  kind: z.enum(kinds).default('api.html'),
  steps: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('wait'), seconds: z.number() }),
        z.strictObject({ type: z.literal('call'), address: z.string() }),
      ]),
    )
    .default([]),
})

function problemsOf(text: string, given: Partial<SchemaContext> = {}): string[] {
  const { doc, data } = parseYamlDocument({ path: 'a.yaml', text })
  if (doc === null) throw new Error('not YAML')
  const context = { schema, data: valueAt(data, given.base ?? []), ...given }
  const parsed = context.schema.safeParse(context.data)
  const problems = parsed.success ? [] : schemaProblems(doc, context, parsed.error)
  return problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
}

test.each([
  ['name: a', '1:7 `name`: expected at least 2 characters, got "a"'],
  ['name: abcde', '1:7 `name`: expected at most 4 characters, got "abcde"'],
  ['name: 5', '1:7 `name`: expected a text, got 5'],
  ['count: 0', '1:8 `count`: expected at least 1, got 0'],
  ['count: 4', '1:8 `count`: expected at most 3, got 4'],
  ['count: 1.5', '1:8 `count`: expected a whole number, got 1.5'],
  ['ratio: 0', '1:8 `ratio`: expected more than 0, got 0'],
  ['ratio: 1', '1:8 `ratio`: expected less than 1, got 1'],
  ['list: [a, b]', '1:7 `list`: expected at most 1 entry, got a list'],
  ['level: hihg', '1:8 `level`: expected one of low, middle, high, got "hihg", did you mean `high`?'],
  ['kind: api.htm', '1:7 `kind`: expected a known value, got "api.htm", did you mean `api.html`?'],
  ['kind: zzz', `1:7 \`kind\`: expected one of ${kinds.join(', ')}, got "zzz"`],
  ['lvel: low', '1:1 unknown key `lvel`, did you mean `level`?'],
  ['steps: [{ type: wait, secnds: 1, seconds: 2 }]', '1:23 unknown key `secnds`, did you mean `seconds`?'],
  ['- a', '1:1 the file: expected a mapping, got a list'],
])('%s', (text, problem) => {
  expect(problemsOf(text)).toEqual([problem])
})

test('of one value only the first complaint is given', () => {
  expect(problemsOf('name: A')).toEqual(['1:7 `name`: expected at least 2 characters, got "A"'])
})

test('data below a place is named from there, and found in the whole file', () => {
  const part = { base: ['rules', 1], whole: 'the rule' }
  expect(problemsOf('rules:\n  - {}\n  - { count: 9 }\n', part)).toEqual([
    '3:14 `count`: expected at most 3, got 9',
  ])
  expect(problemsOf('rules: [{}, 5]\n', part)).toEqual(['1:13 the rule: expected a mapping, got 5'])
})

test('a secret is not repeated', () => {
  const mask = { keys: ['name'], isSecret: (keys: readonly string[]) => keys[0] === 'name' }
  expect(problemsOf('name: hunter2', { mask })).toEqual(['1:7 `name`: expected at most 4 characters'])
})

test('what was refused at one place is not refused there again, but in another file', () => {
  const at = (file: string, column: number) => ({
    file,
    line: 1,
    column,
    message: '',
    sourceLine: null,
    width: 1,
  })
  expect(withoutEchoes([at('a', 1)], [at('a', 1), at('a', 2), at('b', 1)])).toEqual([at('a', 2), at('b', 1)])
})
