import { expect, test } from 'vitest'
import { Secret } from '../../../src/lib/secret.ts'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { createFakeWeb } from './support/fakeWeb.ts'

const token = 'correct horse battery staple'.replaceAll(' ', '-')

function createGuarded(listenHost = '0.0.0.0') {
  const web = createFakeWeb()
  const app = createWebApp(web.deps, { listenHost, token: new Secret(token) })
  const get = (path: string, headers: Record<string, string> = {}) =>
    app.request(`http://bridge.example${path}`, { headers })
  const login = (given: string, next = '/', headers: Record<string, string> = {}) =>
    app.request('http://bridge.example/login', {
      method: 'POST',
      headers: { origin: 'http://bridge.example', host: 'bridge.example', accept: 'text/html', ...headers },
      body: new URLSearchParams({ token: given, next }),
    })
  return { web, app, get, login }
}

const readCookie = (response: Response) => response.headers.get('set-cookie')?.split(';')[0] ?? ''

test.each([
  '/',
  '/transfers',
  '/transfers/t42',
  '/metrics',
  '/events',
  '/api/status',
  '/api/alerts',
  '/none',
])('%s needs the token', async (path) => {
  const { get } = createGuarded()
  const response = await get(path)
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([
    401,
    'Bearer realm="spanwatch"',
  ])
  expect((await get(path, { authorization: `Bearer ${token.slice(1)}` })).status).toBe(401)
  const { status, body } = await get(path, { authorization: `Bearer ${token}` })
  await body?.cancel()
  expect(status).not.toBe(401)
})

test.each(['/healthz', '/readyz', '/assets/app.css', '/login'])('%s does not', async (path) => {
  expect((await createGuarded().get(path)).status).toBe(200)
})

test('a page without the token shows the form and remembers where to go', async () => {
  const response = await createGuarded().get('/transfers?state=failed', { accept: 'text/html' })
  expect(response.status).toBe(401)
  expect(await response.text()).toContain('name="next" value="/transfers?state=failed"')
})

test('the form gives a session that opens the pages for twelve hours', async () => {
  const { web, get, login } = createGuarded()
  const response = await login(token, '/transfers/t42')
  expect([response.status, response.headers.get('location')]).toEqual([303, '/transfers/t42'])
  expect(response.headers.get('set-cookie')).toMatch(/; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/)
  const cookie = readCookie(response)
  expect(cookie).not.toContain(token)
  web.now += 12 * 3_600_000 - 1
  expect((await get('/', { cookie })).status).toBe(200)
  web.now += 1
  expect((await get('/', { cookie })).status).toBe(401)
})

test('behind TLS the cookie is for TLS only', async () => {
  const response = await createGuarded().login(token, '/', { 'x-forwarded-proto': 'https' })
  expect(response.headers.get('set-cookie')).toContain('; Secure')
})

test('a session that was edited, or signed for another token, opens nothing', async () => {
  const { web, get, login } = createGuarded()
  const cookie = readCookie(await login(token))
  const forged = cookie.replace(/=\d/, '=9')
  expect((await get('/', { cookie: forged })).status).toBe(401)
  const other = createWebApp(web.deps, { listenHost: '0.0.0.0', token: new Secret('another token') })
  expect((await other.request('http://bridge.example/', { headers: { cookie } })).status).toBe(401)
})

test.each([
  '//evil.example',
  '/\\evil.example',
  'https://evil.example/',
  '/.//evil.example',
  '/login',
  'http:',
])('after the login nobody is sent to %s', async (next) => {
  const location = (await createGuarded().login(token, next)).headers.get('location')
  expect(location).toBe('/')
})

test('the eleventh wrong token within a minute is not even looked at, nor a right one', async () => {
  const { web, get, login } = createGuarded()
  for (let i = 0; i < 10; i++) expect((await login(`wrong ${i}`)).status).toBe(401)
  const response = await login(token)
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60'])
  expect(await response.text()).toContain('Too many wrong tokens')
  expect((await get('/api/status', { authorization: `Bearer ${token}` })).status).toBe(429)
  web.now += 60_000
  expect((await login(token)).status).toBe(303)
})

test('a session stays open while its address guesses', async () => {
  const { get, login } = createGuarded()
  const cookie = readCookie(await login(token))
  for (let i = 0; i < 11; i++) await login(`wrong ${i}`)
  expect((await get('/', { cookie })).status).toBe(200)
})

test('another site cannot post to the form', async () => {
  const { login } = createGuarded()
  expect((await login(token, '/', { origin: 'http://evil.example' })).status).toBe(403)
  expect((await login(token, '/', { origin: 'null' })).status).toBe(403)
})

test('a form of more than 8 kB is refused', async () => {
  expect((await createGuarded().login('x'.repeat(9_000))).status).toBe(413)
})

test('the token stands in no answer and no log', async () => {
  const { web, get, login } = createGuarded()
  const texts = await Promise.all([
    (await login('wrong')).text(),
    (await get('/', { authorization: `Bearer ${token}` })).text(),
    (await get(`/api/transfers/${token}`)).text(),
  ])
  expect([...texts, ...web.logged].join()).not.toContain(token)
})

test('beyond loopback a token is a must', () => {
  const { deps } = createFakeWeb()
  expect(() => createWebApp(deps, { listenHost: '0.0.0.0', token: null })).toThrow(
    'http.listen 0.0.0.0 can be reached from other machines: set http.token, or listen on 127.0.0.1',
  )
})
