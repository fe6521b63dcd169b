import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configJsonSchema, listSettings } from '../../../src/config/describeConfig.ts'
import { settingTexts } from '../../../src/config/settingTexts.ts'
import { root } from './markdown.ts'
import { renderSettings } from './renderSettings.ts'

const paths = listSettings(configJsonSchema()).map(({ path }) => path)

test('every setting says what it means, and nothing else is explained', () => {
  expect({ missing: paths.filter((path) => settingTexts[path] === undefined) }).toEqual({ missing: [] })
  expect({ gone: Object.keys(settingTexts).filter((path) => !paths.includes(path)) }).toEqual({ gone: [] })
})

test('a setting nested in lists, names and variants is found', () => {
  const found = listSettings({
    properties: {
      list: { items: { properties: { inner: { type: 'string' } } } },
      named: { additionalProperties: { oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] } },
    },
  }).map(({ path }) => path)
  expect(found).toEqual(['list', 'list[].inner', 'named', 'named.NAME', 'named.NAME.a', 'named.NAME.b'])
})

// `vitest run test/unit/docs --update` writes it anew.
test('docs/configuration.md is what the schema says', async () => {
  await expect(renderSettings()).toMatchFileSnapshot(join(root, 'docs/configuration.md'))
})
