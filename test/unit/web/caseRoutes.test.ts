import { describe, expect, test } from 'vitest'
import { Secret } from '../../../src/lib/secret.ts'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { createFakeWeb, now, quiet, stalled, theft } from './support/fakeWeb.ts'

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
  return { web, app, get, post, submit }
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
  ['state=ended', 'state: expected one of open, acknowledged, handled, closed, all, live'],
  ['limit=501', 'limit: expected 1 to 500'],
  ['stat=all', 'there is no parameter stat, did you mean `state`?'],
  ['whatever=1', 'there is no parameter whatever; there are state, limit'],
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

test('one press in the list acknowledges the case as it is shown there', async () => {
  const { app, submit } = createApp()
  const signed = await submit('/cases/c42/note', { by: 'ana', text: 'asked' })
  const cookie = signed.headers.getSetCookie().map((one) => one.split(';')[0])
  const headers = { host, accept: 'text/html', cookie: cookie.join('; ') }
  const page = await (await app.request(`http://${host}/cases`, { headers })).text()
  const [, form = ''] = /action="\/cases\/c42\/ack">(.*?)<\/form>/.exec(page) ?? []
  expect(form).toContain(`name="turn" value="${theft.turn}"`)
})

describe('the page of a case', () => {
  const hostile = '<script>alert(1)</script>\u202e" onload="x'

  test('has the title and the money first, then what to do, then the buttons', async () => {
    const page = await (await createApp().get('/cases/c42')).text()
    const places = [
      '<h1 id="case-title">Withdrawal of 9,750,000.5 USDC',
      '9,750,000.5 USDC</dd>',
      '9,750,000.50 USD</dd>',
      'Stop the operator, then see who signed it',
      'href="https://runbooks.example.com/unbacked"',
      'action="/cases/c42/ack"',
      `name="turn" value="${theft.turn}"`,
      'href="/silences/new?alert=a1b2c3"',
      'action="/cases/c42/handle"',
      'action="/cases/c42/assign"',
      'action="/cases/c42/note"',
      'The worst 1 of 3.',
      'called the operator',
      'ops-slack <span',
      'Unless somebody takes it: pager',
    ].map((text) => page.indexOf(text))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places[0]).toBeGreaterThan(0)
  })

  test.each([
    ['acknowledged', ['handle', 'reopen', 'assign', 'note']],
    ['handled', ['reopen', 'assign', 'note']],
    ['closed', ['reopen', 'assign', 'note'].slice(1)],
  ] as const)('of one that is %s offers what can be done', async (state, verbs) => {
    const { get, web } = createApp()
    web.cases = [{ ...theft, state, by: 'ana', byAt: now, reason: 'refunded', comesBack: 'it comes back' }]
    const page = await (await get('/cases/c42')).text()
    const offered = [...page.matchAll(/action="\/cases\/c42\/(\w+)"/g)].map(([, verb]) => verb)
    expect(offered).toEqual(verbs)
    expect(page).toContain('It comes back.')
  })

  test('says what was refused, with what was typed', async () => {
    const { submit, web } = createApp()
    const response = await submit('/cases/c42/handle', { by: 'ana', text: 'refuse <me>' })
    const page = await response.text()
    expect([response.status, web.operated]).toEqual([400, ['handle c42 refuse <me>']])
    expect(page).toContain('role="alert">expected a better reason</p>')
    expect(page).toContain('value="refuse &lt;me&gt;"')
  })

  test('asks for a name where nobody is known, and where it is somebody else', async () => {
    const { app } = createApp()
    const cookie = 'spanwatch_by=ana'
    const read = async (path: string) =>
      (await app.request(`http://${host}${path}`, { headers: { host, cookie } })).text()
    expect(await read('/cases/c42')).not.toContain('Your name')
    expect(await read('/cases/c42?as=other')).toContain('Your name')
  })

  test('leads to the one that it goes on as', async () => {
    const response = await createApp().get('/cases/c43')
    expect([response.status, response.headers.get('location')]).toEqual([303, '/cases/c42'])
  })

  test('escapes what comes from a chain, and from people', async () => {
    const { get, web } = createApp()
    const [finding] = theft.findings
    if (!finding) throw new Error('the theft has a finding')
    const money = [{ token: hostile, symbol: hostile, amount: hostile, usd: hostile }]
    web.cases = [
      {
        ...theft,
        state: 'handled',
        title: hostile,
        by: hostile,
        reason: hostile,
        assignee: hostile,
        remedy: hostile,
        runbook: 'javascript:alert(1)',
        transferKey: hostile,
        money,
        comesBack: 'it comes back',
        timeline: [{ at: now, what: hostile, by: hostile, text: hostile }],
        told: [{ channel: hostile, at: now }],
        escalations: [{ dueAt: now, route: hostile, channels: [hostile] }],
        findings: [{ ...finding, title: hostile, summary: hostile, rule: hostile, atRisk: money[0]! }],
      },
    ]
    for (const path of ['/cases/c42', '/cases?state=handled']) {
      const page = await (await get(path)).text()
      for (const bad of ['<script>alert', ' onload="', 'javascript:', '\u202e'])
        expect(page).not.toContain(bad)
    }
  })
})

test('an alert is found by its id, as messages say it and without its sign', async () => {
  const { get, web } = createApp()
  web.status = { ...quiet, openAlerts: [{ ...stalled, id: '612cb0aa' }] }
  for (const typed of ['%23612cb0aa', '612cb0aa', 'alert %23612cb0aa', 'http://a.example/alerts/612cb0aa'])
    expect((await get(`/search?q=${typed}`)).headers.get('location')).toBe('/alerts/612cb0aa')
  expect((await get('/search?q=612cb0')).headers.get('location')).not.toContain('/alerts/')
})

test('cases are listed by tab, and lead from the alert, the search and the reasons', async () => {
  const { get, web } = createApp()
  const all = await (await get('/cases')).text()
  expect(all).toContain('9,750,000.5 USDC (9,750,000.50 USD at the price of the configuration)')
  expect(await (await get('/cases?state=handled')).text()).toContain('No case is handled')
  for (const typed of ['c42', 'C42', '%23c42', 'case c42', 'https://a.example/spanwatch/cases/c42'])
    expect((await get(`/search?q=${typed}`)).headers.get('location')).toBe('/cases/c42')
  const alert = { ...stalled, case: { id: 'c42', state: 'open' as const } }
  web.status = {
    ...quiet,
    openAlerts: [alert],
    cases: [{ ...theft, counts: 'critical' }],
    moneyAtRisk: { critical: theft.money },
  }
  const status = await (await get('/')).text()
  expect(status).toContain('<a href="#cases-title">1 case, 9,750,000 USDC at risk</a>')
  expect(status).toContain('href="/cases/c42">Withdrawal of 9,750,000.5 USDC without an origin</a>')
  // Named in its case, and not once more beside it.
  expect([...status.matchAll(/href="\/alerts\/a1b2c3"/g)]).toHaveLength(1)
  expect(await (await get('/alerts')).text()).toContain('<a href="/cases/c42">Case c42</a>')
})

test('whoever may only look sees cases, and no form of them', async () => {
  const web = createFakeWeb({
    status: { ...quiet, cases: [{ ...theft, counts: 'critical' }], moneyAtRisk: { critical: theft.money } },
  })
  const tokens = { token: new Secret('may-act-may-act-1'), readToken: new Secret('may-see-may-see-1') }
  const app = createWebApp(web.deps, { listenHost: '127.0.0.1', ...tokens })
  for (const path of ['/', '/cases', '/cases/c42']) {
    const headers = { host, authorization: `Bearer ${tokens.readToken.reveal()}` }
    const page = await (await app.request(`http://${host}${path}`, { headers })).text()
    expect(page).toContain('9,750,000.5 USDC')
    expect(page).not.toContain('<form method="post"')
    expect(page).not.toContain('Acknowledge')
    expect(page).not.toContain('/silences/new')
  }
})
