import { expect } from 'vitest'
import { createSilentLog } from '../../src/lib/log.ts'
import { kinds } from '../../src/checks/index.ts'
import { buildDailyReport } from '../../src/report/buildDailyReport.ts'
import { readReportKnowledge } from '../../src/report/readReportKnowledge.ts'
import { dayOf, shiftDay, windowOf } from '../../src/report/reportDay.ts'
import { createReportStore } from '../../src/report/store.ts'
import { apiRoutes } from '../../src/web/api/routes.ts'
import { createWebApp } from '../../src/web/createWebApp.ts'
import { createWebDeps } from '../../src/web/views/createWebDeps.ts'
import { checkByDocument } from './apiDocument.ts'
import { runLeaping } from './leapingScenario.ts'
import type { ScenarioRun } from './runScenario.ts'

const { problemsOf } = checkByDocument()

type Json = Readonly<Record<string, unknown>>

/** A scenario that has run for so long, with the API beside it. Every answer is held against the document. */
export async function playBesideApi(scenario: string, worldMs: number) {
  const run = await runLeaping({ scenario })
  await run.pass(worldMs)
  const { parts } = run.app
  await keepReports(parts)
  const app = createWebApp(createWebDeps({ clock: parts.clock, log: createSilentLog() }, parts), {
    listenHost: '127.0.0.1',
    token: null,
  })
  const held: string[] = []
  const ask = async (method: 'get' | 'post', path: string, body?: object): Promise<Json> => {
    const response = await app.request(`http://127.0.0.1${path}`, {
      method: method.toUpperCase(),
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const answer = (await response.json()) as Json
    const problems = problemsOf({ method, path, status: response.status }, answer)
    expect({ path, problems: problems.slice(0, 5) }).toEqual({ path, problems: [] })
    expect([path, response.status, response.status === 200 ? '' : answer]).toEqual([path, 200, ''])
    held.push(path)
    return answer
  }
  return {
    run,
    held,
    get: (path: string) => ask('get', path),
    post: (path: string, body: object) => ask('post', path, body),
  }
}

/** Reports of yesterday, today and this week, so that there are some. */
async function keepReports({ clock, db, ledger, config }: ScenarioRun['app']['parts']) {
  const store = createReportStore(db)
  const now = clock.now()
  const today = dayOf(now, 'UTC')
  for (const day of [shiftDay(today, -1), today, dayOf(now, 'UTC', 'week')]) {
    const window = windowOf(day, 'UTC') ?? expect.fail(day)
    const knows = await readReportKnowledge({ db, ledger, tokens: config.bridge.tokens }, window, now)
    const before = store.find(shiftDay(day, -1))
    store.queue(await buildDailyReport({ db, ledger, kinds, before, knows }, window, now), now)
  }
}

type Played = Awaited<ReturnType<typeof playBesideApi>>

const listOf = (answer: Json, name: string) => answer[name] as readonly Json[]

/** Every list, and everything that the lists name. */
export async function readAll({ get }: Played) {
  for (const { path } of apiRoutes) if (!path.includes(':')) await get(path)
  for (const query of ['?state=dead', '?state=sent']) await get(`/api/outbox${query}`)
  for (const query of ['?state=open', '?nature=event', '?q=0x']) await get(`/api/alerts${query}`)
  const transfers = listOf(await get('/api/transfers?limit=500'), 'transfers')
  const alerts = listOf(await get('/api/alerts'), 'alerts')
  const cases = listOf(await get('/api/cases?state=all'), 'cases')
  const breaks = await get('/api/breaks?state=all&limit=500')
  for (const { key } of transfers.slice(0, 60)) await get(`/api/transfers/${String(key)}`)
  for (const { id } of alerts.slice(0, 60)) await get(`/api/alerts/${String(id)}`)
  for (const { id } of cases.slice(0, 30)) await get(`/api/cases/${String(id)}`)
  const escrows = listOf(await get('/api/escrows'), 'escrows')
  for (const { token } of escrows)
    await get(`/api/escrows/${(token as { readonly address: string }).address || 'native'}?period=hour`)
  for (const { day } of listOf(await get('/api/reports'), 'reports')) await get(`/api/reports/${String(day)}`)
  return { transfers, alerts, cases, breaks: listOf(breaks, 'breaks') }
}
