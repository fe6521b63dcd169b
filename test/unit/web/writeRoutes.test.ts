import { expect, test } from 'vitest'
import { Secret } from '../../../src/lib/secret.ts'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { createFakeWeb } from './support/fakeWeb.ts'

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const origin = { origin: 'http://127.0.0.1:9464' }

function createApp(token: string | null = null) {
  const web = createFakeWeb()
  const app = createWebApp(web.deps, {
    listenHost: '127.0.0.1',
    token: token === null ? null : new Secret(token),
  })
  const post = (path: string, body: unknown, headers: Record<string, string> = json) =>
    app.request(`http://127.0.0.1:9464${path}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { host: '127.0.0.1:9464', ...headers },
    })
  return { post, operated: web.operated, actors: web.actors }
}

const silence = { matchers: ['rule=x'], endsAt: 1_790_000_000_000, author: 'ana', comment: 'why' }

test.each([
  ['/api/alerts/612cb0aa/ack', { by: 'ana' }, 'ack 612cb0aa by ana'],
  [
    '/api/silences',
    silence,
    `silence {"matchers":["rule=x"],"startsAt":null,"endsAt":1790000000000,"author":"ana","comment":"why"}`,
  ],
  [
    '/api/silences',
    { transfer: { name: 't42', untilOver: true }, author: 'ana', comment: 'why' },
    `silence {"matchers":[],"startsAt":null,"endsAt":null,"author":"ana","comment":"why","transfer":{"name":"t42","kinds":null,"untilOver":true}}`,
  ],
  ['/api/silences/3/expire', {}, 'expire 3'],
  ['/api/outbox/17/retry', {}, 'retry 17'],
  ['/api/outbox/dead/retry', {}, 'retry dead'],
  ['/api/outbox/17/drop', {}, 'drop 17'],
  [
    '/api/breaks/match',
    { payout: 't4', origin: 't2', reason: 'the same', by: 'ana' },
    'match {"payout":"t4","origin":"t2","reason":"the same","force":false,"by":"ana"}',
  ],
  [
    '/api/breaks/write-off',
    { name: 't2', reason: 'refunded', by: 'ana' },
    'write off {"name":"t2","reason":"refunded","by":"ana"}',
  ],
  [
    '/api/breaks/undo',
    { entry: 'e3', reason: 'wrong', by: 'ana' },
    'undo {"entry":"e3","reason":"wrong","by":"ana"}',
  ],
  ['/api/cursors/rewind', { until: 5 }, 'rewind 5'],
])('POST %s does it', async (path, body, expected) => {
  const { post, operated } = createApp()
  expect((await post(path, body)).status).toBe(200)
  expect(operated).toEqual([expected])
})

test('who does it is passed on: a program, or our own command line, with the address and what the token allows', async () => {
  const { post, actors } = createApp('secret-token')
  const token = { ...json, authorization: 'Bearer secret-token' }
  await post('/api/alerts/612cb0aa/ack', { by: 'ana' }, token)
  await post('/api/silences/3/expire', {}, { ...token, 'spanwatch-client': 'cli' })
  await post('/api/outbox/17/drop', { by: 'bob' }, { ...token, 'x-forwarded-for': '198.51.100.1' })
  const from = { via: 'api', address: 'in-process', role: 'act', session: null }
  expect(actors).toEqual([
    { by: 'ana', from },
    { by: '', from: { ...from, via: 'cli' } },
    { by: 'bob', from },
  ])
})

test.each([
  ['a body that is no JSON', '/api/silences', '{', 400],
  ['a list', '/api/silences', [], 400],
  ['a field too much', '/api/alerts/x/ack', { by: 'ana', extra: 1 }, 400],
  ['a field too few', '/api/silences', { ...silence, endsAt: undefined }, 400],
  [
    'a transfer without an end',
    '/api/silences',
    { ...silence, endsAt: null, transfer: { name: 't42' } },
    400,
  ],
  ['an id that is no number', '/api/outbox/x/drop', {}, 400],
  ['a body beyond all measure', '/api/silences', 'x'.repeat(70_000), 413],
])('%s is refused and does nothing', async (_, path, body, status) => {
  const { post, operated } = createApp()
  expect((await post(path, body)).status).toBe(status)
  expect(operated).toEqual([])
})

test.each([
  ['/api/alerts/x/ack', {}, 'by: expected a text'],
  ['/api/alerts/x/ack', { by: 'ana', bye: 1 }, 'unknown key `bye`, did you mean `by`?'],
  ['/api/silences', { ...silence, matchers: 'rule=x' }, 'matchers: expected a list'],
  ['/api/silences', { ...silence, matchers: [5] }, 'matchers[0]: expected a text'],
  ['/api/silences', { ...silence, endsAt: 'soon' }, 'endsAt: expected a number'],
  ['/api/silences', { ...silence, endsAt: null }, 'endsAt: expected when it ends'],
  ['/api/cases/c42/ack', { by: 'ana', turn: 0 }, 'turn: expected more than 0'],
  ['/api/breaks/write-off', { name: 't2', by: 'ana' }, 'reason: expected a text'],
])('what %s has against a body is said in words of ours', async (path, body, error) => {
  const { post, operated } = createApp()
  expect(await (await post(path, body)).json()).toEqual({ code: 'usage', error })
  expect(operated).toEqual([])
})

test('what is not there is said with its code', async () => {
  const { post } = createApp()
  const response = await post('/api/alerts/none/ack', { by: 'ana' })
  expect(response.status).toBe(404)
  expect(await response.json()).toEqual({ code: 'not_found', error: 'There is no alert none' })
})

test.each([
  ['another origin', { ...json, origin: 'https://evil.example' }],
  ['an origin that is null', { ...json, origin: 'null' }],
  ['the same host at another port', { ...json, origin: 'http://127.0.0.1:9465' }],
  ['a browser that says cross-site', { ...json, 'sec-fetch-site': 'cross-site' }],
  ['a browser that says same-site', { ...json, 'sec-fetch-site': 'same-site', ...origin }],
  ['a form of another site', { ...form, origin: 'https://evil.example' }],
  ['a form that does not say where it comes from', form],
  ['plain text', { 'content-type': 'text/plain' }],
  ['nothing said of the content', { 'content-type': '' }],
  ['the name of another site', { ...json, host: 'evil.example' }],
])('a write from %s changes nothing', async (_, headers) => {
  const { post, operated } = createApp()
  const response = await post('/api/alerts/x/ack', 'by=ana', headers)
  expect([403, 415, 421]).toContain(response.status)
  expect(operated).toEqual([])
})

test('a form is not taken, wherever it comes from: the pages have routes of their own', async () => {
  const { post, operated } = createApp()
  expect((await post('/api/alerts/x/ack', 'by=ana', { ...form, ...origin })).status).toBe(415)
  expect(operated).toEqual([])
})

test('with a token a write needs it', async () => {
  const { post, operated } = createApp('secret-token')
  expect((await post('/api/alerts/x/ack', { by: 'ana' })).status).toBe(401)
  expect(
    (await post('/api/alerts/x/ack', { by: 'ana' }, { ...json, authorization: 'Bearer wrong' })).status,
  ).toBe(401)
  expect(operated).toEqual([])
  const good = { ...json, authorization: 'Bearer secret-token' }
  expect((await post('/api/alerts/x/ack', { by: 'ana' }, good)).status).toBe(200)
})

test('a session of the page does not let another site write', async () => {
  const { post, operated } = createApp('secret-token')
  const login = await post('/login', 'token=secret-token', { ...form, ...origin })
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
  expect(
    (await post('/api/alerts/x/ack', { by: 'ana' }, { ...json, cookie, origin: 'https://evil.example' }))
      .status,
  ).toBe(403)
  expect(operated).toEqual([])
  expect((await post('/api/alerts/x/ack', { by: 'ana' }, { ...json, ...origin, cookie })).status).toBe(200)
})
