import { describe, expect, test } from 'vitest'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { groupDigits } from '../../../src/lib/groupDigits.ts'
import type { StatusFacts } from '../../../src/web/statusFacts.ts'
import {
  createFakeWeb,
  failed,
  healthOf,
  mainHash,
  now,
  quiet,
  stalled,
  transfer,
  zoneHash,
} from './support/fakeWeb.ts'

const local = { listenHost: '127.0.0.1', token: null }
const asBrowser = { headers: { accept: 'text/html' } }

function createApp(parts: Parameters<typeof createFakeWeb>[0] = {}) {
  const web = createFakeWeb(parts)
  const app = createWebApp(web.deps, local)
  return { web, get: (path: string, init?: RequestInit) => app.request(`http://127.0.0.1${path}`, init) }
}

async function readPage(status: Partial<StatusFacts> = {}) {
  const response = await createApp({ status: { ...quiet, ...status } }).get('/')
  return response.text()
}

describe('status page', () => {
  test('the verdict stands first and in the title', async () => {
    const page = await readPage()
    expect(page).toContain('<title>No problem found – spanwatch</title>')
    expect(page).toMatch(/<h1[^>]*>No problem found<\/h1>/)
    expect(page).toContain('Every source was read in time')
  })

  test('a source that could not be read is never called fine', async () => {
    const page = await readPage({ coverage: [{ source: 'explorer', lastGoodAt: null, staleAfterMs: 1 }] })
    expect(page).toMatch(/<h1[^>]*>Cannot tell<\/h1>/)
    expect(page).toContain('explorer has never been read')
    expect(page).toContain('No case is open, but not everything could be looked at.')
    expect(page).not.toContain('No problem found')
  })

  test('a source that answers is not green while some of its endpoints fail', async () => {
    const failing = {
      ...(quiet.sources[0]?.endpoints[0] ?? expect.fail()),
      lastGoodAt: now - 9_000,
      lastFailureAt: now,
    }
    const sources = quiet.sources.map((source) => ({ ...source, endpoints: [...source.endpoints, failing] }))
    const chip = (page: string) =>
      /class="chip (dot-\w+)"><dt>explorer<\/dt><dd>(.*?)<\/dd>/s.exec(page)?.slice(1)
    expect(chip(await readPage())?.[0]).toBe('dot-fine')
    const [tone, said] = chip(await readPage({ sources })) ?? []
    expect(tone).toBe('dot-attention')
    expect(said).toMatch(/, 1 of \d+ fail$/)
  })

  test('a state that cannot be read is a page that knows nothing, without the reason', async () => {
    const { web } = createApp()
    const readStatus = () => {
      throw new Error('no such table: secrets')
    }
    const response = await createWebApp({ ...web.deps, readStatus }, local).request('http://127.0.0.1/')
    const page = await response.text()
    expect(response.status).toBe(500)
    expect(page).toContain('Cannot tell')
    expect(page).not.toContain('secrets')
    expect(web.logged).toEqual(['the status could not be read {"problem":"no such table: secrets"}'])
  })

  test('an alert shows its severity as a word, its subject in full and who was told', async () => {
    const page = await readPage({ openAlerts: [stalled], recentEvents: [failed] })
    expect(page).toContain(
      '>warning</span> <strong><a class="plain" href="/alerts/a1b2c3">1500.25 USDC has waited 47m</a>',
    )
    expect(page).toContain(zoneHash)
    expect(page).toMatch(/<span>sent to ops-slack <time [^>]*>16m ago</)
    expect(page).toContain('waiting for ops-email')
    expect(page).toContain('A deposit of 12 ETH failed on the zone')
  })

  test('a storm of alerts is cut at three, the critical ones first, the true count said', async () => {
    const storm = Array.from({ length: 5_000 }, (_, index) => ({ ...stalled, id: `a${index}` }))
    const page = await readPage({ openAlerts: [...storm, { ...failed, state: 'firing' }] })
    expect(page.match(/<li class="alert /g)).toHaveLength(3)
    expect(page).toContain('And 4998 more, 5001 in all')
    expect(page.indexOf('A deposit of 12 ETH')).toBeLessThan(page.indexOf('1500.25 USDC'))
  })

  test('text from the chain is escaped and cleaned wherever it stands', async () => {
    const hostile = '<script>alert(1)</script>" onload="x\u202e\u0000'
    const alert = {
      ...stalled,
      rule: hostile,
      title: hostile,
      summary: hostile,
      runbook: 'javascript:alert(1)',
    }
    const source = {
      ...quiet.sources[0]!,
      source: hostile,
      host: hostile,
      rejected: { at: now, reason: hostile },
    }
    const page = await readPage({
      openAlerts: [alert],
      recentEvents: [alert],
      sources: [source],
      coverage: [{ source: hostile, lastGoodAt: null, staleAfterMs: 1 }],
      pollers: [{ ...quiet.pollers[0]!, poller: hostile, lastError: hostile }],
      channels: [{ ...quiet.channels[0]!, channel: hostile, lastError: hostile, refused: [hostile] }],
    })
    expect(page).not.toContain('<script>')
    expect(page).not.toContain('onload="')
    expect(page).not.toContain('javascript:')
    expect(page).not.toContain('\u202e')
    expect(page).not.toContain('\u0000')
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  })
})

describe('transfers', () => {
  test('the list shows exact amounts beyond 2^53 and what is not known yet', async () => {
    const page = await (await createApp().get('/transfers')).text()
    expect(page).toContain(`${groupDigits(transfer.amount ?? '')} USDC`)
    expect(page).toContain('none yet')
  })

  test('an unlisted token shows its address-free name in quotes, an unknown amount its base units', async () => {
    const odd = {
      ...transfer,
      amount: null,
      token: { ...transfer.token, symbol: null, name: 'USDC', id: '7' },
    }
    const { get } = createApp({
      stories: [{ transfer: odd, standing: null, observations: [], alerts: [], givenBack: [] }],
    })
    expect(await (await get('/transfers')).text()).toContain(`${(1n << 255n) + 1n} base units of [USDC] #7`)
  })

  test('the link to older ones keeps the filters', async () => {
    const { web, get } = createApp()
    web.next = 'a&b'
    const page = await (await get('/transfers?state=pending&direction=ZoneToMain')).text()
    expect(page).toContain('href="/transfers?state=pending&amp;direction=ZoneToMain&amp;cursor=a%26b"')
  })

  test('a search with one hit goes to its story, a filter stays in the list', async () => {
    const { get } = createApp()
    const hit = await get(`/transfers?q=${zoneHash}`)
    expect([hit.status, hit.headers.get('location')]).toEqual([303, '/transfers/t42'])
    expect((await get('/transfers?state=pending')).status).toBe(200)
  })

  test('a filter that is not understood is said and shown again', async () => {
    const { web, get } = createApp()
    const response = await get('/transfers?age=%22%3E%3Cb%3E&state=pending')
    const page = await response.text()
    expect(response.status).toBe(400)
    expect(page).toContain('age: expected a duration')
    expect(page).toContain('value="&quot;&gt;&lt;b&gt;" selected')
    expect(web.filters).toEqual([])
  })

  test('a story shows both legs, the evidence and the alerts', async () => {
    const page = await (await createApp().get('/transfers/t42')).text()
    expect(page).toContain(zoneHash)
    expect(page).toContain('No transaction is known.')
    expect(page).toContain('by E9')
    expect(page).toContain('withdrawal-stalled')
    expect(page).toContain(((1n << 255n) + 1n).toString())
  })

  test.each([
    [{ stage: 'claimable', until: now + 3_600_000, isAgain: false }, ['May be claimed', 'expires in 1h']],
    [
      { stage: 'proven', until: now - 60_000, isAgain: false },
      ['Proven', 'which was to be over by', '1m ago'],
    ],
    [{ stage: 'left', until: null, isAgain: true }, ['Not proposed yet', 'it has to be proven again']],
  ])('a story says where a withdrawal stands: %o', async (standing, said) => {
    const story = {
      transfer,
      standing: { since: now - 60_000, ...standing },
      observations: [],
      alerts: [],
      givenBack: [],
    }
    const page = await (await createApp({ stories: [story] }).get('/transfers/t42')).text()
    for (const words of said) expect(page).toContain(words)
  })

  test('a story says what gave a failed deposit back', async () => {
    const givenBack = [{ at: now - 60_000, hash: mainHash, amount: '1490.25' }]
    const story = { transfer, standing: null, observations: [], alerts: [], givenBack }
    const { get } = createApp({ stories: [story] })
    const page = await (await get('/transfers/t42')).text()
    expect(page.replaceAll(/<[^>]*>/g, '')).toContain('Given back 1m ago: 1,490.25 USDC')
    expect(page).toContain(mainHash)
    expect(await (await get('/api/transfers/t42')).json()).toMatchObject({ transfers: [{ givenBack }] })
  })

  test('a hash of several transfers lists them all', async () => {
    const story = { transfer, standing: null, observations: [], alerts: [], givenBack: [] }
    const other = { ...story, transfer: { ...transfer, key: 't43' } }
    const page = await (await createApp({ stories: [story, other] }).get(`/transfers/${zoneHash}`)).text()
    expect(page).toContain('2 transfers')
    expect(page).toContain('href="/transfers/t43"')
  })

  test('an unknown one is not found, as page and as JSON', async () => {
    const { get } = createApp()
    expect((await get('/transfers/t99')).status).toBe(404)
    expect((await get('/api/transfers/t99')).status).toBe(404)
  })
})

describe('API', () => {
  test('amounts are decimal strings', async () => {
    const body = await (await createApp().get('/api/transfers')).json()
    expect(body).toMatchObject({
      transfers: [{ key: 't42', amountRaw: ((1n << 255n) + 1n).toString(), amount: transfer.amount }],
      next: null,
    })
  })

  test('status, one transfer and alerts are told as data', async () => {
    const { get } = createApp({ status: { ...quiet, openAlerts: [stalled] } })
    expect(await (await get('/api/status')).json()).toMatchObject({ verdict: { level: 'attention' }, now })
    expect(await (await get('/api/transfers/t42')).json()).toMatchObject({
      transfers: [{ transfer: { key: 't42' }, alerts: [{ id: 'a1b2c3' }] }],
    })
    expect(await (await get('/api/alerts')).json()).toMatchObject({ alerts: [{ id: 'a1b2c3' }] })
  })

  test.each([
    ['/api/transfers?limit=501', 'limit: expected 1 to 500'],
    ['/api/audit?limit=1001', 'limit: expected 1 to 1000'],
  ])('a bad filter is 400 with the reason: %s', async (path, error) => {
    const response = await createApp().get(path)
    expect([response.status, await response.json()]).toEqual([400, { code: 'usage', error }])
  })

  test('a failure tells the log why and the caller nothing', async () => {
    const { web } = createApp()
    const listTransfers = () => {
      throw new Error('/var/lib/spanwatch/ledger.sqlite is locked')
    }
    const app = createWebApp({ ...web.deps, listTransfers }, local)
    const response = await app.request('http://127.0.0.1/api/transfers')
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: 'spanwatch could not answer this. Its log says why.' },
    ])
    expect(web.logged[0]).toContain('is locked')
  })

  test('metrics are Prometheus text', async () => {
    const response = await createApp().get('/metrics')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
  })
})

describe('health', () => {
  test.each([
    ['/healthz', { lastGoodAt: null }, 'no source has been read yet'],
    ['/readyz', { lastGoodAt: now, evaluatedAt: null }, 'rules have not been evaluated yet'],
    ['/readyz', { lastGoodAt: now, evaluatedAt: now - 61_000 }, 'rules have not been evaluated for 1m 1s'],
  ])('%s is 200 when well and 503 with reasons when not', async (path, health, reason) => {
    expect((await createApp().get(path)).status).toBe(200)
    const response = await createApp({ health: healthOf(health) }).get(path)
    expect([response.status, await response.json()]).toEqual([503, { status: 'failing', reasons: [reason] }])
  })

  test('a health that cannot be told is red', async () => {
    const { web } = createApp()
    const counts = () => {
      throw new Error('gone')
    }
    const health = { ...web.deps.health, evaluate: { counts } }
    const response = await createWebApp({ ...web.deps, health }, local).request('http://127.0.0.1/healthz')
    expect([response.status, await response.json()]).toEqual([
      503,
      { status: 'failing', reasons: ['health could not be determined'] },
    ])
  })
})

describe('headers', () => {
  test.each(['/', '/transfers', '/api/status', '/metrics', '/healthz', '/assets/app.js', '/none', '/events'])(
    '%s carries the strict ones',
    async (path) => {
      const { headers, body } = await createApp().get(path)
      await body?.cancel()
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      })
    },
  )

  test('no page holds a script or style of its own', async () => {
    const page = await (await createApp().get('/')).text()
    expect(page).not.toMatch(/<script>|<style|\sstyle=|\son\w+=/)
  })

  test('a page that does not exist says so, to people and to programs', async () => {
    const { get } = createApp()
    expect(await (await get('/none', asBrowser)).text()).toContain('There is no such page.')
    expect(await (await get('/none')).json()).toEqual({
      code: 'not_found',
      error: 'There is no such page.',
    })
  })

  test('other methods than those of the API find no route', async () => {
    const { get } = createApp()
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      expect(
        (await get('/api/alerts', { method, headers: { 'content-type': 'application/json' } })).status,
      ).toBe(404)
    }
  })
})

describe('host', () => {
  test.each(['/', '/api/status', '/healthz', '/assets/app.js'])(
    '%s refuses the name of another site on loopback',
    async (path) => {
      const response = await createApp().get(path, { headers: { host: 'evil.example:9464' } })
      expect(response.status).toBe(421)
      expect(await response.text()).not.toContain('explorer')
    },
  )

  test.each(['localhost:9464', '127.0.0.1:9464', '[::1]:9464'])('%s is answered', async (host) => {
    expect((await createApp().get('/', { headers: { host } })).status).toBe(200)
  })
})
