import { kinds } from '../../../src/checks/index.ts'
import { expect, test } from 'vitest'
import { toRuleJsonSchema } from '../../../src/rules/ruleSchema.ts'

const schema = JSON.parse(JSON.stringify(toRuleJsonSchema(kinds)))
const branches: {
  properties: Record<string, { const?: string; properties?: object }>
  required: string[]
}[] = schema.properties.rules.items.anyOf

test('the JSON Schema has one branch a kind, with the parameters of its detector', () => {
  expect(branches.map(({ properties }) => properties['on']?.const)).toEqual(kinds.all.map(({ kind }) => kind))
  const stalled = branches.find(({ properties }) => properties['on']?.const === 'transfer.stalled')
  expect(Object.keys(stalled?.properties['with']?.properties ?? {})).toEqual([
    'direction',
    'after',
    'floor',
    'ceiling',
    'minSamples',
    'otherwise',
  ])
})

test('the JSON Schema asks of a rule no more than the loader does', () => {
  for (const branch of branches) expect(branch.required).toEqual(['name', 'on'])
})

test('the JSON Schema knows no timers of events', () => {
  const failed = branches.find(({ properties }) => properties['on']?.const === 'transfer.failed')
  expect(Object.keys(failed?.properties ?? {})).not.toContain('for')
})
