import type { DailyReport, ReportSum } from '../../../../src/report/dailyReport.ts'
import type { ReportToken } from '../../../../src/report/reportToken.ts'
import { type DayWindow, windowOf } from '../../../../src/report/reportDay.ts'

const window = windowOf('2026-10-25', 'Europe/Berlin') as DayWindow
const hour = 3_600_000

const usdc: ReportToken = {
  address: `0x${'c'.repeat(40)}`,
  symbol: 'USDC',
  name: 'USD Coin',
  decimals: 6,
}
export const hostile: ReportToken = {
  address: `0x${'d'.repeat(40)}`,
  symbol: null,
  name: '=HYPERLINK("https://evil.example.com","x")<img src=x onerror=alert(1)>',
  decimals: null,
}

const sum = (count: number, amount: string | null, unknown = 0): ReportSum => ({
  count,
  raw: amount === null ? '77' : `${amount}000000`,
  amount,
  unknown,
})

/** A full day with everything in it, some of it hostile. */
export function createReport(overrides: Partial<DailyReport> = {}): DailyReport {
  return {
    window,
    builtAt: window.until + 8 * hour,
    missing: ['not the whole day was observed: transfers 97 %'],
    book: [
      {
        token: usdc,
        deposits: { count: 119, amount: '98765432109876543198', unknown: 1 },
        withdrawals: { count: 0, amount: '0', unknown: 0 },
        net: '98765432109876543198',
        inFlight: { count: 4, amount: '98765432109876454698', unknown: 1 },
        failed: { count: 1, amount: '12', unknown: 0 },
        unbacked: { count: 2, amount: '3.5', unknown: 0 },
        unexplained: '-9590.32',
        escrowChange: '1000',
        difference: null,
      },
    ],
    problems: [
      {
        kind: 'unbacked',
        token: usdc,
        count: 2,
        amount: '3.5',
        inBaseUnits: false,
        unknown: 0,
        oldestAt: window.from,
      },
      {
        kind: 'failed',
        token: hostile,
        count: 1,
        amount: '12',
        inBaseUnits: true,
        unknown: 0,
        oldestAt: window.from,
      },
    ],
    corrections: [
      {
        day: '2026-10-24',
        kind: 'transfer.unbacked',
        severity: 'critical',
        count: 1,
        money: [{ token: usdc, amount: '1234567.5' }],
      },
    ],
    flows: [
      {
        token: usdc,
        direction: 'MainToZone',
        opening: sum(3, '1500'),
        started: sum(120, '98765432109876543210'),
        completed: sum(118, '90000'),
        failed: sum(1, '12'),
        closing: sum(4, '98765432109876454698', 1),
      },
      {
        token: hostile,
        direction: 'ZoneToMain',
        opening: sum(0, null),
        started: sum(2, null),
        completed: sum(2, null),
        failed: sum(0, null),
        closing: sum(0, null),
      },
    ],
    restated: [{ token: usdc, direction: 'MainToZone', reported: sum(2, '1400'), known: sum(3, '1500') }],
    legs: [{ chain: 'main', direction: 'MainToZone', part: 'origin', count: 120 }],
    latencies: [
      {
        token: usdc,
        direction: 'MainToZone',
        samples: 118,
        p50: 4_000,
        p95: 61_000,
        p99: 600_000,
        past: { samples: 3_000, p50: 4_100, p95: 58_000, p99: null },
      },
    ],
    findings: [
      {
        kind: 'transfer.failed',
        severity: 'critical',
        count: 1,
        examples: [
          {
            title: 'Deposit of 12 USDC, main 0xabc, zone 0xdef',
            at: window.from + hour,
            key: 't42',
            alertId: '#a1b2c3d4',
            amount: '12',
            token: usdc,
          },
        ],
      },
    ],
    oldest: [
      {
        key: 't43',
        token: hostile,
        direction: 'ZoneToMain',
        amount: null,
        originAt: window.from - hour,
        mainHash: null,
        zoneHash: `0x${'ab'.repeat(32)}`,
      },
    ],
    alerts: { told: 1, suppressed: 2 },
    preconf: {
      seen: 5_000,
      kept: 4_996,
      moved: 2,
      flipped: 0,
      dropped: 1,
      unknown: 1,
      hitRate: 0.9996,
      leadMs: 700,
    },
    escrows: [
      {
        token: usdc,
        opening: '999000',
        change: '1000',
        closing: '1000000',
        owed: '999988',
        at: window.until,
      },
    ],
    coverage: [
      {
        source: 'explorer',
        share: 0.9712,
        gaps: [{ from: window.from + hour, until: window.from + 1.7 * hour }],
        note: null,
      },
    ],
    hours: Array.from({ length: 25 }, (_, index) => ({
      hour: String(index % 24).padStart(2, '0'),
      deposits: index,
      withdrawals: 25 - index,
    })),
    ...overrides,
  }
}
