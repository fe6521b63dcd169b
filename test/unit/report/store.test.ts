import { expect, test } from 'vitest'
import { type DayWindow, windowOf } from '../../../src/report/reportDay.ts'
import { createReportStore } from '../../../src/report/store.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createReport } from './render/sampleReport.ts'

test('the last report of an earlier day is found whatever lies between, and none of a week or month', () => {
  const db = openDatabase(':memory:')
  const queue = (name: string, builtAt: number) => {
    const window = windowOf(name, 'Europe/Berlin') as DayWindow
    createReportStore(db).queue(createReport({ window, builtAt }), builtAt)
  }
  queue('2026-10-20', 20)
  queue('2026-10-22', 22)
  queue('2026-W42', 42)
  queue('2026-09', 9)
  const [days, weeks] = [createReportStore(db), createReportStore(db, 'week')]
  expect(['2026-10-20', '2026-10-22', '2026-10-30'].map((day) => days.readBuiltBefore(day))).toEqual([
    null,
    20,
    22,
  ])
  expect(['2026-W42', '2026-W44'].map((week) => weeks.readBuiltBefore(week))).toEqual([null, 42])
  db.close()
})
