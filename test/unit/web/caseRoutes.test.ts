import { expect, test } from 'vitest'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { createFakeWeb, theft } from './support/fakeWeb.ts'

const host = '127.0.0.1:9464'

function createApp() {
  const web = createFakeWeb()
  const app = createWebApp(web.deps, { listenHost: '127.0.0.1', token: null })
  const get = (path: string) =>
    app.request(`http://${host}${path}`, { headers: { host, accept: 'text/html' } })
  const post = (path: string, body: object) =>
    app.request(`http://${host}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { host, 'content-type': 'application/json' },
    })
  const submit = (path: string, fields: Record<string, string>) =>
    app.request(`http://${host}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { host, accept: 'text/html', origin: `http://${host}` },
    })
  return { web, get, post, submit }
}

test.each([
  ['', ['c42']],
  ['?state=open', ['c42']],
  ['?state=handled', []],
  ['?state=all&limit=500', ['c42']],
])('GET /api/cases%s lists them', async (query, ids) => {
  const response = await createApp().get(`/api/cases${query}`)
  const { cases } = (await response.json()) as { cases: { id: string }[] }
  expect([response.status, cases.map(({ id }) => id)]).toEqual([200, ids])
})

test.each([
  ['state=ended', 'state: expected open, acknowledged, handled, closed or all'],
  ['limit=501', 'limit: expected 1 to 500'],
  ['limit=x', 'limit: expected 1 to 500'],
  ['limit=0', 'limit: expected 1 to 500'],
])('GET /api/cases?%s is refused', async (query, error) => {
  const response = await createApp().get(`/api/cases?${query}`)
  expect([response.status, await response.json()]).toEqual([400, { code: 'usage', error }])
})

test('GET of one case answers with its story, POST with the same', async () => {
  const { get, post, web } = createApp()
  expect(await (await get('/api/cases/c42')).json()).toEqual(JSON.parse(JSON.stringify(theft)))
  const acked = await post('/api/cases/c42/ack', { by: 'ana' })
  expect([acked.status, await acked.json()]).toEqual([200, JSON.parse(JSON.stringify(theft))])
  expect(web.operated).toEqual(['ack c42 '])
})

test('a case that is not there is not found', async () => {
  const { get, post, submit } = createApp()
  expect((await get('/api/cases/c7')).status).toBe(404)
  expect((await get('/cases/c7')).status).toBe(404)
  expect((await post('/api/cases/c7/ack', { by: 'ana' })).status).toBe(404)
  expect((await submit('/cases/c7/ack', { by: 'ana' })).status).toBe(404)
})

test.each([
  ['ack', {}, 'ack c42 '],
  ['assign', { text: 'ben' }, 'assign c42 ben'],
  ['note', { text: 'asked' }, 'note c42 asked'],
  ['handle', { text: 'refunded' }, 'handle c42 refunded'],
  ['reopen', {}, 'reopen c42 '],
])('the form of %s does it and leads back to the case', async (verb, fields, expected) => {
  const { submit, web } = createApp()
  const response = await submit(`/cases/c42/${verb}`, { by: 'ana', ...fields })
  expect([response.status, response.headers.get('location')]).toEqual([303, '/cases/c42'])
  expect(web.operated).toEqual([expected])
})
