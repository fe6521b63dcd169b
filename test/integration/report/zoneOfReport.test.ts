import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { DailyReport } from '../../../src/report/dailyReport.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { ledgerPath } from '../../../src/store/state.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'
import { runCommand } from '../../unit/cli/testIo.ts'
import { createLoopbackConfig } from '../cli/serveBlocks.ts'

/** The window of a report by the command, where these are sent. */
async function windowOf(date: string, reports: string) {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-zone-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'spanwatch.yaml')
  writeFileSync(
    config,
    `${createLoopbackConfig('http://127.0.0.1:9')}reports: { ${reports} }\nchannels: { console: { type: console } }\n`,
  )
  mkdirSync(join(folder, 'state'))
  openDatabase(ledgerPath(join(folder, 'state'))).close()
  // Monday in Tokyo, Sunday elsewhere; the month is over in neither.
  const clock = createSteppedClock({ start: Date.parse('2026-03-08T20:00:00Z') })
  const { out } = await runCommand(['report', '--date', date, '--json', '-c', config], { clock })
  const { day, zone, from } = (JSON.parse(out) as DailyReport).window
  return `${day} ${zone} ${new Date(from).toISOString()}`
}

const daily = 'daily: { channel: console, timezone: America/New_York }'
const weekly = 'weekly: { channel: console, timezone: Asia/Tokyo }'
const monthly = 'monthly: { channel: console, timezone: Europe/Berlin }'

test.each([
  ['yesterday', [daily, weekly, monthly], '2026-03-07 America/New_York 2026-03-07T05:00:00.000Z'],
  ['today', [daily, weekly, monthly], '2026-03-08 America/New_York 2026-03-08T05:00:00.000Z'],
  ['last-week', [daily, weekly, monthly], '2026-W10 Asia/Tokyo 2026-03-01T15:00:00.000Z'],
  ['2026-02', [daily, weekly, monthly], '2026-02 Europe/Berlin 2026-01-31T23:00:00.000Z'],
  // What is sent of no such span is counted as days are.
  ['last-week', [daily, monthly], '2026-W09 America/New_York 2026-02-23T05:00:00.000Z'],
  ['2026-03-07', [weekly], '2026-03-07 UTC 2026-03-07T00:00:00.000Z'],
])('report --date %s with %j is of the zone in which it is sent: %s', async (date, reports, expected) => {
  expect(await windowOf(date, reports.join(', '))).toBe(expected)
})
