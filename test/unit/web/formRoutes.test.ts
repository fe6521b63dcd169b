import { expect, test } from 'vitest'
import { Secret } from '../../../src/lib/secret.ts'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { createFakeWeb, now } from './support/fakeWeb.ts'

const host = '127.0.0.1:9464'
const own = { origin: `http://${host}` }

function createApp(token: string | null = null) {
  const web = createFakeWeb()
  const app = createWebApp(web.deps, {
    listenHost: '127.0.0.1',
    token: token === null ? null : new Secret(token),
  })
  const get = (path: string, headers: Record<string, string> = {}) =>
    app.request(`http://${host}${path}`, { headers: { host, accept: 'text/html', ...headers } })
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = own) =>
    app.request(`http://${host}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { host, accept: 'text/html', ...headers },
    })
  const readProof = async (path: string, headers: Record<string, string> = {}) =>
    /name="proof" value="([0-9a-f]{64})"/.exec(await (await get(path, headers)).text())?.[1] ?? ''
  return { get, post, readProof, operated: web.operated, actors: web.actors }
}

const silence = { matchers: 'rule="x"\r\nsymbol="USDC"\r\n', for: '2h', by: 'ana', comment: 'why' }

test.each([
  ['/alerts/a1b2c3/ack', { by: 'ana' }, 'ack a1b2c3 by ana', '/alerts/a1b2c3'],
  ['/alerts/a1b2c3/ack', { by: 'ana', next: '/' }, 'ack a1b2c3 by ana', '/'],
  [
    '/silences',
    silence,
    `silence {"matchers":["rule=\\"x\\"","symbol=\\"USDC\\""],"startsAt":null,"endsAt":${now + 7_200_000},"author":"ana","comment":"why"}`,
    '/silences#silence-3',
  ],
  ['/silences/3/expire', {}, 'expire 3', '/silences'],
  ['/outbox/17/retry', {}, 'retry 17', '/outbox'],
  ['/outbox/dead/retry', {}, 'retry dead', '/outbox'],
  ['/outbox/17/drop', {}, 'drop 17', '/outbox'],
  [
    '/breaks/match',
    { payout: 't4', origin: 't2', reason: 'the same', force: 'yes', by: 'ana' },
    'match {"payout":"t4","origin":"t2","reason":"the same","force":true,"by":"ana"}',
    '/breaks#e3',
  ],
  [
    '/breaks/write-off',
    { name: 't2', reason: 'refunded', by: 'ana' },
    'write off {"name":"t2","reason":"refunded","by":"ana"}',
    '/breaks#e3',
  ],
  [
    '/breaks/undo',
    { entry: 'e3', reason: 'wrong', by: 'ana' },
    'undo {"entry":"e3","reason":"wrong","by":"ana"}',
    '/breaks#e3',
  ],
])('the form of %s %j does it and leads on', async (path, fields, expected, next) => {
  const { post, operated } = createApp()
  const response = await post(path, fields)
  expect([response.status, response.headers.get('location')]).toEqual([303, next])
  expect(operated).toEqual([expected])
})

test.each([
  ['another origin', { origin: 'https://evil.example' }],
  ['the same host at another port', { origin: 'http://127.0.0.1:9465' }],
  ['a browser that says cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['a browser that says same-site', { ...own, 'sec-fetch-site': 'same-site' }],
  ['a page that does not say who it is', {}],
  ['a sandboxed frame', { origin: 'null' }],
  ['a sandboxed frame of another site', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
])('a form from %s changes nothing', async (_, headers) => {
  const { post, operated } = createApp()
  for (const [path, fields] of [
    ['/alerts/a1b2c3/ack', { by: 'ana' }],
    ['/silences', silence],
    ['/silences/3/expire', {}],
    ['/outbox/dead/retry', {}],
    ['/outbox/17/drop', {}],
  ] as const) {
    const response = await post(path, { ...fields, proof: '0'.repeat(64) }, headers)
    expect(response.status).toBe(403)
  }
  expect(operated).toEqual([])
})

test('the proof of a page lets its form through where the browser says nothing', async () => {
  const { post, readProof, operated } = createApp()
  const proof = await readProof('/silences/new')
  const response = await post('/alerts/a1b2c3/ack', { by: 'ana', proof }, { origin: 'null' })
  expect([response.status, operated]).toEqual([303, ['ack a1b2c3 by ana']])
})

test('the proof of one session is worth nothing in another', async () => {
  const { post, readProof, operated } = createApp('secret-token')
  const signIn = async () => {
    const response = await post('/login', { token: 'secret-token', proof: await readProof('/login') }, {})
    return { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' }
  }
  const session = await signIn()
  const stranger = await readProof('/login')
  expect((await post('/alerts/x/ack', { by: 'ana', proof: stranger }, session)).status).toBe(403)
  expect(operated).toEqual([])
  const proof = await readProof('/silences/new', session)
  expect((await post('/alerts/x/ack', { by: 'ana', proof }, session)).status).toBe(303)
})

test('a button without a name is pressed by whoever was named here last, in that session', async () => {
  const { post, readProof, actors } = createApp('secret-token')
  const signedIn = await post('/login', { token: 'secret-token', proof: await readProof('/login') }, {})
  const cookie = `${signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''}; spanwatch_by=ana`
  await post('/silences/3/expire', {}, { ...own, cookie })
  const [actor] = actors
  expect(actor).toEqual({
    by: 'ana',
    from: {
      via: 'page',
      address: 'in-process',
      role: 'act',
      session: expect.stringMatching(/^[\w-]{6}$/),
    },
  })
})

test('signing in by a form of another site is refused', async () => {
  const { post } = createApp('secret-token')
  const response = await post('/login', { token: 'secret-token' }, { origin: 'https://evil.example' })
  expect([response.status, response.headers.get('set-cookie')]).toEqual([403, null])
})

test('without the token a form does nothing', async () => {
  const { post, operated } = createApp('secret-token')
  expect((await post('/alerts/a1b2c3/ack', { by: 'ana' })).status).toBe(401)
  expect(operated).toEqual([])
})

test('a silence that cannot be meant is shown again as typed, with what is wrong', async () => {
  const { post, operated } = createApp()
  const response = await post('/silences', { ...silence, for: 'a while' })
  const page = await response.text()
  expect(response.status).toBe(400)
  expect(page).toContain('role="alert" id="problem">For: expected a duration such as 2h')
  expect(page).toContain('value="a while"')
  expect(page).toContain('rule=&quot;x&quot;\nsymbol=&quot;USDC&quot;')
  expect(operated).toEqual([])
})

test('what is not there is said on a page', async () => {
  const { post } = createApp()
  const response = await post('/alerts/none/ack', { by: 'ana' })
  expect(response.status).toBe(404)
  expect(await response.text()).toContain('There is no alert none')
})

test.each(['https://evil.example/', '//evil.example', '/\\evil.example'])(
  'a form never leads to %s',
  async (next) => {
    const { post } = createApp()
    const response = await post('/alerts/a1b2c3/ack', { by: 'ana', next })
    expect(response.headers.get('location')).toBe('/alerts/a1b2c3')
  },
)

test('the name is remembered for the next form, and filled in', async () => {
  const { post, get } = createApp()
  const response = await post('/alerts/a1b2c3/ack', { by: 'Ana "<b>' })
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  expect(response.headers.get('set-cookie')).toContain('HttpOnly; SameSite=Lax')
  expect(await (await get('/silences/new', { cookie })).text()).toContain('value="Ana &quot;&lt;b&gt;"')
})

test('a silence is filled in with the labels of its alert', async () => {
  const page = await (await createApp().get('/silences/new?alert=a1b2c3')).text()
  expect(page).toContain('rule=&quot;withdrawal-stalled&quot;\nsymbol=&quot;USDC&quot;</textarea>')
})

test('the transfer of an alert is offered first, with its kinds ticked, then its labels', async () => {
  const page = await (await createApp().get('/silences/new?alert=a1b2c3')).text()
  expect(page.indexOf('This transfer alone')).toBeGreaterThan(0)
  expect(page.indexOf('Wider: every alert')).toBeGreaterThan(page.indexOf('This transfer alone'))
  expect(page).toContain('name="kind:transfer.stalled" value="yes" checked')
  expect(page).toContain('transfer.stalled (up to critical, up to 18,250.75 USDC)')
  expect(page).toContain('Conditions that hold now: <strong>none</strong>')
})

test('a silence of one transfer is of the kinds that are ticked', async () => {
  const { post, operated } = createApp()
  const fields = {
    transfer: 't42',
    'kind:transfer.stalled': 'yes',
    over: 'yes',
    for: '7d',
    by: 'ana',
    comment: 'why',
  }
  const response = await post('/silences', fields)
  expect(response.status).toBe(303)
  expect(operated).toEqual([
    `silence {"matchers":[],"startsAt":null,"endsAt":${now + 7 * 86_400_000},"author":"ana","comment":"why","transfer":{"name":"t42","kinds":["transfer.stalled"],"untilOver":true}}`,
  ])
})

test.each([
  ['nothing was shown yet', { previewed: '' }],
  ['other matchers were shown', { previewed: 'rule="x"' }],
  ['it was asked for', { previewed: silence.matchers, preview: 'yes' }],
  ['the box was ticked since', { previewed: silence.matchers, unknown: 'yes' }],
])('what a silence matches is shown before the button makes it: %s', async (_, fields) => {
  const { post, operated } = createApp()
  const response = await post('/silences', { ...silence, ...fields })
  const page = await response.text()
  expect([response.status, operated]).toEqual([200, []])
  expect(page).toContain('Conditions that hold now')
  const shown = /name="previewed" value="([^"]*)"/.exec(page)?.[1]?.replaceAll('&quot;', '"') ?? ''
  const made = await post('/silences', { ...silence, ...fields, preview: '', previewed: shown })
  expect([made.status, operated.length]).toEqual([303, 1])
})

test.each(['GET', 'PUT', 'DELETE'])('%s of a form changes nothing', async (method) => {
  const web = createFakeWeb()
  const app = createWebApp(web.deps, { listenHost: '127.0.0.1', token: null })
  for (const path of ['/alerts/a1b2c3/ack', '/silences/3/expire', '/outbox/dead/retry']) {
    await app.request(`http://${host}${path}`, { method, headers: own })
  }
  expect(web.operated).toEqual([])
})

test('what is refused of a break leads back to the form, with the names that were typed', async () => {
  const { post, readProof } = createApp()
  const proof = await readProof('/breaks')
  const refused = async (fields: Record<string, string>) =>
    await (await post('/breaks/match', { proof, by: 'ana', ...fields })).text()
  expect(await refused({ payout: 't4', origin: 'a&b' })).toContain(
    'href="/breaks?payout=t4&amp;origin=a%26b#match"',
  )
  expect(await refused({})).toContain('<a href="/breaks">Back to the breaks</a>')
})
