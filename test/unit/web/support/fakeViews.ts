import type { DailyReport } from '../../../../src/report/dailyReport.ts'
import type { ShownBreak } from '../../../../src/breaks/describeBreak.ts'
import type { ShownEntry } from '../../../../src/breaks/showEntry.ts'
import type { OutboxView, RuleView, Series } from '../../../../src/web/viewTypes.ts'

export const now = Date.UTC(2026, 2, 8, 10, 31, 5)
const hour = 3_600_000

/** Nothing is known of the first two hours. */
export const series: Series = {
  flow: Array.from({ length: 25 }, (_, index) => ({
    at: now - (now % hour) - (24 - index) * hour,
    started: index < 2 ? null : { MainToZone: 40 + (index % 7), ZoneToMain: 20 + (index % 5) },
    arrived: index < 2 ? null : { MainToZone: 41 + (index % 6), ZoneToMain: 19 + (index % 5) },
  })),
  latency: Array.from({ length: 29 }, (_, index) => ({
    at: now - (now % (6 * hour)) - (28 - index) * 6 * hour,
    p50: { MainToZone: 60_000, ZoneToMain: index < 20 ? null : 240_000 },
    p95: { MainToZone: 120_000, ZoneToMain: index < 20 ? null : 540_000 },
  })),
}

const rule: RuleView = {
  name: 'withdrawal-stalled',
  kind: 'transfer.stalled',
  watches: 'Value left one chain and has not arrived on the other.',
  lastFiredAt: now - 3_600_000,
  tests: ['transfers.test.yaml: a withdrawal is stalled after half an hour'],
  nature: 'condition',
  isRaised: false,
  severity: 'critical',
  origin: 'rules/transfers.yaml:12',
  forMs: 0,
  evaluatedAt: now - 800,
  firing: 1,
  pending: 2,
  events: 0,
  problem: null,
  unsure: null,
  needs: null,
}

export const rules: readonly RuleView[] = [
  rule,
  { ...rule, name: 'deposit-stalled', firing: 0, pending: 0, severity: 'warning' },
  { ...rule, name: 'transfer-failed', kind: 'transfer.failed', nature: 'event', events: 3, firing: 0 },
  { ...rule, name: 'escrow-shortfall', kind: 'escrow.shortfall', problem: 'there is nothing to judge it by' },
  { ...rule, name: 'late', kind: 'preconf.late', nature: 'event', firing: 0, pending: 0, needs: 'preconf' },
]

const sum = { count: 2, raw: '1500250000', amount: '1500.25', unknown: 0 }
export const report: DailyReport = {
  window: { day: '2026-03-07', zone: 'Europe/Berlin', from: now - 35 * hour, until: now - 11 * hour },
  builtAt: now - 3 * hour,
  missing: ['how much of the day was observed is unknown'],
  flows: [
    {
      token: { address: `0x${'ab'.repeat(20)}`, symbol: 'USDC', name: '', decimals: 6 },
      direction: 'ZoneToMain',
      opening: sum,
      started: sum,
      completed: sum,
      failed: sum,
      closing: sum,
    },
  ],
  restated: null,
  legs: [],
  latencies: null,
  findings: [],
  oldest: [],
  alerts: { told: 0, suppressed: 0 },
  preconf: null,
  escrows: null,
  coverage: null,
  hours: [],
}

const item: OutboxView = {
  id: 17,
  state: 'queued',
  channel: 'ops-email',
  what: 'firing',
  alert: 'a1b2c3',
  rule: 'withdrawal-stalled',
  subject: 't42',
  isCritical: true,
  createdAt: now - 60_000,
  notBefore: now - 60_000,
  expiresAt: now + hour,
  sentAt: null,
  isDropped: false,
  messageId: null,
  attempt: 2,
  nextAt: now + 20_000,
  lastError: '421 try again later',
}

export const outbox: readonly OutboxView[] = [
  item,
  { ...item, id: 12, state: 'dead', attempt: null, nextAt: null, lastError: null, isDropped: true },
]

export const openBreak: ShownBreak = {
  name: 't42',
  kind: 'stalled',
  direction: 'ZoneToMain',
  isOpen: true,
  token: { address: `0x${'ab'.repeat(20)}`, symbol: 'USDC', name: 'USD Coin' },
  inBaseUnits: false,
  amount: '12000.5',
  left: '2000.5',
  settled: '10000',
  entries: ['e3'],
  remark: 'what is left beside e3',
  since: now - 2 * hour,
  state: 'pending',
  transferKey: 't42',
  mainHash: null,
  zoneHash: `0x${'5a'.repeat(32)}`,
  source: `0x${'11'.repeat(20)}`,
  target: `0x${'33'.repeat(20)}`,
  escrow: null,
  height: null,
  evidence: 'no main transaction; origin not verified',
  caseId: 'c7',
}

export const entry: ShownEntry = {
  id: 'e3',
  at: now - hour,
  what: 'matched',
  who: 'ana',
  from: 'page, 192.0.2.7',
  reason: 'the operator confirmed it',
  difference: '-2000.5',
  undoes: null,
  undoneBy: null,
  shares: [
    {
      name: 't42',
      part: 'origin',
      kind: 'stalled',
      token: { address: `0x${'ab'.repeat(20)}`, symbol: 'USDC' },
      inBaseUnits: false,
      amount: '10000',
      now: 'holds',
    },
  ],
}
