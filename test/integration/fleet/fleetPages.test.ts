import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/lib/secret.ts'
import type { Query } from '../../../src/replicas/connect.ts'
import { bridgeHash, otherHash } from '../../support/fillFleet.ts'
import { openFleet } from '../../support/openFleet.ts'
import { postgresBin, type Postgres, startPostgres } from '../../support/startPostgres.ts'

if (postgresBin === null) console.warn('skipped: the page over all bridges, PostgreSQL is missing')

describe.skipIf(postgresBin === null)('the page over all bridges', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  const json = async (answer: Response | Promise<Response>) => (await (await answer).json()) as never
  const post = (body: object) => ({
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

  test('names verdict, holder and coverage of each, the worst first, and escapes what others wrote', async () => {
    const { app } = await openFleet(postgres)
    const answer = await app.request('/')
    const page = await answer.text()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page).toContain('2 of 4 bridges are watched.')
    expect(page).toContain('nobody watches it: ams-1 was the last')
    expect(page).toContain('ams-2 has said nothing of it for 1m')
    expect(page).toContain('1,250,000.50')
    expect(page).toContain('1 of 2')
    expect(page).toContain('https://usdc-zone.example.com/cases/c7')
    expect(page.indexOf('>gone-zone<')).toBeLessThan(page.indexOf('>eth-zone<'))
    expect(page).toContain('&lt;img')
    expect(page).not.toMatch(/<img|\u202e/)
  })

  test('the API says the same', async () => {
    const { app } = await openFleet(postgres)
    const {
      bridges,
    }: { bridges: { bridge: string; level: string; isHeld: boolean; problem: string | null }[] } = await json(
      app.request('/api/bridges'),
    )
    expect(bridges.map(({ bridge, level }) => [bridge, level])).toEqual([
      ['eth-zone', 'fine'],
      ['gone-zone', 'critical'],
      ['mute-zone', 'critical'],
      ['usdc-zone', 'critical'],
    ])
    expect(bridges.find(({ bridge }) => bridge === 'gone-zone')).toMatchObject({ isHeld: false })
    const { cases }: { cases: { id: number; atRiskUsd: string | null }[] } = await json(
      app.request('/api/cases'),
    )
    expect(cases.map(({ id, atRiskUsd }) => [id, atRiskUsd])).toEqual([
      [7, '1250000.5'],
      [9, null],
    ])
  })

  test.each([
    [bridgeHash, { transfers: ['usdc-zone t42', 'eth-zone t42'], cases: [7], alerts: ['98190fb6'] }],
    [otherHash.toUpperCase().replace('0X', '0x'), { transfers: ['eth-zone t42'], cases: [], alerts: [] }],
    ['t42', { transfers: ['usdc-zone t42', 'eth-zone t42'], cases: [7], alerts: ['98190fb6'] }],
    ['c2', { transfers: [], cases: [2], alerts: [] }],
    ['98190FB6', { transfers: [], cases: [7], alerts: ['98190fb6'] }],
    [`0x${'0'.repeat(64)}`, { transfers: [], cases: [], alerts: [] }],
  ])('a search for %s finds it in all bridges', async (term, expected) => {
    const { app } = await openFleet(postgres)
    const found: {
      transfers: { bridge: string; key: number }[]
      cases: { id: number }[]
      alerts: { id: string }[]
    } = await json(app.request(`/api/search?q=${encodeURIComponent(term)}`))
    expect({
      transfers: found.transfers.map(({ bridge, key }) => `${bridge} t${key}`),
      cases: found.cases.map(({ id }) => id),
      alerts: found.alerts.map(({ id }) => id),
    }).toEqual(expected)
    expect((await app.request(`/search?q=${encodeURIComponent(term)}`)).status).toBe(200)
  })

  test('what names nothing is refused and said', async () => {
    const { app } = await openFleet(postgres)
    const answer = await app.request('/search?q=%3Cb%3Ehello')
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('&lt;b&gt;hello')
  })

  /** Answers what is asked, as a holder does. */
  async function answerNext(query: Query, answer: object): Promise<Record<string, unknown>> {
    for (;;) {
      const [row] = await query<{ id: string } & Record<string, unknown>>(
        'SELECT * FROM spanwatch.requests WHERE answered_at IS NULL',
      )
      if (row !== undefined) {
        await query(
          'UPDATE spanwatch.requests SET answered_at = clock_timestamp(), answer = $2::jsonb WHERE id = $1',
          [row.id, JSON.stringify(answer)],
        )
        return row
      }
    }
  }

  test('an acknowledgement goes to the holder, whose answer is given', async () => {
    const { app, query } = await openFleet(postgres)
    const answer = app.request('/api/bridges/usdc-zone/cases/c7/ack', post({ by: 'ana', turn: 2 }))
    const asked = await answerNext(query, { ok: true, id: 'c7' })
    expect(asked).toMatchObject({
      bridge: 'usdc-zone',
      what: 'ack',
      body: { id: 'c7', turn: 2 },
      actor: { by: 'ana', from: { via: 'api' } },
      from_node: null,
    })
    expect(await json(answer)).toEqual({ ok: true, id: 'c7' })
  })

  test('so does a silence, and what the holder has against it is said', async () => {
    const { app, query } = await openFleet(postgres)
    const body = { matchers: ['rule=x'], endsAt: 1_900_000_000_000, author: 'ana', comment: 'why' }
    const answer = app.request('/api/bridges/usdc-zone/silences', post(body))
    expect(await answerNext(query, { ok: false, error: 'no rule x' })).toMatchObject({
      what: 'silence',
      body,
    })
    const refused = await answer
    expect(refused.status).toBe(400)
    expect(await json(refused)).toEqual({ code: 'usage', error: 'no rule x' })
  })

  test.each([
    ['/api/bridges/none/cases/c7/ack', { by: 'ana' }, 404],
    ['/api/bridges/usdc-zone/cases/x/ack', { by: 'ana' }, 404],
    ['/api/bridges/usdc-zone/cases/c7/ack', { by: 'ana', more: 1 }, 400],
    ['/api/bridges/usdc-zone/silences', { matchers: ['rule=x'], author: 'ana', comment: '' }, 400],
  ])('%s with %j is refused, and nothing is asked', async (path, body, status) => {
    const { app, query } = await openFleet(postgres)
    expect((await app.request(path, post(body))).status).toBe(status)
    expect(await query('SELECT 1 FROM spanwatch.requests')).toEqual([])
  })

  test('nothing changes for a page of another site, or without the right token', async () => {
    const token = new Secret('a'.repeat(32))
    const readToken = new Secret('b'.repeat(32))
    const { app, query } = await openFleet(postgres, { token, readToken })
    const path = '/api/bridges/usdc-zone/cases/c7/ack'
    const given = post({ by: 'ana' })
    const withToken = (secret: Secret, more = {}) => ({
      ...given,
      headers: { ...given.headers, authorization: `Bearer ${secret.reveal()}`, ...more },
    })
    expect((await app.request('/')).status).toBe(401)
    expect((await app.request(path, given)).status).toBe(401)
    expect((await app.request(path, withToken(readToken))).status).toBe(403)
    expect((await app.request(path, withToken(token, { 'sec-fetch-site': 'cross-site' }))).status).toBe(403)
    const form = await app.request('/bridges/usdc-zone/cases/c7/ack', {
      method: 'POST',
      body: 'by=ana',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Bearer ${token.reveal()}`,
      },
    })
    expect(form.status).toBe(403)
    expect(await query('SELECT 1 FROM spanwatch.requests')).toEqual([])
    expect((await app.request('/healthz')).status).toBe(200)
  })

  test('without a token it answers to this machine’s names alone, and listens nowhere else', async () => {
    const { app } = await openFleet(postgres)
    expect((await app.request('/', { headers: { host: 'evil.example' } })).status).toBe(421)
    await expect(openFleet(postgres, { listenHost: '0.0.0.0' })).rejects.toThrow('set http.token')
  })

  test('while PostgreSQL does not answer it says that it can say nothing', async () => {
    const { app, query } = await openFleet(postgres)
    await query('ALTER TABLE spanwatch.coverage RENAME TO other')
    await query('DROP VIEW spanwatch.coverage_now')
    const answer = await app.request('/')
    expect(answer.status).toBe(503)
    expect(await answer.text()).toContain('Cannot tell')
  })
})
