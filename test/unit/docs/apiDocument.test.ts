import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { checkByDocument } from '../../support/apiDocument.ts'
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

const examples: readonly (readonly ['get' | 'post', string, readonly string[]])[] = [
  ['get', '/api/transfers?state=pending&limit=1', ['transfers', 'next']],
  ['get', '/api/alerts?state=open', ['alerts']],
  ['get', '/api/cases', ['cases']],
  ['get', '/api/rules', ['rules', 'unwatched']],
  ['get', '/api/series', ['flow', 'latency']],
  ['post', '/api/alerts/612cb0aa/ack', ['ackedBy']],
]

test.each(examples)('the example of %s %s is what its schema says, shortened', (method, path, names) => {
  const { problemsOf } = checkByDocument({ isShortened: true })
  const example = listBlocks(document)
    .filter(({ language }) => language === 'json')
    .map(({ text }) => JSON.parse(text) as Record<string, unknown>)
    .find((one) => names.every((name) => name in one))
  expect(example).toBeDefined()
  expect(problemsOf({ method, path, status: 200 }, example)).toEqual([])
})

const commands = listBlocks(document)
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.trim().split('\n'))

test.each(commands)('%s does what it says', async (command) => {
  const [, url = ''] = /(http:\S+)$/.exec(command) ?? expect.fail(command)
  const [, method = 'GET'] = /-X (\w+)/.exec(command) ?? []
  const headers = [...command.matchAll(/-H '([\w-]+): ([^']+)'/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ])
  const [, body] = /-d '([^']+)'/.exec(command) ?? []
  const app = createWebApp(createFakeWeb().deps, { listenHost: '127.0.0.1', token: null })
  const init = { method, headers: Object.fromEntries(headers), ...(body && { body }) }
  expect((await app.request(url, init)).status).toBe(200)
})
