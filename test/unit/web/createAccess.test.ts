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
  const other = createWebApp(web.deps, {
    listenHost: '0.0.0.0',
    token: new Secret('another token of that length'),
  })
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

test('the eleventh wrong token within a minute waits and is said to be one too many', async () => {
  const { web, login } = createGuarded()
  for (let i = 0; i < 10; i++) expect((await login(`wrong ${i}`)).status).toBe(401)
  const before = performance.now()
  const response = await login('wrong 11')
  // The fake clock sleeps a hundredth of the second.
  expect(performance.now() - before).toBeGreaterThan(8)
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60'])
  expect(await response.text()).toContain('Too many wrong tokens')
  web.now += 60_000
  expect((await login('wrong again')).status).toBe(401)
})

test('a right token passes, however many wrong ones came from its address', async () => {
  const { get, login } = createGuarded()
  for (let i = 0; i < 12; i++) await login(`wrong ${i}`)
  expect((await login(token)).status).toBe(303)
  expect((await get('/api/status', { authorization: `Bearer ${token}` })).status).toBe(200)
})

test('of many wrong tokens at once only some are held back: what waits holds a connection', async () => {
  const { web, login } = createGuarded()
  let asleep = 0
  web.deps.clock.sleep = () => ((asleep += 1), new Promise(() => {}))
  for (let i = 0; i < 10; i++) await login(`wrong ${i}`)
  for (let i = 0; i < 16; i++) void login(`wrong ${i}`)
  await expect.poll(() => asleep).toBe(16)
  expect((await login('one more')).status).toBe(429)
  expect(asleep).toBe(16)
})

test('sign-ins and refusals are logged with their address and counted, a flood of them only counted', async () => {
  const { web, get, login } = createGuarded()
  await get('/')
  for (let i = 0; i < 15; i++) await get('/', { authorization: `Bearer guess-${i}` })
  await login(token)
  expect(Object.fromEntries(web.deps.accesses)).toEqual({
    no_token: 1,
    wrong_token: 10,
    limited: 5,
    signed_in: 1,
  })
  expect(web.logged).toHaveLength(11)
  expect(web.logged[0]).toBe('a wrong token was refused {"address":"in-process","path":"/"}')
  expect(web.logged[9]).toContain('more of this minute are delayed and not logged')
  expect(web.logged[10]).toBe('signed in {"address":"in-process","path":"/login","role":"act"}')
  expect(web.logged.join()).not.toMatch(/guess-/)
})

test('signing out ends the session, also for a copy of its cookie and after a restart', async () => {
  const { web, app, get, login } = createGuarded()
  const cookie = readCookie(await login(token))
  const other = readCookie(await login(token))
  const response = await app.request('http://bridge.example/logout', {
    method: 'POST',
    headers: { origin: 'http://bridge.example', host: 'bridge.example', cookie },
  })
  expect([response.status, response.headers.get('location')]).toEqual([303, '/login'])
  expect(response.headers.get('set-cookie')).toMatch(/^spanwatch_session=; Max-Age=0; Path=\/$/)
  const again = createWebApp(web.deps, { listenHost: '0.0.0.0', token: new Secret(token) })
  const status = async (at: typeof app, cookie: string) =>
    (await at.request('http://bridge.example/', { headers: { cookie } })).status
  expect([await status(app, cookie), await status(again, cookie)]).toEqual([401, 401])
  expect([await status(app, other), await status(again, other)]).toEqual([200, 200])
  expect((await get('/')).status).toBe(401)
})

test('another site cannot sign anybody out', async () => {
  const { app, get, login } = createGuarded()
  const cookie = readCookie(await login(token))
  const headers = { origin: 'http://evil.example', host: 'bridge.example', cookie }
  expect((await app.request('http://bridge.example/logout', { method: 'POST', headers })).status).toBe(403)
  expect((await get('/', { cookie })).status).toBe(200)
})

test('who may only look does not bring back a session that was ended, however often he signs in and out', async () => {
  const { web } = createGuarded()
  const readToken = new Secret('may-see-may-see-1')
  const app = createWebApp(web.deps, { listenHost: '0.0.0.0', token: new Secret(token), readToken })
  const post = (path: string, given: string, headers = {}) =>
    app.request(`http://bridge.example${path}`, {
      method: 'POST',
      headers: { origin: 'http://bridge.example', host: 'bridge.example', ...headers },
      body: new URLSearchParams({ token: given }),
    })
  const signInAndOut = async (given: string) => {
    const cookie = readCookie(await post('/login', given))
    await post('/logout', '', { cookie })
    return cookie
  }
  const cookie = await signInAndOut(token)
  for (let times = 0; times < 1_001; times += 1) await signInAndOut(readToken.reveal())
  expect((await app.request('http://bridge.example/', { headers: { cookie } })).status).toBe(401)
})

test.each(['/login', '/logout'])(
  'what is no form of ours is refused at %s, and is no failure',
  async (path) => {
    const { app, web } = createGuarded()
    for (const [type, body] of Object.entries({
      'multipart/form-data': 'abc',
      'multipart/form-data; boundary=x': '--x\r\nhalf',
      'text/plain': 'token=x',
    })) {
      const headers = { origin: 'http://bridge.example', host: 'bridge.example', 'content-type': type }
      const response = await app.request(`http://bridge.example${path}`, { method: 'POST', headers, body })
      expect(response.status).toBe(path === '/login' ? 401 : 303)
    }
    expect(web.logged.join()).not.toContain('a web request failed')
  },
)

test('another http.sessions ends every session', async () => {
  const { web, login } = createGuarded()
  const headers = { cookie: readCookie(await login(token)) }
  const options = { listenHost: '0.0.0.0', token: new Secret(token) }
  const after = (sessions: string) => createWebApp(web.deps, { ...options, sessions })
  expect((await after('').request('http://bridge.example/', { headers })).status).toBe(200)
  expect((await after('2').request('http://bridge.example/', { headers })).status).toBe(401)
})

test('where people come over TLS the cookie is bound to TLS and to this host', async () => {
  const web = createFakeWeb()
  const options = { listenHost: '0.0.0.0', token: new Secret(token), publicUrl: 'https://bridge.example' }
  const app = createWebApp(web.deps, options)
  const response = await app.request('http://bridge.example/login', {
    method: 'POST',
    headers: { origin: 'https://bridge.example', host: 'bridge.example' },
    body: new URLSearchParams({ token }),
  })
  expect(response.headers.get('set-cookie')).toMatch(
    /^__Host-spanwatch_session=\S+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  const cookie = readCookie(response)
  const open = (cookie: string) => app.request('http://bridge.example/', { headers: { cookie } })
  expect((await open(cookie)).status).toBe(200)
  // Another host of the domain can set a cookie without the prefix.
  expect((await open(cookie.replace('__Host-', ''))).status).toBe(401)
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

test.each(['token', 'readToken'])('beyond loopback %s has 16 characters or more', (name) => {
  const { deps } = createFakeWeb()
  const open = (host: string, length: number) =>
    createWebApp(deps, {
      listenHost: host,
      token: new Secret(token),
      [name]: new Secret('x'.repeat(length)),
    })
  expect(() => open('0.0.0.0', 15)).toThrow(
    `http.listen 0.0.0.0 can be reached from other machines: http.${name} needs at least 16 characters, such as those of openssl rand -hex 16`,
  )
  open('0.0.0.0', 16)
  open('127.0.0.1', 15)
})
