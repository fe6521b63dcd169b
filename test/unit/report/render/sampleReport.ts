import type { DailyReport, ReportSum, ReportToken } from '../../../../src/report/dailyReport.ts'
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
          { title: 'Deposit of 12 USDC, main 0xabc, zone 0xdef', at: window.from + hour, key: 't42' },
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
    escrows: [{ token: usdc, holds: '1000000', owes: '999988', inTransit: '0', at: window.until }],
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
