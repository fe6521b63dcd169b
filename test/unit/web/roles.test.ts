import { expect, test } from 'vitest'
import { Secret } from '../../../src/lib/secret.ts'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { createFakeWeb, quiet, stalled } from './support/fakeWeb.ts'

const host = '127.0.0.1:9464'
const tokens = { token: new Secret('may-act-may-act-1'), readToken: new Secret('may-see-may-see-1') }
const actor = { authorization: `Bearer ${tokens.token.reveal()}` }
const reader = { authorization: `Bearer ${tokens.readToken.reveal()}` }
const own = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }

function createApp() {
  const web = createFakeWeb({ status: { ...quiet, openAlerts: [stalled] } })
  const app = createWebApp(web.deps, { listenHost: '127.0.0.1', ...tokens })
  const ask = (path: string, init: RequestInit = {}) => app.request(`http://${host}${path}`, init)
  return { web, app, ask }
}

/** Signing in asks for a token itself, signing out needs none. */
const outside = ['POST /login', 'POST /logout']
/** What Hono lists of middleware. */
const middleware = new Set(['ALL /*', 'ALL /api/*'])

const changes = createApp()
  .app.routes.map(({ method, path }) => ({ method, path, name: `${method} ${path}` }))
  .filter(({ method, name }) => method !== 'GET' && !middleware.has(name) && !outside.includes(name))

test('every change there is stands among those that are tried', () => {
  expect([...new Set(changes.map(({ name }) => name))].toSorted()).toEqual([
    'POST /alerts/:id/ack',
    'POST /api/alerts/:id/ack',
    ...['match', 'undo', 'write-off'].map((verb) => `POST /api/breaks/${verb}`),
    ...['ack', 'assign', 'handle', 'note', 'reopen'].map((verb) => `POST /api/cases/:id/${verb}`),
    'POST /api/cursors/rewind',
    'POST /api/outbox/:id/drop',
    'POST /api/outbox/:id/retry',
    'POST /api/silences',
    'POST /api/silences/:id/expire',
    'POST /api/silences/preview',
    ...['match', 'undo', 'write-off'].map((verb) => `POST /breaks/${verb}`),
    ...['ack', 'assign', 'handle', 'note', 'reopen'].map((verb) => `POST /cases/:id/${verb}`),
    'POST /outbox/:id/drop',
    'POST /outbox/:id/retry',
    'POST /silences',
    'POST /silences/:id/expire',
  ])
})

test.each(changes)(
  '$name is refused without a token, and to one who may only look',
  async ({ method, path }) => {
    const { web, ask } = createApp()
    const url = path.replace(':id', '3')
    const isApi = path.startsWith('/api/')
    const body = isApi ? JSON.stringify({ by: 'ana', until: 5 }) : 'by=ana'
    const type = { 'content-type': isApi ? 'application/json' : 'application/x-www-form-urlencoded' }
    const statuses = []
    for (const headers of [{}, { authorization: 'Bearer wrong-wrong-wrong-wrong' }, reader]) {
      statuses.push((await ask(url, { method, body, headers: { ...own, ...type, ...headers } })).status)
    }
    expect(statuses).toEqual([401, 401, 403])
    expect(web.operated).toEqual([])
    const { status } = await ask(url, { method, body, headers: { ...own, ...type, ...actor } })
    expect([401, 403]).not.toContain(status)
  },
)

test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PURGE'])(
  '%s of anything is refused to a reader',
  async (method) => {
    const { ask } = createApp()
    expect((await ask('/api/silences', { method, headers: reader })).status).toBe(403)
  },
)

test('a reader at the page is told how to get what it needs', async () => {
  const { ask } = createApp()
  const headers = { ...own, ...reader, accept: 'text/html' }
  const response = await ask('/outbox/dead/retry', { method: 'POST', headers })
  expect(response.status).toBe(403)
  expect(await response.text()).toContain('Sign out and sign in again with that one.')
})

test('a reader is told what he may not do, and it is logged and counted', async () => {
  const { web, ask } = createApp()
  const headers = { ...own, ...reader, 'content-type': 'application/json' }
  const response = await ask('/api/outbox/dead/retry', { method: 'POST', headers, body: '{}' })
  expect(await response.json()).toEqual({
    code: 'forbidden',
    error: 'http.readToken may look and change nothing: this needs http.token.',
  })
  expect(web.deps.accesses.get('not_allowed')).toBe(1)
  expect(web.logged).toEqual([
    'a change with the token that may only look was refused {"address":"in-process","path":"/api/outbox/dead/retry"}',
  ])
})

test.each(['/', '/alerts', '/alerts/a1b2c3', '/breaks', '/silences', '/outbox', '/transfers/t42'])(
  '%s shows a reader all, and no form that he may not send',
  async (path) => {
    const { ask } = createApp()
    const read = async (headers: Record<string, string>) => (await ask(path, { headers })).text()
    const forms = (page: string) =>
      [...page.matchAll(/<form[^>]*method="post" action="([^"]*)"/g)].map(([, to]) => to)
    const seen = await read(reader)
    expect(forms(seen).filter((to) => to !== '/logout')).toEqual([])
    expect(seen).not.toContain('/silences/new')
    const acted = await read(actor)
    expect(acted.includes('/silences/new') || forms(acted).length > 0).toBe(true)
  },
)

test('the form of a silence is refused to a reader', async () => {
  const { ask } = createApp()
  const response = await ask('/silences/new', { headers: { ...reader, accept: 'text/html' } })
  expect([response.status, await response.text()]).toEqual([
    403,
    expect.stringContaining('http.readToken may look and change nothing'),
  ])
})

test('the session of a reader stays one, and says so beside the way out', async () => {
  const { ask } = createApp()
  const signIn = async (token: Secret) => {
    const body = new URLSearchParams({ token: token.reveal() })
    const response = await ask('/login', { method: 'POST', headers: own, body })
    return { ...own, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' }
  }
  const [seeing, acting] = [await signIn(tokens.readToken), await signIn(tokens.token)]
  const post = async (headers: Record<string, string>) =>
    (await ask('/outbox/dead/retry', { method: 'POST', headers, body: new URLSearchParams() })).status
  expect([await post(seeing), await post(acting)]).toEqual([403, 303])
  expect(await (await ask('/', { headers: seeing })).text()).toContain('Signed in: you may look only.')
  expect(await (await ask('/', { headers: acting })).text()).toContain('Signed in: you may look and act.')
  expect((await ask('/logout', { method: 'POST', headers: seeing })).status).toBe(303)
})

test('without a token everybody may act, and nobody is offered a way out', async () => {
  const app = createWebApp(createFakeWeb().deps, { listenHost: '127.0.0.1', token: null })
  const page = await (await app.request(`http://${host}/`, { headers: { host } })).text()
  expect(page).not.toContain('/logout')
  expect((await app.request(`http://${host}/silences/new`, { headers: { host } })).status).toBe(200)
})
