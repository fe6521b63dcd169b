import { expect, test } from 'vitest'
import { saveOwedJudgement, startOwed } from '../../../src/checks/escrow/owed/owedStore.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { noSum } from '../../../src/report/book.ts'
import { readReportKnowledge } from '../../../src/report/readReportKnowledge.ts'
import { type DayWindow, daysOf, windowOf } from '../../../src/report/reportDay.ts'
import { createReportStore } from '../../../src/report/store.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createReport } from './render/sampleReport.ts'

const hour = 3_600_000
const zone = 'Europe/Berlin'
const usdc = { address: `0x${'cc'.repeat(20)}`, symbol: 'USDC', name: '', decimals: 6 }
const week = windowOf('2026-W44', zone) as DayWindow

const bookOf = (unexplained: string | null) => ({
  token: usdc,
  deposits: noSum,
  withdrawals: noSum,
  net: '0',
  inFlight: noSum,
  failed: noSum,
  unbacked: noSum,
  unexplained,
  escrowChange: '1',
  difference: '1',
})

/** A week, each of whose days said that 1 came in and nobody knows why, as it is read some hours after it ended. */
async function readWeek(days: readonly string[], after: number, zoneOfDays = zone) {
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, { tokens: [usdc], openIntervalMs: 10_000 })
  const now = week.until + after
  startOwed(db, usdc.address, { height: 1, time: week.from - hour }, 0n)
  const judged = { owed: 0n, holdings: 7_000_000n, openOut: 0n, height: 9, at: now }
  saveOwedJudgement(db, usdc.address, judged)
  const store = createReportStore(db)
  for (const day of days) {
    const window = windowOf(day, zoneOfDays) as DayWindow
    const escrow = { token: usdc, opening: '0', change: '1', closing: '1', owed: '0', at: window.until }
    store.queue(createReport({ window, book: [bookOf('1')], escrows: [escrow] }), now)
  }
  const { escrows } = await readReportKnowledge({ db, ledger, tokens: [usdc] }, week, now)
  db.close()
  return escrows?.[0]
}

test('of a week whose movements are forgotten in part, change and what nothing explains are those of its days', async () => {
  const days = daysOf(week)
  expect(await readWeek(days, 8 * hour)).toMatchObject({ change: '7', unexplained: '7' })
  expect(await readWeek(days.slice(1), 8 * hour)).toMatchObject({ change: null, unexplained: null })
  expect(await readWeek(days, 0)).not.toHaveProperty('unexplained')
})

test('days that were reported in another time zone are not those of a week', async () => {
  const joined = await readWeek(daysOf(week), 8 * hour, 'UTC')
  expect(joined).toMatchObject({ change: null, unexplained: null })
})
