import { describe, expect, test } from 'vitest'
import { addCaseLog, listCaseLog, listCaseLogPage } from '../../../src/cases/store/caseRows.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { foldTimeline } from '../../../src/web/pages/caseTimeline.ts'
import { createFakeWeb, failed, now, quiet, stalled, theft } from './support/fakeWeb.ts'

const minute = 60_000
const many = (count: number) => Array.from({ length: count }, (_, index) => index)
const hash = (n: number) => `0x${String(n).padStart(64, '0')}`

/** As a storm leaves it: two hundred joined, one after the other. */
const storm = {
  ...theft,
  members: 1_234,
  findings: many(50).map((n) => ({
    ...stalled,
    id: `f${n}`,
    atRisk: null,
    title: `Withdrawal t${n}, zone ${hash(n)}`,
  })),
  timeline: [
    { at: now - 300 * minute, what: 'opened', by: null, text: `transfer.failed: zone ${hash(0)}` },
    { at: now - 299 * minute, what: 'acknowledged', by: 'ana', text: 'it comes back' },
    ...many(200).map((n) => ({
      at: now - (200 - n) * minute,
      what: 'joined',
      by: null,
      text: `transfer.failed: zone ${hash(n)}`,
    })),
  ],
}

async function read(path: string, given: Parameters<typeof createFakeWeb>[0] = { cases: [storm] }) {
  const web = createFakeWeb(given)
  for (const n of many(120))
    addCaseLog(web.deps.db, { caseId: 42, at: now - n, what: 'joined', by: null, text: `number ${n}` })
  const app = createWebApp(web.deps, { listenHost: '127.0.0.1', token: null })
  const response = await app.request(`http://127.0.0.1${path}`)
  return { status: response.status, page: await response.text() }
}

test('what many findings do is one line of the timeline, newest first, and what people did stays', () => {
  const lines = foldTimeline(storm.timeline.toReversed())
  expect(lines.map(({ what, by, count }) => [what, by, count])).toEqual([
    ['joined', null, 200],
    ['acknowledged', 'ana', 1],
    ['opened', null, 1],
  ])
  expect(lines[0]).toMatchObject({
    at: now - minute,
    since: now - 200 * minute,
    text: `transfer.failed: zone ${hash(199)}`,
  })
  const two = storm.timeline.slice(0, 4)
  expect(foldTimeline(two)).toHaveLength(4)
})

test('the page of a case in a storm is short and light, and leads to all of it', async () => {
  const { page } = await read('/cases/c42')
  expect(page.length).toBeLessThan(30_000)
  expect(page).toContain('The worst 10 of 1234')
  expect(page).toContain('<a href="/cases/c42/findings">Show all</a>')
  expect(page).toContain('<a href="/cases/c42/timeline">Show all</a>')
  expect(page).toContain('Joined by 200 findings')
})

test('findings and timeline are looked through page by page', async () => {
  const findings = (await read('/cases/c42/findings')).page
  expect(findings.match(/<li data-key/g)).toHaveLength(50)
  const first = (await read('/cases/c42/timeline')).page
  expect(first.indexOf('number 119')).toBeLessThan(first.indexOf('number 118'))
  expect(first).toContain('<a class="button" rel="next" href="/cases/c42/timeline?cursor=50">Next</a>')
  const last = (await read('/cases/c42/timeline?cursor=100')).page
  expect(last.match(/<li class="dot/g)).toHaveLength(20)
  expect(last).toContain('href="/cases/c42/timeline?cursor=50">Before</a>')
  expect(last).not.toContain('rel="next"')
  expect((await read('/cases/c42/timeline?cursor=900')).page).toContain('Nothing more is kept.')
  expect((await read('/cases/c42/other')).status).toBe(404)
  expect((await read('/cases/c41/findings')).status).toBe(404)
})

describe('alerts', () => {
  const recentEvents = many(45).map((n) => ({ ...failed, id: `e${n}` }))

  test.each([
    ['/alerts?show=events', 20, 'href="/alerts?show=events&amp;cursor=20">Next<'],
    ['/alerts?show=events&cursor=20', 20, 'href="/alerts?show=events&amp;cursor=40">Next<'],
    ['/alerts?show=events&cursor=40', 5, 'href="/alerts?show=events&amp;cursor=20">Before<'],
  ])('%s shows %i of them, and where the others are', async (path, count, link) => {
    const { page } = await read(path, { status: { ...quiet, recentEvents } })
    expect(page.match(/<li class="alert /g)).toHaveLength(count)
    expect(page).toContain(link)
  })
})

describe('the log of a case', () => {
  test('is read page by page, and a storm takes nothing that people did off it', () => {
    const db = openDatabase(':memory:')
    const add = (what: string, by: string | null) => addCaseLog(db, { caseId: 1, at: 1, what, by, text: '' })
    add('opened', null)
    add('handled', 'ana')
    for (const _ of many(300)) add('joined', null)
    const log = listCaseLog(db, 1, 200)
    expect(log).toHaveLength(202)
    expect(log.slice(0, 2).map(({ what }) => what)).toEqual(['opened', 'handled'])
    expect(listCaseLogPage(db, 1, { limit: 3, offset: 299 }).map(({ what }) => what)).toEqual([
      'joined',
      'handled',
      'opened',
    ])
  })
})
