import { describe, expect, test } from 'vitest'
import type { ReplicaStatus } from '../../../src/kernel/kernel.ts'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { judgeVerdict } from '../../../src/web/judgeVerdict.ts'
import { createFakeWeb, now, quiet } from './support/fakeWeb.ts'

const follower: ReplicaStatus = {
  node: 'b',
  role: 'follower',
  holder: { node: 'a', since: now - 3_600_000, pageUrl: 'https://a.example/' },
  unreachable: null,
  missing: [],
  inStepAt: now - 2_000,
  epoch: 4,
  behind: 0,
  nodes: [
    { node: 'a', role: 'holder', seq: 90, program: '1.0.0', pageUrl: null, seenAt: now - 1_000 },
    { node: 'b', role: 'follower', seq: 88, program: '1.0.0', pageUrl: null, seenAt: now - 31_000 },
  ],
}

function createApp(replica: ReplicaStatus | null) {
  const { deps, operated } = createFakeWeb()
  const of = replica === null ? null : () => replica
  const health = { ...deps.health, replica: of }
  const readStatus = () => ({ ...deps.readStatus(), replica })
  const app = createWebApp(
    { ...deps, replica: of, health, readStatus },
    { listenHost: '127.0.0.1', token: null },
  )
  return {
    operated,
    get: async (path: string) => {
      const response = await app.request(`http://127.0.0.1${path}`)
      return { status: response.status, text: await response.text() }
    },
    post: async (path: string, body: object) =>
      await app.request(`http://127.0.0.1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  }
}

const pages = [
  '/',
  '/cases',
  '/transfers',
  '/escrows',
  '/alerts',
  '/breaks',
  '/silences',
  '/rules',
  '/reports',
]

test.each(pages)('%s of a node that follows says so, whose word it shows, and from when', async (path) => {
  const { text } = await createApp(follower).get(path)
  expect(text).toContain('This node (b) follows; <a href="https://a.example/">a</a> watches since')
  expect(text).toContain('what is shown is what it had committed 2s ago.')
})

test('a node that watches, or is alone, says nothing of it', async () => {
  expect((await createApp({ ...follower, role: 'holder' }).get('/cases')).text).not.toContain('follows;')
  expect((await createApp(null).get('/cases')).text).not.toContain('follows;')
})

test('what another node says of itself leads nowhere but to a page', async () => {
  const holder = { node: '<b>a</b>', since: now, pageUrl: 'javascript:alert(1)' }
  const { text } = await createApp({ ...follower, holder }).get('/')
  expect(text).toContain('&lt;b&gt;a&lt;/b&gt; watches since')
  expect(text).not.toContain('javascript:')
})

test('the page names the nodes, how far each is behind, and which is missing', async () => {
  const { text } = await createApp({ ...follower, role: 'holder' }).get('/')
  const card = text.slice(text.indexOf('Nodes of this bridge'))
  expect(card).toMatch(/>a <span class="muted">1\.0\.0<\/span><\/th><td>.*holder.*<\/td><td>0<\/td>/)
  expect(card).toMatch(/>b <span class="muted">1\.0\.0<\/span><\/th><td>.*missing.*<\/td><td>2<\/td>/)
})

describe('what would change something', () => {
  test('is refused with who can do it, and nothing is done', async () => {
    const { post, operated } = createApp(follower)
    const response = await post('/api/alerts/a1/ack', { by: 'ana' })
    expect(response.status).toBe(409)
    expect(await response.json()).toEqual({
      code: 'replica.follower',
      error:
        'This node (b) follows another one, which alone may change anything: a watches, at https://a.example/.',
      holder: 'a',
      page: 'https://a.example/',
    })
    expect(operated).toEqual([])
  })

  test('is done on the node that watches', async () => {
    const response = await createApp({ ...follower, role: 'holder' }).post('/api/alerts/a1/ack', {
      by: 'ana',
    })
    expect(response.status).toBe(200)
  })

  test('is said to be nowhere to be done while nobody watches', async () => {
    const response = await createApp({ ...follower, holder: null }).post('/api/outbox/dead/retry', {
      by: 'x',
    })
    expect(await response.json()).toMatchObject({ holder: null, page: null })
  })

  test('is not what only looks: a preview of a silence', async () => {
    const body = { matchers: ['rule=x'], endsAt: now + 60_000 }
    expect((await createApp(follower).post('/api/silences/preview', body)).status).toBe(200)
  })
})

describe('health', () => {
  test('a follower lives without asking anybody', async () => {
    expect((await createApp(follower).get('/healthz')).status).toBe(200)
  })

  test.each([
    [9_999, 200],
    [10_000, 503],
  ])('in step %i ms ago it is ready: %i', async (agoMs, status) => {
    expect((await createApp({ ...follower, inStepAt: now - agoMs }).get('/readyz')).status).toBe(status)
  })

  test('it is not before it was in step', async () => {
    expect((await createApp({ ...follower, inStepAt: null }).get('/readyz')).status).toBe(503)
  })
})

test('the verdict of a follower is unknown while nobody watches', () => {
  expect(judgeVerdict({ ...quiet, replica: follower }).level).toBe('fine')
  expect(judgeVerdict({ ...quiet, replica: { ...follower, holder: null } })).toEqual({
    level: 'unknown',
    reasons: ['No node holds the lease: nobody watches'],
  })
})
