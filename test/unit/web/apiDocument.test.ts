import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../src/lib/secret.ts'
import { actions } from '../../../src/web/actions.ts'
import { apiRoutes } from '../../../src/web/api/routes.ts'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { checkByDocument } from '../../support/apiDocument.ts'
import { createFakeWeb, failed, quiet, stalled } from './support/fakeWeb.ts'

const { document, problemsOf, problemsOfBody } = checkByDocument()

const json = { 'content-type': 'application/json' }
const host = 'http://127.0.0.1:9464'

function createApp(token: string | null = null) {
  const status = { ...quiet, openAlerts: [stalled], recentEvents: [failed] }
  const { deps } = createFakeWeb({ status })
  const readToken = token === null ? null : new Secret('may-only-look')
  return createWebApp(deps, {
    listenHost: '127.0.0.1',
    token: token === null ? null : new Secret(token),
    readToken,
  })
}

test('it is an OpenAPI 3.1 document', async () => {
  const result = await new Validator().validate({ ...document })
  expect(result).toMatchObject({ valid: true })
})

test('it is served, behind the same door as the rest', async () => {
  const served = await createApp().request(`${host}/api/openapi.json`)
  expect(await served.json()).toEqual(document)
  expect((await createApp('secret-token').request(`${host}/api/openapi.json`)).status).toBe(401)
  const reader = { headers: { authorization: 'Bearer may-only-look' } }
  expect((await createApp('secret-token').request(`${host}/api/openapi.json`, reader)).status).toBe(200)
})

test('it has every route that is for programs, and no other', () => {
  const isPage = (path: string) => !/^\/(api\/|metrics$|events$|healthz$|readyz$)/.test(path)
  const routes = createApp('secret-token')
    .routes.filter(({ method, path }) => method !== 'ALL' && !isPage(path))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(described.toSorted()).toEqual([...new Set(routes)].toSorted())
})

test('what it leaves out answers with pages, and takes forms', async () => {
  const app = createApp()
  const described = new Set(Object.keys(document.paths).map((path) => path.replaceAll(/\{(\w+)\}/g, ':$1')))
  const others = new Set(
    app.routes.filter(({ method, path }) => method === 'GET' && !described.has(path)).map(({ path }) => path),
  )
  expect(others.size).toBeGreaterThan(10)
  for (const path of others) {
    const response = await app.request(`${host}${path.replaceAll(/:\w+/g, 'none')}`)
    if (response.ok) expect([path, response.headers.get('content-type')]).not.toContain('application/json')
  }
})

test('each name of an operation, and of a parameter in a path, is said once', () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const names = operations.map(({ operationId }) => operationId)
  expect(names).toEqual([...new Set(names)])
  for (const { parameters = [] } of operations)
    for (const { name, description, schema } of parameters)
      expect([name, description !== undefined || schema.enum !== undefined]).toEqual([name, true])
})

test.each(actions.map(({ path, example }) => [path, example] as const))(
  'the example of %s fits its schema',
  (path, example) => {
    expect(problemsOfBody(`/api${path.replaceAll(/:(\w+)/g, '{$1}')}`, example)).toEqual([])
  },
)

const names: Readonly<Record<string, string>> = {
  transfers: 't42',
  cases: 'c42',
  alerts: 'a1b2c3',
  reports: '2026-03-07',
  escrows: `0x${'ab'.repeat(20)}`,
}

const toPath = (route: string) => route.replace(/:\w+/, () => names[route.split('/')[2] ?? ''] ?? '1')

test.each(apiRoutes.map(({ path }) => path))('GET %s answers as it is described', async (route) => {
  const path = toPath(route)
  const response = await createApp().request(`${host}${path}`)
  expect([response.status, problemsOf({ method: 'get', path, status: 200 }, await response.json())]).toEqual([
    200,
    [],
  ])
})

test.each(['/healthz', '/readyz'])('%s answers as it is described', async (path) => {
  const response = await createApp().request(`${host}${path}`)
  expect(problemsOf({ method: 'get', path, status: response.status }, await response.json())).toEqual([])
})

const ids: Readonly<Record<string, string>> = { alerts: 'a1b2c3', cases: 'c42', silences: '3', outbox: '17' }

test.each(actions.map(({ path, example }) => [path, example] as const))(
  'POST /api%s answers as it is described',
  async (route, example) => {
    const path = `/api${route.replace(/:\w+/, () => ids[route.split('/')[1] ?? ''] ?? '1')}`
    const response = await createApp().request(`${host}${path}`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(example),
    })
    expect([
      response.status,
      problemsOf({ method: 'post', path, status: 200 }, await response.json()),
    ]).toEqual([200, []])
  },
)

describe('what is refused is described too', () => {
  const token = 'secret-token'
  const asOwner = { authorization: `Bearer ${token}` }
  const post = { method: 'POST', headers: { ...json, ...asOwner }, body: '{}' }
  test.each<[number, string, RequestInit]>([
    [400, '/api/transfers?limit=0', { headers: asOwner }],
    [400, '/api/status?state=open', { headers: asOwner }],
    [404, '/api/transfers/none', { headers: asOwner }],
    [404, '/api/reports/2026-03', { headers: asOwner }],
    [401, '/api/status', {}],
    [400, '/api/silences', post],
    [403, '/api/silences', { ...post, headers: { ...json, authorization: 'Bearer may-only-look' } }],
    [403, '/api/silences', { ...post, headers: { ...post.headers, origin: 'http://evil.example' } }],
    [404, '/api/cases/c7/ack', { ...post, body: '{"by":"ana"}' }],
    [413, '/api/silences', { ...post, body: JSON.stringify({ by: 'x'.repeat(70_000) }) }],
    [415, '/api/silences', { ...post, headers: { ...asOwner, 'content-type': 'text/plain' } }],
  ])('%i of %s', async (status, path, init) => {
    const response = await createApp(token).request(`${host}${path}`, init)
    const method = init.method === 'POST' ? 'post' : 'get'
    expect([response.status, problemsOf({ method, path, status }, await response.json())]).toEqual([
      status,
      [],
    ])
  })

  test('421 of a foreign name', async () => {
    const response = await createApp().request(`${host}/api/status`, { headers: { host: 'evil.example' } })
    const asked = { method: 'get', path: '/api/status', status: response.status } as const
    expect([response.status, problemsOf(asked, await response.json())]).toEqual([421, []])
  })

  test('429 of too many wrong tokens, with when to come again', async () => {
    const app = createApp(token)
    const ask = () => app.request(`${host}/api/status`, { headers: { authorization: 'Bearer wrong' } })
    for (let tries = 0; tries < 10; tries += 1) await ask()
    const response = await ask()
    const asked = { method: 'get', path: '/api/status', status: response.status } as const
    expect([response.status, problemsOf(asked, await response.json())]).toEqual([429, []])
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

const queries = apiRoutes.flatMap(({ path, query }) =>
  query === null ? [] : Object.keys(query.shape).map((name) => [path, name] as const),
)
const taken = new Set(['q', 'token'])

test.each(queries.filter(([, name]) => !taken.has(name)))(
  'GET %s refuses a %s that cannot be understood, in words of ours',
  async (path, name) => {
    const response = await createApp().request(`${host}${toPath(path)}?${name}=%3Cx%3E`)
    const { code, error } = (await response.json()) as { code: string; error: string }
    expect([response.status, code]).toEqual([400, 'usage'])
    expect(error).toMatch(new RegExp(`^${name}: expected `))
    expect(error).not.toMatch(/Invalid|received|NaN/)
  },
)

test.each(queries)(
  'GET %s takes an empty %s for none, but no empty cursor of transfers',
  async (path, name) => {
    const { status } = await createApp().request(`${host}${toPath(path)}?${name}=`)
    expect(status).toBe(path === '/api/transfers' && name === 'cursor' ? 400 : 200)
  },
)
