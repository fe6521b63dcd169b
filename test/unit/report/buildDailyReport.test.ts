import { expect, test } from 'vitest'
import { kinds } from '../../../src/checks/index.ts'
import { buildDailyReport, type ReportSources } from '../../../src/report/buildDailyReport.ts'
import type { DailyReport } from '../../../src/report/dailyReport.ts'
import type { Observation } from '../../../src/bridge/observation.ts'
import { type DayWindow, shiftDay, windowOf } from '../../../src/report/reportDay.ts'
import { mixUnit } from '../../../src/sandbox/random.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { hash, toRecord } from '../../support/records.ts'

const zone = 'Europe/Berlin'
const first = '2026-10-24'
const days = [0, 1, 2].map((shift) => windowOf(shiftDay(first, shift), zone) as DayWindow)
const hour = 3_600_000
const usdc = { address: '0xcc', symbol: 'USDC', decimals: 6 }

interface Plan {
  readonly direction: 'MainToZone' | 'ZoneToMain'
  readonly raw: bigint
  readonly leftAt: number
  readonly arrivedAt: number | null
  readonly isFailed: boolean
}

/** Transfers spread over the days and a little beyond; a tenth never arrives, some fail. */
function planTransfers(count: number): Plan[] {
  const from = (days[0] as DayWindow).from - 20 * hour
  return Array.from({ length: count }, (_, index) => {
    const draw = (what: number) => mixUnit(index, what)
    const leftAt = Math.floor(from + draw(1) * 110 * hour)
    return {
      direction: draw(2) < 0.5 ? 'MainToZone' : 'ZoneToMain',
      raw: BigInt(Math.floor(draw(3) * 1e12)),
      leftAt,
      arrivedAt: draw(4) < 0.1 ? null : Math.floor(leftAt + draw(5) * 30 * hour),
      isFailed: draw(6) < 0.1,
    }
  })
}

function toObservation(plan: Plan, index: number): Observation {
  const isDeposit = plan.direction === 'MainToZone'
  const nameOf = (chain: string) => `0x${chain}${index}`
  const legs = {
    mainHash: isDeposit || plan.arrivedAt !== null ? nameOf('a') : null,
    mainTime: isDeposit ? plan.leftAt : plan.arrivedAt,
    zoneHash: !isDeposit || plan.arrivedAt !== null ? nameOf('b') : null,
    zoneTime: isDeposit ? plan.arrivedAt : plan.leftAt,
  }
  return toRecord({
    ...legs,
    id: `0xid${index}`,
    direction: plan.direction,
    amountRaw: plan.raw,
    value: null,
    status: plan.arrivedAt === null ? 'unknown' : plan.isFailed ? 'failed' : 'success',
    requestedAt: Date.parse('2026-11-01'),
  })
}

async function report(
  plans: readonly Plan[],
  build: (report: (day: DayWindow, before?: DailyReport) => Promise<DailyReport>) => Promise<void>,
  knows: ReportSources['knows'] = {},
) {
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, {
    tokens: [usdc],
    openIntervalMs: 10_000,
  })
  const now = Date.parse('2026-11-01')
  db.transaction(() => {
    for (const [index, plan] of plans.entries()) ledger.recordAnswer([toObservation(plan, index)], now)
  })
  await build((day, before) =>
    buildDailyReport({ db, ledger, kinds, before: before ?? null, knows }, day, now),
  )
  db.close()
}

test('F68: days with a DST change add up, line by line, to an independent count', async () => {
  const plans = planTransfers(600)
  await report(plans, async (reportOf) => {
    const reports = await Promise.all(days.map((day) => reportOf(day)))
    for (const [index, { flows, window }] of reports.entries()) {
      for (const direction of ['MainToZone', 'ZoneToMain'] as const) {
        const flow = flows.find((each) => each.direction === direction)
        const mine = plans.filter((plan) => plan.direction === direction)
        const sum = (of: readonly Plan[]) => ({
          count: of.length,
          raw: of.reduce((total, { raw }) => total + raw, 0n).toString(),
        })
        const within = (at: number | null) => at !== null && at >= window.from && at < window.until
        const open = (at: number) => (plan: Plan) =>
          plan.leftAt < at && (plan.arrivedAt === null || plan.arrivedAt >= at)
        expect(flow).toMatchObject({
          opening: sum(mine.filter(open(window.from))),
          started: sum(mine.filter(({ leftAt }) => within(leftAt))),
          completed: sum(mine.filter(({ arrivedAt, isFailed }) => within(arrivedAt) && !isFailed)),
          failed: sum(mine.filter(({ arrivedAt, isFailed }) => within(arrivedAt) && isFailed)),
          closing: sum(mine.filter(open(window.until))),
        })
        const next = reports[index + 1]?.flows.find((each) => each.direction === direction)
        if (next) expect(next.opening).toEqual(flow?.closing)
      }
    }
    expect(reports.map(({ hours }) => hours.length)).toEqual([24, 25, 24])
    const begun = reports[1]?.hours.reduce(
      (sum, { deposits, withdrawals }) => sum + deposits + withdrawals,
      0,
    )
    expect(begun).toBe(reports[1]?.flows.reduce((sum, { started }) => sum + started.count, 0))
  })
})

test('a deposit that failed stands in the book as locked where its own transaction is known to have succeeded, and nowhere where that failed', async () => {
  const [day] = days as [DayWindow]
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, { tokens: [usdc], openIntervalMs: 10_000 })
  const now = Date.parse('2026-11-01')
  const locked = { refused: 'success', reverted: 'failed', silent: null } as const
  for (const [name, status] of Object.entries(locked)) {
    const leg = { chain: 'main', hash: hash(name), source: 'E13', errorMessage: '', moves: null } as const
    const failure = {
      id: hash(`id ${name}`),
      source: 'E12',
      direction: 'MainToZone',
      status: 'failed',
      mainHash: hash(name),
      mainTime: day.from + hour,
      zoneHash: null,
      zoneTime: null,
      zoneHeight: null,
      requestedAt: now,
    } as const
    db.transaction(() => {
      ledger.recordAnswer([toRecord(failure)], now)
      if (status !== null) ledger.recordEvidence([{ ...leg, status, requestedAt: now + 1 }], now + 1)
    })
  }
  const { book } = await buildDailyReport({ db, ledger, kinds, before: null, knows: {} }, day, now)
  db.close()
  expect(book).toMatchObject([{ deposits: { count: 1, amount: '1.5' }, failed: { count: 2 } }])
})

test('what came late is said beside what was reported', async () => {
  const [day, next] = days as [DayWindow, DayWindow]
  const early: Plan = {
    direction: 'ZoneToMain',
    raw: 5_000_000n,
    leftAt: day.from + hour,
    arrivedAt: null,
    isFailed: false,
  }
  let before: DailyReport | undefined
  await report([early], async (reportOf) => void (before = await reportOf(day)))
  await report([early, { ...early, raw: 2_000_000n }], async (reportOf) => {
    const { restated } = await reportOf(next, before)
    expect(restated).toMatchObject([
      { direction: 'ZoneToMain', reported: { count: 1, amount: '5' }, known: { count: 2, amount: '7' } },
    ])
  })
  await report([early], async (reportOf) => expect((await reportOf(next, before)).restated).toEqual([]))
})

test('a day before that was reported in another time zone is compared with nothing', async () => {
  const [day, next] = days as [DayWindow, DayWindow]
  const late: Plan = {
    direction: 'ZoneToMain',
    raw: 5_000_000n,
    leftAt: day.until - hour / 2,
    arrivedAt: null,
    isFailed: false,
  }
  await report([late], async (reportOf) => {
    const before = await reportOf(windowOf(day.day, 'Europe/Helsinki') as DayWindow)
    expect((await reportOf(next, before)).restated).toBeNull()
  })
})

test('of a day whose transfers are kept no longer it is said that the sums lack them', async () => {
  const [day, next, last] = days as [DayWindow, DayWindow, DayWindow]
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, { tokens: [usdc], openIntervalMs: 10_000 })
  const [leftAt, arrivedAt] = [day.until - hour, next.from + hour]
  const now = Date.parse('2026-11-01')
  ledger.recordAnswer(
    [toObservation({ direction: 'ZoneToMain', raw: 5n, leftAt, arrivedAt, isFailed: false }, 1)],
    now,
  )
  const missing = async (of: DayWindow) =>
    (await buildDailyReport({ db, ledger, kinds, before: null, knows: { coverage: [] } }, of, now)).missing
  expect([await missing(day), await missing(next)]).toEqual([[], []])
  ledger.purge({ before: last.from, shownBefore: Infinity, limit: 10 })
  const said = 'transfers that were over by 2026-10-25 01:00:00 are kept no longer, and not in the sums'
  expect([await missing(day), await missing(next), await missing(last)]).toEqual([[said], [said], []])
  db.close()
})

test('what is not known is said, and is not zero', async () => {
  await report([], async (reportOf) => {
    const { missing, coverage, preconf, escrows, restated } = await reportOf(days[0] as DayWindow)
    expect(missing).toEqual(['how much of the day was observed is unknown'])
    expect([coverage, preconf, escrows, restated]).toEqual([null, null, null, null])
  })
})

test('sources that were not observed all day share one line, whole ones and samples are not in it (semantics 21)', async () => {
  const line = (source: string, share: number, note: string | null = null) => ({
    source,
    share,
    note,
    gaps: [],
  })
  const coverage = [
    line('transfers', 0.625),
    line('heads', 0.999),
    line('zone chain', 0.1, 'sampled'),
    line('evidence', 0),
  ]
  await report(
    [],
    async (reportOf) => {
      const { missing } = await reportOf(days[0] as DayWindow)
      expect(missing).toEqual(['not the whole day was observed: evidence 0 %, transfers 62 %'])
    },
    { coverage },
  )
})
