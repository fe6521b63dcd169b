import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { createFakeWeb } from '../web/support/fakeWeb.ts'
import { listBlocks, readDoc, root } from './markdown.ts'
import { renderApi } from './renderApi.ts'

const document = readDoc('docs/api.md')

// `vitest run test/unit/docs --update` writes it anew.
test('the tables of docs/api.md are what the schemas of the routes say', async () => {
  await expect(renderApi(document)).toMatchFileSnapshot(join(root, 'docs/api.md'))
})

test('every example is JSON', () => {
  const examples = listBlocks(document).filter(({ language }) => language === 'json')
  expect(examples.length).toBeGreaterThan(4)
  for (const { text } of examples) expect(() => JSON.parse(text)).not.toThrow()
})

const examples: readonly (readonly [string, readonly string[]])[] = [
  ['/api/transfers?state=pending&limit=1', ['transfers', 'next']],
  ['/api/alerts?state=open', ['alerts']],
  ['/api/cases', ['cases']],
  ['/api/rules', ['rules', 'unwatched']],
  ['/api/series', ['flow', 'latency']],
]

test.each(examples)('%s answers with the fields of its example', async (path, names) => {
  const web = createFakeWeb()
  const app = createWebApp(web.deps, { listenHost: '127.0.0.1', token: null })
  const answer = (await (await app.request(`http://127.0.0.1${path}`)).json()) as Record<string, unknown>
  expect(Object.keys(answer)).toEqual(names)
  const example = listBlocks(document)
    .filter(({ language }) => language === 'json')
    .map(({ text }) => JSON.parse(text) as Record<string, unknown>)
    .find((one) => names.every((name) => name in one))
  for (const name of names) {
    const [real, shown] = [answer[name], example?.[name]].map((list) =>
      Array.isArray(list) ? (list[0] as Record<string, unknown>) : null,
    )
    if (real && shown) expect(Object.keys(real)).toEqual(expect.arrayContaining(Object.keys(shown)))
  }
})
