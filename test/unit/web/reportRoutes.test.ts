import { expect, test } from 'vitest'
import { createReportStore } from '../../../src/report/store.ts'
import { renderReportsPage } from '../../../src/web/pages/reportsPage.ts'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { createFakeWeb } from './support/fakeWeb.ts'
import { report } from './support/fakeViews.ts'

test.each([
  ['after the time of day', null, '2026-03-08T12:00Z', '2026-03-09T07:00'],
  ['before it, on the day that is the first to be reported', null, '2026-03-08T04:00Z', '2026-03-09T07:00'],
  ['the day after the first start, before it', '2026-03-07', '2026-03-09T04:00Z', '2026-03-09T07:00'],
])(
  'where none is kept it is said when the first one is due, and where it goes: %s',
  async (_, lastDay, now, due) => {
    const daily = { cron: '0 8 * * *', timezone: 'Europe/Berlin', channel: 'ops-email' }
    const text = String(await renderReportsPage([], { daily, lastDay }, Date.parse(now)))
    expect(text).toContain(`the first one is due <time class="at" datetime="${due}:00.000Z">`)
    expect(text).toContain('</time> (<code>0 8 * * *</code> in Europe/Berlin) and goes to ops-email')
  },
)

test.each([
  ['week', '2026-W10'],
  ['month', '2026-02'],
] as const)('the report of a %s is found where the list leads', async (period, day) => {
  const { deps } = createFakeWeb()
  const window = { ...report.window, day }
  createReportStore(deps.db, period).queue({ ...report, window }, report.builtAt)
  const app = createWebApp(deps, { listenHost: '127.0.0.1', token: null })
  const ask = (path: string) => app.request(`http://127.0.0.1${path}`)
  expect(await (await ask('/reports')).text()).toContain(`href="/reports/${day}"`)
  for (const path of [`/reports/${day}`, `/reports/${day}/mail`, `/api/reports/${day}`])
    expect([path, (await ask(path)).status]).toEqual([path, 200])
  for (const path of ['/reports/2026-W11', '/reports/x%00y', '/api/reports/none'])
    expect([path, (await ask(path)).status]).toEqual([path, 404])
})
