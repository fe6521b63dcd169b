/**
 * Reports a month of 300,000 transfers day by day, over two days on which the clocks change: `npm run bench:report`.
 * Prints whether every identity holds, whether the days add up to the month, and how long a report takes: of a day, and of
 * all of them, with how long it holds the loop at most.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { kinds } from '../src/checks/index.ts'
import { buildDailyReport } from '../src/report/buildDailyReport.ts'
import type { DailyReport, ReportFlow } from '../src/report/dailyReport.ts'
import type { Observation } from '../src/bridge/observation.ts'
import { type DayWindow, shiftDay, windowOf } from '../src/report/reportDay.ts'
import { mixUnit } from '../src/sandbox/random.ts'
import { openDatabase } from '../src/store/database.ts'
import { createLedger } from '../src/ledger/ledger.ts'
import { toRecord } from '../test/support/records.ts'
import { note } from './support/figures.ts'
import { watchLoop } from './support/loopDelay.ts'

const zone = 'Africa/Casablanca'
// The clocks change on 15 February and on 22 March 2026.
const days = Array.from(
  { length: 36 },
  (_, index) => windowOf(shiftDay('2026-02-15', index), zone) as DayWindow,
)
const month = { ...(days[0] as DayWindow), day: 'month', until: (days.at(-1) as DayWindow).until }
const transfers = 300_000
const pageSize = 100

function createRecord(index: number): Observation {
  const draw = (what: number) => mixUnit(index, what)
  const isDeposit = draw(1) < 0.5
  const leftAt =
    month.from - 86_400_000 + Math.floor((index / transfers) * (month.until - month.from + 86_400_000))
  const arrivedAt = draw(2) < 0.002 ? null : leftAt + Math.floor(draw(3) ** 4 * 86_400_000)
  const main = isDeposit ? leftAt : arrivedAt
  const zoneAt = isDeposit ? arrivedAt : leftAt
  const hash = (side: string) => `0x${createHash('sha256').update(`${side} ${index}`).digest('hex')}`
  return toRecord({
    requestedAt: leftAt + 2_000,
    id: hash('1'),
    direction: isDeposit ? 'MainToZone' : 'ZoneToMain',
    crossType: isDeposit ? 'Deposit' : 'Withdraw',
    status: arrivedAt === null ? 'unknown' : draw(4) < 0.001 ? 'failed' : 'success',
    mainHash: main === null ? null : hash('2'),
    mainHeight: main === null ? null : index,
    mainTime: main,
    zoneHash: zoneAt === null ? null : hash('3'),
    zoneHeight: zoneAt === null ? null : index,
    zoneTime: zoneAt,
    value: null,
    amountRaw: BigInt(Math.floor(draw(5) * 1e15)),
    token: `0x${(index % 5).toString().repeat(40)}`,
    tokenName: 'Token',
  })
}

const keyOf = ({ token, direction }: ReportFlow) => `${token.address} ${direction}`

/** How many days' openings are not the closing before, and how many sums of days are not the month's. */
function check(reports: readonly DailyReport[], whole: DailyReport) {
  let broken = 0
  for (const [index, { flows }] of reports.entries()) {
    const before = new Map((reports[index - 1]?.flows ?? []).map((flow) => [keyOf(flow), flow.closing]))
    for (const flow of flows) {
      const { opening, started, completed, failed, closing } = flow
      const raw =
        BigInt(opening.raw) +
        BigInt(started.raw) -
        BigInt(completed.raw) -
        BigInt(failed.raw) -
        BigInt(closing.raw)
      if (raw !== 0n || opening.count + started.count - completed.count - failed.count !== closing.count)
        broken += 1
      const last = before.get(keyOf(flow))
      if (index > 0 && (last?.raw ?? '0') !== opening.raw) broken += 1
    }
  }
  for (const flow of whole.flows) {
    for (const part of ['started', 'completed', 'failed'] as const) {
      const sum = reports.flatMap(({ flows }) => flows.filter((day) => keyOf(day) === keyOf(flow)))
      const raw = sum.reduce((total, day) => total + BigInt(day[part].raw), 0n)
      if (raw.toString() !== flow[part].raw) broken += 1
    }
  }
  return broken
}

const folder = mkdtempSync(join(tmpdir(), 'spanwatch-bench-'))
try {
  const db = openDatabase(join(folder, 'ledger.sqlite'))
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  for (let start = 0; start < transfers; start += pageSize) {
    const page = Array.from({ length: pageSize }, (_, index) => createRecord(start + index))
    db.transaction(() => ledger.recordAnswer(page, page.at(-1)?.requestedAt ?? 0))
  }
  const build = (window: DayWindow) =>
    buildDailyReport({ db, ledger, kinds, before: null, knows: {} }, window, month.until)
  const times: number[] = []
  const reports: DailyReport[] = []
  for (const day of days) {
    const begun = performance.now()
    reports.push(await build(day))
    times.push(performance.now() - begun)
  }
  const hours = reports.map(({ hours }) => hours.length)
  const loop = watchLoop()
  const begun = performance.now()
  const spent = process.threadCpuUsage()
  const whole = await build(month)
  const { user, system } = process.threadCpuUsage(spent)
  const tookMs = performance.now() - begun
  await setImmediate()
  loop.stop()
  const broken = check(reports, whole)
  times.sort((a, b) => a - b)
  console.log(`transfers              ${ledger.countByState().completed} completed of ${transfers}`)
  console.log(`days of 23 or 25 hours ${hours.filter((count) => count !== 24).join(', ')}`)
  console.log(`broken identities      ${broken}`)
  console.log(
    `a report takes         median ${times[18]?.toFixed(0)} ms, longest ${times.at(-1)?.toFixed(0)} ms`,
  )
  note({ name: `a report of ${transfers} transfers`, value: tookMs, unit: 'ms', target: { atMost: 3_000 } })
  note({ name: 'the same, CPU time', value: (user + system) / 1_000, unit: 'ms' })
  note({
    name: 'the loop held by that report, at most',
    value: loop.read().most,
    unit: 'ms',
    target: { atMost: 20 },
  })
  db.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
