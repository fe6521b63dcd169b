import { checks } from '../checks/index.ts'
import type { Check, Metric, Sample } from '../kernel/check.ts'
import type { Severity } from '../rules/types.ts'
import { accessResults, type MetricsFacts, type RequestCounts } from './types.ts'
import type { AlertView } from './caseTypes.ts'

interface MetricDefinition extends Metric {
  read(facts: MetricsFacts): readonly Sample[]
}

const severities: readonly Severity[] = ['critical', 'warning', 'info']

const alertStates: readonly AlertView['state'][] = ['pending', 'firing', 'recovering']

const caseStates = ['open', 'acknowledged', 'handled'] as const

const roles = ['holder', 'follower'] as const

const levels = ['fine', 'attention', 'critical', 'unknown'] as const

const requestMetrics = (
  [
    ['gauge', 'requests_in_flight', 'Requests sent and not yet answered.', 'inFlight'],
    ['gauge', 'requests_waiting', 'Requests held back by the pace.', 'waiting'],
    [
      'counter',
      'request_wait_seconds_total',
      'Time that requests have waited for their turn.',
      'waitedSeconds',
    ],
    ['gauge', 'requests_per_second', 'The rate that the pace allows now.', 'rate'],
    ['counter', 'requests_total', 'Requests sent.', 'total'],
    ['counter', 'requests_failed_total', 'Requests without a usable answer.', 'failed'],
    ['counter', 'throttle_signs_total', 'Answers that looked like throttling.', 'throttleSigns'],
  ] as const satisfies readonly (readonly ['gauge' | 'counter', string, string, keyof RequestCounts])[]
).map(
  ([type, name, help, field]): MetricDefinition => ({
    type,
    name: `spanwatch_${name}`,
    help,
    labels: ['source'],
    read: ({ requests }) => requests.map((counts) => [{ source: counts.source }, counts[field]]),
  }),
)

/** Names and labels are public: add, don't rename. */
export const metricDefinitions: readonly MetricDefinition[] = [
  gauge('verdict', 'The verdict of the status page: 1 for the level that holds.', ['level'], ({ status }) =>
    levels.map((level) => [{ level }, level === status.verdict.level ? 1 : 0]),
  ),
  gauge('build_info', 'The version that runs.', ['version'], ({ status }) => [
    [{ version: status.version }, 1],
  ]),
  gauge('start_time_seconds', 'When this process started watching.', [], ({ status }) => [
    [{}, status.startedAt / 1_000],
  ]),
  counter('evaluations_total', 'Evaluations of all rules.', ({ evaluations }) => evaluations.total),
  counter('evaluations_failed_total', 'Evaluations that threw.', ({ evaluations }) => evaluations.failed),
  counter(
    'evaluations_missed_total',
    'Evaluations skipped because one was still running.',
    ({ evaluations }) => evaluations.missed,
  ),
  gauge('source_head_age_seconds', 'Time since a chain head advanced.', ['chain'], ({ status }) =>
    status.heads.map(({ chain, advancedAt }) => [{ chain }, seconds(status.now - advancedAt)]),
  ),
  gauge('source_head_height', 'Newest block height read.', ['chain'], ({ status }) =>
    status.heads.map(({ chain, height }) => [{ chain }, height]),
  ),
  gauge('source_last_good_age_seconds', 'Time since a source gave a good answer.', ['source'], ({ status }) =>
    status.coverage.flatMap(({ source, lastGoodAt }): Sample[] =>
      lastGoodAt === null ? [] : [[{ source }, seconds(status.now - lastGoodAt)]],
    ),
  ),
  gauge('poll_last_success_age_seconds', 'Time since a poller succeeded.', ['poller'], ({ status }) =>
    status.pollers.flatMap(({ poller, lastSuccessAt }): Sample[] =>
      lastSuccessAt === null ? [] : [[{ poller }, seconds(status.now - lastSuccessAt)]],
    ),
  ),
  {
    ...gauge('poll_errors_total', 'Runs of a poller that failed.', ['poller'], ({ status }) =>
      status.pollers.map(({ poller, errors }) => [{ poller }, errors ?? 0]),
    ),
    type: 'counter',
  },
  gauge('cursor_lag_seconds', 'How far a cursor is behind the present.', ['cursor'], ({ cursors, status }) =>
    cursors.map(({ cursor, at }) => [{ cursor }, seconds(status.now - at)]),
  ),
  ...requestMetrics,
  gauge('transfers', 'Transfers in the ledger.', ['state'], ({ status }) =>
    Object.entries(status.totals).map(([state, count]) => [{ state }, count]),
  ),
  gauge('transfers_in_flight', 'Transfers without a destination leg.', ['direction'], ({ status }) =>
    status.inFlight.map(({ direction, buckets }) => [
      { direction },
      buckets.reduce((sum, { count }) => sum + count, 0),
    ]),
  ),
  gauge('transfers_oldest_in_flight_age_seconds', 'Age of the oldest of them.', ['direction'], ({ status }) =>
    status.inFlight.flatMap(({ direction, oldestAt }): Sample[] =>
      oldestAt === null ? [] : [[{ direction }, seconds(status.now - oldestAt)]],
    ),
  ),
  gauge(
    'preconf_age_seconds',
    'Time since preconfirmations and complete blocks went on.',
    ['of'],
    ({ preconf }) => [
      ...known({ of: 'pending' }, preconf?.pendingAgeMs, 1_000),
      ...known({ of: 'latest' }, preconf?.latestAgeMs, 1_000),
    ],
  ),
  gauge('preconf_gap_blocks', 'Blocks by which the block being made is behind.', [], ({ preconf }) =>
    known({}, preconf?.gap),
  ),
  gauge('preconf_held', 'Preconfirmed transactions that are not settled yet.', [], ({ preconf }) =>
    known({}, preconf?.held),
  ),
  gauge('preconf_missed_ticks', 'Questions left out because too many were under way.', [], ({ preconf }) =>
    known({}, preconf?.missedTicks),
  ),
  gauge(
    'preconf_settled',
    'Preconfirmed transactions of the present hour by outcome.',
    ['outcome'],
    ({ preconf }) => Object.entries(preconf?.outcomes ?? {}).map(([outcome, count]) => [{ outcome }, count]),
  ),
  gauge('preconf_hit_ratio', 'Share that was preconfirmed, over 24 hours.', [], ({ preconf }) =>
    known({}, preconf?.hitRate),
  ),
  gauge(
    'preconf_lead_seconds',
    'Mean time from preconfirmation to the complete block, over 24 hours.',
    [],
    ({ preconf }) => known({}, preconf?.meanLeadMs, 1_000),
  ),
  gauge('quarantined_records', 'Records that could not be read.', [], ({ status }) => [
    [{}, status.quarantined],
  ]),
  gauge('alerts', 'Open conditions.', ['state', 'severity'], ({ status }) =>
    alertStates.flatMap((state) =>
      severities.map((severity): Sample => {
        const same = status.openAlerts.filter((alert) => alert.state === state && alert.severity === severity)
        return [{ state, severity }, same.length]
      }),
    ),
  ),
  gauge('cases', 'Cases that are not over.', ['state', 'severity'], ({ status }) =>
    caseStates.flatMap((state) =>
      severities.map((severity): Sample => {
        const same = status.caseCounts.find((one) => one.state === state && one.severity === severity)
        return [{ state, severity }, same?.count ?? 0]
      }),
    ),
  ),
  {
    ...gauge(
      'notifications_total',
      'Answers of channels.',
      ['channel', 'result', 'reason'],
      ({ notifications }) =>
        notifications.map(({ channel, result, reason, count }) => [{ channel, result, reason }, count]),
    ),
    type: 'counter',
  },
  {
    ...gauge(
      'access_total',
      'Sign-ins to the page, and requests refused for their token.',
      ['result'],
      ({ accesses }) => accessResults.map((result) => [{ result }, accesses.get(result) ?? 0]),
    ),
    type: 'counter',
  },
  gauge('outbox_depth', 'Messages waiting for a channel.', ['channel'], ({ status }) =>
    status.channels.map(({ channel, queued }) => [{ channel }, queued]),
  ),
  gauge('oldest_outbox_age_seconds', 'How long the oldest of them has waited.', ['channel'], ({ status }) =>
    status.channels.map(({ channel, oldestAt }) => [
      { channel },
      oldestAt === null ? 0 : seconds(status.now - oldestAt),
    ]),
  ),
  gauge(
    'channel_circuit_open',
    '1 while a channel refuses messages, or has taken none for ten minutes.',
    ['channel'],
    ({ status }) => status.channels.map(({ channel, circuit }) => [{ channel }, circuit === 'open' ? 1 : 0]),
  ),
  counter(
    'state_commit_failed_total',
    'Durable commits that failed.',
    ({ stateCommitsFailed }) => stateCommitsFailed,
  ),
  gauge('state_bytes', 'Size of the state folder.', [], ({ stateBytes }) =>
    stateBytes === null ? [] : [[{}, stateBytes]],
  ),
  counter('clock_jump_total', 'Steps of the wall clock.', ({ clockJumps }) => clockJumps),
  gauge(
    'event_loop_lag_seconds',
    'How late 99 of 100 timers run at most, within the last minute or two.',
    [],
    ({ eventLoopLagMs }) => [[{}, eventLoopLagMs / 1_000]],
  ),
  gauge(
    'last_report_key_age_seconds',
    'Time since the newest daily report was due.',
    [],
    ({ lastReportAt, status }) => (lastReportAt === null ? [] : [[{}, seconds(status.now - lastReportAt)]]),
  ),
  gauge(
    'replica_role',
    '1 for what this node is: holder or follower.',
    ['role'],
    ({ status: { replica } }) =>
      replica ? roles.map((role) => [{ role }, role === replica.role ? 1 : 0]) : [],
  ),
  gauge(
    'replica_behind_changes',
    'Changes of the ledger that a holder has not pushed, or a follower has not taken over.',
    [],
    ({ status }) => known({}, status.replica?.behind),
  ),
  gauge(
    'replica_unreachable_seconds',
    'How long PostgreSQL has not answered; 0 while it does.',
    [],
    ({ status: { now, replica } }) =>
      replica ? [[{}, replica.unreachable === null ? 0 : seconds(now - replica.unreachable.since)]] : [],
  ),
  gauge('replica_lease_epoch', 'How often the lease was taken.', [], ({ status }) =>
    known({}, status.replica?.epoch),
  ),
  ...checks.flatMap((check: Pick<Check, 'metrics'>) =>
    (check.metrics ?? []).map((metric) => ({
      ...metric,
      read: ({ checks: measured }: MetricsFacts) => measured[metric.name] ?? [],
    })),
  ),
]

function gauge(
  name: string,
  help: string,
  labels: readonly string[],
  read: MetricDefinition['read'],
): MetricDefinition {
  return { type: 'gauge', name: `spanwatch_${name}`, help, labels, read }
}

function counter(name: string, help: string, readTotal: (facts: MetricsFacts) => number): MetricDefinition {
  return {
    type: 'counter',
    name: `spanwatch_${name}`,
    help,
    labels: [],
    read: (facts) => [[{}, readTotal(facts)]],
  }
}

/** A sample where something is known, divided into its unit. */
function known(
  labels: Readonly<Record<string, string>>,
  value: number | null | undefined,
  unit = 1,
): readonly Sample[] {
  return value === null || value === undefined ? [] : [[labels, value / unit]]
}

function seconds(ms: number): number {
  return Math.max(0, ms) / 1_000
}
