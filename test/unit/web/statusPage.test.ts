import { describe, expect, test } from 'vitest'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { toChart } from '../../../src/web/pages/chartCards.ts'
import type { StatusFacts } from '../../../src/web/statusFacts.ts'
import { series } from './support/fakeViews.ts'
import { createFakeWeb, failed, now, quiet, stalled, theft } from './support/fakeWeb.ts'

async function readPage(status: Partial<StatusFacts> = {}) {
  const web = createFakeWeb({ status: { ...quiet, ...status } })
  const app = createWebApp(web.deps, { listenHost: '127.0.0.1', token: null })
  return (await app.request('http://127.0.0.1/')).text()
}

/** The words of one part, as they are read. */
function wordsOf(page: string, id: string): string {
  const [, part = ''] =
    new RegExp(`<div id="${id}" data-live>(.*?)(?=</section>|<div id="coverage")`, 's').exec(page) ?? []
  return part
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(' ,', ',')
    .trim()
}

const critical = { ...theft, counts: 'critical' as const }
const token = { token: `0x${'ab'.repeat(20)}`, symbol: 'USDC', usd: null }

describe('the verdict', () => {
  test('says how many cases there are and what is at risk in all of them, once, and leads to them', async () => {
    const cases = ['56000', '568.25'].map((amount, index) => ({
      ...critical,
      id: `c${index}`,
      title: `Withdrawal number ${index} failed`,
      money: [{ ...token, amount }],
    }))
    const moneyAtRisk = { critical: [{ ...token, amount: '56568.25' }] }
    const page = await readPage({ cases, moneyAtRisk })
    expect(wordsOf(page, 'verdict')).toBe('Critical 2 cases, 56,568 USDC at risk')
    expect(page).toContain('<a href="#cases-title">')
    expect(page.match(/Withdrawal number 0 failed/g)).toHaveLength(1)
  })

  test('says what could not be looked at once for all of it, also beside harm', async () => {
    const [poller = expect.fail()] = quiet.pollers
    const pollers = ['tail', 'sweep', 'open'].map((name) => ({
      ...poller,
      poller: name,
      lastSuccessAt: now - 900_000,
    }))
    expect(wordsOf(await readPage({ pollers }), 'verdict')).toBe(
      'Cannot tell Not everything could be looked at, so this is no all-clear. 3 pollers have not succeeded in time',
    )
    expect(wordsOf(await readPage({ pollers, cases: [critical] }), 'verdict')).toContain(
      'Not everything could be looked at: 3 pollers have not succeeded in time',
    )
  })
})

test('a mail that one recipient refuses does not count as taken, and says who that is', async () => {
  const [, mail = expect.fail()] = quiet.channels
  const refused = ['finance@example.com: mail.example.com: 550 no such user']
  const words = wordsOf(await readPage({ channels: [{ ...mail, lastAckAt: now, refused }] }), 'channels')
  expect(words).toContain('not to all : finance@example.com: mail.example.com: 550 no such user')
  expect(words).not.toContain('take messages')
})

describe('what is equal, empty or much is short', () => {
  test('endpoints and pollers with one problem are one line that names them', async () => {
    const [source = expect.fail()] = quiet.sources
    const [endpoint = expect.fail()] = source.endpoints
    const endpoints = ['E3', 'E5', 'E9'].map((name) => ({
      ...endpoint,
      endpoint: name,
      lastFailureAt: now,
      lastFailure: `${name} at explorer.example.com:443: the service failed (HTTP 500, 50026)`,
    }))
    const page = await readPage({ sources: [{ ...source, endpoints: [...endpoints, endpoint] }] })
    expect(wordsOf(page, 'sources')).toContain(
      '3 endpoints failing : the service failed (HTTP 500, 50026) last good 4s ago E3, E5, E9 Endpoint State Last good E3 failing 4s ago',
    )
  })

  test('an endpoint that failed while all did, and was not asked since, is not said to fail', async () => {
    const [source = expect.fail()] = quiet.sources
    const [endpoint = expect.fail()] = source.endpoints
    const failed = {
      ...endpoint,
      endpoint: 'E2',
      lastGoodAt: null,
      lastFailureAt: now - 60_000,
      lastFailure: 'HTTP 502',
    }
    const words = async (last: object) => {
      const page = await readPage({ sources: [{ ...source, endpoints: [endpoint, { ...failed, ...last }] }] })
      return [wordsOf(page, 'sources'), /1 of 2 fail/.test(page)]
    }
    expect(await words({})).toEqual([
      expect.stringContaining('E2 not asked since it failed : HTTP 502'),
      false,
    ])
    expect(await words({ ownFailures: 1 })).toEqual([expect.stringContaining('E2 failing : HTTP 502'), true])
    expect(await words({ lastFailureAt: now })).toEqual([expect.stringContaining('E2 failing'), true])
  })

  test('three cases stand as cards, four more in a line each, the rest as a number', async () => {
    const cases = Array.from({ length: 30 }, (_, index) => ({ ...critical, id: `c${index + 1}` }))
    const page = await readPage({ cases, caseCounts: [{ state: 'open', severity: 'critical', count: 30 }] })
    expect(page.match(/<li class="alert edge-critical" data-key="c/g)).toHaveLength(3)
    expect(page.match(/<li data-key="c/g)).toHaveLength(4)
    expect(wordsOf(page, 'cases')).toContain('And 23 more. All cases')
  })

  test('an event is a line that leads to it and to its case', async () => {
    const page = await readPage({
      recentEvents: [{ ...failed, case: { id: 'c42', state: 'open' as const } }],
    })
    expect(wordsOf(page, 'events')).toMatch(/A deposit of 12 ETH failed on the zone \S+ ago, c42$/)
    expect(page).toContain(`href="/alerts/${failed.id}"`)
  })

  test('ages in which nothing is in flight are left out', async () => {
    const words = wordsOf(await readPage(), 'inflight')
    expect(words).toContain('10m – 1h')
    expect(words).not.toContain('over 1h')
    const [first = expect.fail()] = quiet.inFlight
    const empty = { ...first, buckets: first.buckets.map((bucket) => ({ ...bucket, count: 0 })) }
    expect(wordsOf(await readPage({ inFlight: [empty] }), 'inflight')).toContain(
      'Deposits main → zone : none in flight',
    )
  })

  test('an escrow says its difference with a sign; what was never judged is one line', async () => {
    const [usdc = expect.fail(), unknown = expect.fail()] = quiet.escrows ?? []
    const words = wordsOf(await readPage({ escrows: [usdc, unknown, unknown] }), 'escrows')
    expect(words).toContain('1,200,000.5 1,199,000.25 +1,000.25')
    expect(words).toMatch(/Not judged yet : 0xcdcd…cdcd, 0xcdcd…cdcd \.$/)
    expect(words.match(/unknown/g)).toBeNull()
    const minted = { ...unknown, isHeld: false }
    expect(wordsOf(await readPage({ escrows: [usdc, minted] }), 'escrows')).toMatch(
      /Held nowhere : 0xcdcd…cdcd \.$/,
    )
  })

  test('what is not watched names the setting that watches it', async () => {
    const page = await readPage({ escrows: null, preconf: null, channels: [] })
    expect(wordsOf(page, 'escrows')).toContain('bridge.escrows')
    expect(wordsOf(page, 'preconf')).toContain('preconf.url')
    expect(wordsOf(page, 'channels')).toContain('channels')
  })
})

describe('charts', () => {
  test('begin with what is known first', () => {
    expect(series.flow).toHaveLength(25)
    expect(toChart('flow', series).categories).toHaveLength(23)
    const flow = series.flow.map((point, index) => (index < 24 ? { ...point, started: null } : point))
    expect(toChart('flow', { ...series, flow }).categories).toHaveLength(6)
    const none = series.flow.map((point) => ({ ...point, started: { MainToZone: 0, ZoneToMain: 0 } }))
    expect(toChart('flow', { ...series, flow: none }).categories).toEqual([])
  })
})

test('an alert that is in a case is named there and not again', async () => {
  const alert = { ...stalled, case: { id: 'c42', state: 'open' as const } }
  const page = await readPage({ openAlerts: [alert], cases: [critical] })
  expect(page).not.toContain('In no case yet')
})
