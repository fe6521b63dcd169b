import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { kinds } from '../../../src/checks/index.ts'
import { configJsonSchema } from '../../../src/config/describeConfig.ts'
import { toRuleJsonSchema } from '../../../src/rules/ruleSchema.ts'
import { listBlocks, listDocuments, root } from './markdown.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const isConfig = ajv.compile(configJsonSchema())
const isRules = ajv.compile(toRuleJsonSchema(kinds))
const isRule = (rule: object) => isRules({ rules: [{ name: 'r', on: 'transfer.stalled', ...rule }] })

test('editors take every configuration of the documents', () => {
  const configs = listDocuments().flatMap(({ path, text }) =>
    listBlocks(text)
      .filter((block) => block.language === 'yaml' && block.text.startsWith('explorer:'))
      .map((block) => ({ path, yaml: block.text })),
  )
  expect(configs.length).toBeGreaterThan(10)
  const refused = configs.filter(({ yaml }) => !isConfig(parse(yaml)))
  expect(refused.map(({ path, yaml }) => `${path}: ${yaml}`)).toEqual([])
})

test('editors take the shipped rules', async () => {
  const files = await Array.fromAsync(glob('rules/*.yaml', { cwd: root }))
  const rules = files.filter((file) => !file.endsWith('.test.yaml'))
  expect(rules.length).toBeGreaterThan(5)
  expect(rules.filter((file) => !isRules(parse(readFileSync(join(root, file), 'utf8'))))).toEqual([])
})

test.each([
  { for: '30' },
  { for: 'soon' },
  { with: { after: '30' } },
  { with: { after: 'p42 * 3' } },
  { labels: { severity: 'x' } },
])('editors refuse %o, as the loader does', (rule) => {
  expect(isRule(rule)).toBe(false)
})

test.each([
  { for: '1h30m' },
  { with: { after: ' 1.5h' } },
  { with: { after: 'P99.9*3' } },
  { labels: { team: 'x' } },
])('editors take %o', (rule) => {
  expect(isRule(rule)).toBe(true)
})

test('editors refuse a duration without its unit, and take one from the environment', () => {
  const explorer = { baseUrl: 'https://explorer.example.com', chains: { main: 'M', zone: 'Z' } }
  expect(isConfig({ explorer: { ...explorer, timeout: '30' } })).toBe(false)
  expect(isConfig({ explorer: { ...explorer, timeout: '${TIMEOUT}' } })).toBe(true)
  expect(isConfig({ explorer: { ...explorer, timeout: '30s' } })).toBe(true)
})
