import { expect, test } from 'vitest'
import { addProcessMetrics, createRegistry } from '../../../src/web/metrics.ts'
import type { MetricsFacts } from '../../../src/web/types.ts'
import { judgeVerdict } from '../../../src/web/judgeVerdict.ts'
import { now, quiet, stalled } from './support/fakeWeb.ts'

const facts: MetricsFacts = {
  status: {
    ...quiet,
    openAlerts: [stalled],
    caseCounts: [{ state: 'acknowledged', severity: 'critical', count: 2 }],
    verdict: judgeVerdict(quiet),
  },
  evaluations: { total: 7, failed: 1, missed: 2 },
  notifications: [{ channel: 'ops-slack', result: 'ack', reason: '', count: 3 }],
  preconf: null,
  requests: [
    {
      source: 'explorer',
      inFlight: 2,
      waiting: 1,
      waitedSeconds: 2.5,
      rate: 4,
      total: 90,
      failed: 4,
      throttleSigns: 5,
    },
  ],
  cursors: [{ cursor: 'transfers', at: now - 6_000 }],
  stateBytes: 4_096,
  stateCommitsFailed: 0,
  clockJumps: 1,
  checks: {},
  accesses: new Map([['wrong_token', 3]]),
  eventLoopLagMs: 3,
  lastReportAt: now - 3_600_000,
}

const scrape = async (collect: () => MetricsFacts) => {
  const text = await createRegistry({ collect }).registry.metrics()
  return text.split('\n').filter((line) => !line.startsWith('#') && !line.includes('_seconds_'))
}

test.each([
  'spanwatch_collect_ok 1',
  'spanwatch_verdict{level="fine"} 1',
  'spanwatch_verdict{level="unknown"} 0',
  'spanwatch_evaluations_total 7',
  'spanwatch_evaluations_failed_total 1',
  'spanwatch_evaluations_missed_total 2',
  'spanwatch_source_head_age_seconds{chain="main"} 2',
  'spanwatch_source_last_good_age_seconds{source="explorer"} 4',
  'spanwatch_cursor_lag_seconds{cursor="transfers"} 6',
  'spanwatch_requests_in_flight{source="explorer"} 2',
  'spanwatch_requests_waiting{source="explorer"} 1',
  'spanwatch_throttle_signs_total{source="explorer"} 5',
  'spanwatch_transfers{state="completed"} 18230',
  'spanwatch_transfers_in_flight{direction="ZoneToMain"} 11',
  'spanwatch_alerts{state="firing",severity="warning"} 1',
  'spanwatch_alerts{state="firing",severity="critical"} 0',
  'spanwatch_cases{state="acknowledged",severity="critical"} 2',
  'spanwatch_cases{state="open",severity="critical"} 0',
  'spanwatch_notifications_total{channel="ops-slack",result="ack",reason=""} 3',
  'spanwatch_access_total{result="wrong_token"} 3',
  'spanwatch_access_total{result="signed_in"} 0',
  'spanwatch_outbox_depth{channel="ops-slack"} 0',
  'spanwatch_channel_circuit_open{channel="ops-slack"} 0',
  'spanwatch_state_bytes 4096',
  'spanwatch_clock_jump_total 1',
  'spanwatch_event_loop_lag_seconds 0.003',
  'spanwatch_last_report_key_age_seconds 3600',
])('%s', async (line) => {
  expect(await scrape(() => facts)).toContain(line)
})

test('a second scrape says the totals again, not twice as much', async () => {
  const { registry } = createRegistry({ collect: () => facts })
  await registry.metrics()
  expect(await registry.metrics()).toContain('spanwatch_evaluations_total 7\n')
})

test('what is not known has no sample', async () => {
  const unknown = { ...facts, stateBytes: null, lastReportAt: null, cursors: [] }
  const status = {
    ...facts.status,
    heads: [],
    coverage: [{ source: 'explorer', lastGoodAt: null, staleAfterMs: 1 }],
  }
  const lines = (await scrape(() => ({ ...unknown, status }))).join('\n')
  for (const name of ['state_bytes', 'last_report', 'cursor_lag', 'head_age', 'last_good']) {
    expect(lines).not.toContain(name)
  }
})

test('when the facts cannot be read, old numbers vanish and collect_ok is 0', async () => {
  let broken = false
  const { registry } = createRegistry({
    collect: () => {
      if (broken) throw new Error('disk I/O error')
      return facts
    },
  })
  await registry.metrics()
  broken = true
  const samples = (await registry.metrics())
    .split('\n')
    .filter((line) => !line.startsWith('#') && line !== '')
  expect(samples.filter((line) => !/_seconds_(sum|count|bucket)/.test(line))).toEqual([
    'spanwatch_collect_ok 0',
  ])
})

test('durations are observed as histograms', async () => {
  const { registry, ...observer } = createRegistry({ collect: () => facts })
  observer.commit(0.003)
  observer.rule('large', 0.2)
  const text = await registry.metrics()
  expect(text).toContain('spanwatch_state_commit_seconds_bucket{le="0.005"} 1')
  expect(text).toContain('spanwatch_rule_duration_seconds_count{rule="large"} 1')
})

test('the memory of the process is told under its usual name, by each registry of one process', async () => {
  for (const { registry } of [
    createRegistry({ collect: () => facts }),
    createRegistry({ collect: () => facts }),
  ]) {
    addProcessMetrics(registry)
    expect(await registry.metrics()).toMatch(/^process_resident_memory_bytes [1-9]/m)
  }
})
