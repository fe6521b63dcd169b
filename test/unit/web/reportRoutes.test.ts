import { expect, test } from 'vitest'
import { createReportStore } from '../../../src/report/store.ts'
import { createWebApp } from '../../../src/web/createWebApp.ts'
import { createFakeWeb } from './support/fakeWeb.ts'
import { report } from './support/fakeViews.ts'

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
