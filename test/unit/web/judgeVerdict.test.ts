import { expect, test } from 'vitest'
import { eventOpenMs } from '../../../src/alerts/caseOf.ts'
import { judgeVerdict } from '../../../src/web/judgeVerdict.ts'
import type { StatusFacts, Verdict } from '../../../src/web/statusFacts.ts'
import { failed, now, quiet, stalled } from './support/fakeWeb.ts'

const coverageAt = (lastGoodAt: number | null): Partial<StatusFacts> => ({
  coverage: [{ source: 'explorer', lastGoodAt, staleAfterMs: 15_000 }],
})
const pollerAt = (
  lastSuccessAt: number | null,
  isBackground = false,
  runningSince: number | null = null,
): Partial<StatusFacts> => ({
  pollers: [
    {
      poller: 'transfers',
      intervalMs: 5_000,
      isBackground,
      startedAt: now - 5_000,
      lastSuccessAt,
      lastError: null,
      runningSince,
    },
  ],
})
const waiting = (oldestAt: number): Partial<StatusFacts> => ({
  channels: [
    {
      channel: 'ops-slack',
      queued: 1,
      oldestAt,
      circuit: 'closed',
      lastAckAt: null,
      lastError: null,
      refused: [],
    },
  ],
})
const unknown = (...reasons: string[]): Verdict => ({ level: 'unknown', reasons })
const attention = (...reasons: string[]): Verdict => ({ level: 'attention', reasons })
const fine: Verdict = { level: 'fine', reasons: [] }
const stalledReason = 'withdrawal-stalled: 1500.25 USDC has waited 47m'
const failedReason = 'transfer-failed: A deposit of 12 ETH failed on the zone'

test.each<{ title: string; facts: Partial<StatusFacts>; verdict: Verdict }>([
  { title: 'fine when everything was looked at and nothing is wrong', facts: {}, verdict: fine },
  { title: 'fine with a source read exactly at its bound', facts: coverageAt(now - 15_000), verdict: fine },
  {
    title: 'unknown one millisecond later',
    facts: coverageAt(now - 15_001),
    verdict: unknown('explorer was last read 15s ago'),
  },
  {
    title: 'unknown while a source was never read',
    facts: coverageAt(null),
    verdict: unknown('explorer has never been read'),
  },
  {
    title: 'unknown, never fine, when no source exists to be read',
    facts: { coverage: [], sources: [] },
    verdict: unknown('No source has been read yet'),
  },
  { title: 'fine with rules evaluated seconds ago', facts: { judgedAt: now - 15_000 }, verdict: fine },
  {
    title: 'unknown, never fine, while rules are not evaluated',
    facts: { judgedAt: now - 107_000 },
    verdict: unknown('Rules have not been evaluated for 1m 47s'),
  },
  {
    title: 'unknown without any head',
    facts: { heads: [] },
    verdict: unknown('No chain head has been read yet'),
  },
  {
    title: 'fine with a poller silent exactly three intervals',
    facts: pollerAt(now - 15_000),
    verdict: fine,
  },
  {
    title: 'unknown one millisecond after three intervals',
    facts: pollerAt(now - 15_001),
    verdict: unknown('transfers has not succeeded for 15s'),
  },
  {
    title: 'fine with a poller of the background that waits for its turn',
    facts: pollerAt(now - 600_000, true),
    verdict: fine,
  },
  {
    title: 'unknown once such a poller waited longer than ten minutes',
    facts: pollerAt(now - 600_001, true),
    verdict: unknown('transfers has not succeeded for 10m'),
  },
  {
    title: 'fine while it is at work',
    facts: pollerAt(now - 3_600_000, true, now - 3_599_000),
    verdict: fine,
  },
  {
    title: 'unknown once it was at work for an hour',
    facts: pollerAt(now - 3_600_001, true, now - 3_599_000),
    verdict: unknown('transfers has not succeeded for 1h'),
  },
  {
    title: 'unknown until the first pass is done',
    facts: pollerAt(null),
    verdict: unknown('transfers has not finished its first pass'),
  },
  {
    title: 'unknown when credentials are refused',
    facts: {
      sources: quiet.sources.map((source) => ({ ...source, rejected: { at: now, reason: '50111' } })),
    },
    verdict: unknown('explorer refuses our credentials'),
  },
  {
    title: 'attention with a warning firing',
    facts: { openAlerts: [stalled] },
    verdict: attention(stalledReason),
  },
  {
    title: 'fine while a condition is only pending',
    facts: { openAlerts: [{ ...stalled, state: 'pending' }] },
    verdict: fine,
  },
  {
    title: 'fine with something firing for information',
    facts: { openAlerts: [{ ...stalled, severity: 'info' }] },
    verdict: fine,
  },
  {
    title: 'critical with a critical event found exactly a day ago, however long before it happened',
    facts: { recentEvents: [{ ...failed, since: now - 30 * eventOpenMs, foundAt: now - eventOpenMs }] },
    verdict: { level: 'critical', reasons: [failedReason] },
  },
  {
    title: 'fine one millisecond later',
    facts: { recentEvents: [{ ...failed, foundAt: now - eventOpenMs - 1 }] },
    verdict: fine,
  },
  {
    title: 'critical before unknown, and the blind spot is still said',
    facts: { ...coverageAt(null), openAlerts: [stalled], recentEvents: [failed] },
    verdict: { level: 'critical', reasons: [failedReason, 'explorer has never been read', stalledReason] },
  },
  {
    title: 'unknown before attention',
    facts: { ...coverageAt(null), openAlerts: [stalled] },
    verdict: unknown('explorer has never been read', stalledReason),
  },
  { title: 'fine with a message five minutes in the outbox', facts: waiting(now - 300_000), verdict: fine },
  {
    title: 'attention when it waits longer',
    facts: waiting(now - 301_000),
    verdict: attention('A message for ops-slack has waited 5m 1s'),
  },
  {
    title: 'attention when a channel refuses us',
    facts: { channels: quiet.channels.map((channel) => ({ ...channel, circuit: 'open' })) },
    verdict: attention('Channel ops-slack takes no messages', 'Channel ops-email takes no messages'),
  },
])('$title', ({ facts, verdict }) => {
  expect(judgeVerdict({ ...quiet, ...facts })).toEqual(verdict)
})

test('what is told of one transfer is said once, by the worst of it', () => {
  const slow = { ...stalled, rule: 'transfer-slow', severity: 'warning' as const }
  const stuck = { ...stalled, severity: 'critical' as const }
  const other = { ...slow, transferKey: 't99' }
  const { reasons } = judgeVerdict({ ...quiet, openAlerts: [slow, stuck, other] })
  expect(reasons).toEqual([stalledReason, 'transfer-slow: 1500.25 USDC has waited 47m'])
})
