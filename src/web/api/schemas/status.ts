import { z } from 'zod'
import { alert, caseState } from './alert.ts'
import { caseView, money, statusCase } from './case.ts'
import { escrowLine } from './escrow.ts'
import { shownSilence } from './silence.ts'
import { chain, count, direction, severity, span, time } from './words.ts'

const endpoint = z.object({
  endpoint: z.string(),
  firstAskedAt: time,
  lastGoodAt: time.nullable(),
  lastFailureAt: time.nullable(),
  lastFailure: z.string().nullable(),
  failingSince: time.nullable(),
  ownFailures: count,
  isThrottling: z.boolean(),
  backAt: time.nullable(),
  intervalMs: span,
})

const source = z
  .object({
    source: z.string(),
    host: z.string(),
    startedAt: time,
    endpoints: z.array(endpoint),
    backAt: time.nullable(),
    rejected: z.object({ at: time, reason: z.string() }).nullable().describe('Credentials that were refused'),
    foreign: z
      .object({ at: time, height: z.int(), says: z.string() })
      .nullable()
      .exactOptional()
      .describe('Of a node: a block that is another by the explorer, so that nothing is asked of it'),
    clockAheadMs: span.nullable().exactOptional(),
  })
  .describe('How a source has been answering')

const poller = z.object({
  poller: z.string(),
  intervalMs: span,
  isBackground: z.boolean().exactOptional(),
  asksNobody: z.boolean().exactOptional(),
  startedAt: time,
  lastSuccessAt: time.nullable(),
  lastError: z.string().nullable(),
  errors: count.exactOptional(),
  crashes: z.array(time).exactOptional(),
  lastCrash: z.string().exactOptional(),
  runningSince: time.nullable().exactOptional(),
  failedAt: z.string().nullable().exactOptional(),
  lastTickAt: time.nullable().exactOptional(),
  failures: count.exactOptional(),
  runs: count.exactOptional(),
  missedTicks: count.exactOptional(),
})

const probe = z.object({
  address: z.string(),
  direction,
  everyMs: span.describe('How often one is sent'),
  since: time.describe('Since when it is looked for'),
  last: z
    .object({ key: z.string(), leftAt: time, arrivedAt: time, latencyMs: span })
    .nullable()
    .describe('The newest that came through; null before one did'),
  open: z
    .object({ count, failed: count, oldestAt: time, newestAt: time })
    .nullable()
    .describe('What left after that one and has not come through'),
  day: z
    .object({ count, p50: span, p95: span, most: span })
    .nullable()
    .describe('How long those took that left in the past day'),
})

const normalLatency = z.object({ samples: count, p50: span, p95: span, p99: span })

const inFlight = z.object({
  direction,
  buckets: z.array(z.object({ fromMs: span, toMs: span.nullable(), count })).describe('By age'),
  oldestAt: time.nullable(),
  normal: normalLatency.nullable().describe('How long transfers took over the past 30 days'),
  late: count.nullable().describe('In flight for longer than all but one in a hundred took'),
})

const channel = z.object({
  channel: z.string(),
  queued: count,
  oldestAt: time.nullable(),
  circuit: z
    .enum(['closed', 'open'])
    .describe('`open`: it refuses us, or has taken nothing for ten minutes; its messages go elsewhere'),
  lastAckAt: time.nullable(),
  lastError: z.string().nullable().describe('Null once it took something since'),
  refused: z.array(z.string()).describe('Recipients who get nothing of it, each with the reason'),
})

const preconf = z.object({
  pendingAgeMs: span.nullable(),
  latestAgeMs: span.nullable(),
  gap: z.int().nullable(),
  held: count,
  missedTicks: count,
  outcomes: z.record(z.string(), count).describe('Since the present hour began, by what became of them'),
  hitRate: z.number().nullable(),
  meanLeadMs: span.nullable(),
})

const totals = z.object({ pending: count, completed: count, failed: count, unbacked: count })

const verdict = z.object({
  level: z.enum(['fine', 'attention', 'critical', 'unknown']).describe('`unknown`: spanwatch could not look'),
  reasons: z.array(z.string()).describe('The worst first; empty only when it is `fine`'),
})

const replica = z.object({
  node: z.string(),
  role: z.enum(['holder', 'follower']),
  holder: z
    .object({ node: z.string(), since: time, pageUrl: z.string().nullable() })
    .nullable()
    .describe('Who watches; null where that is not known'),
  unreachable: z
    .object({ since: time, problem: z.string() })
    .nullable()
    .describe('Since when PostgreSQL does not answer'),
  missing: z.array(z.object({ node: z.string(), since: time })),
  inStepAt: time.nullable().describe('When all that was committed was last taken over, or acknowledged'),
  epoch: count,
  behind: count.nullable().describe('Changes that are not pushed, or not taken over'),
  nodes: z.array(
    z.object({
      node: z.string(),
      role: z.string(),
      seq: count,
      program: z.string(),
      pageUrl: z.string().nullable(),
      seenAt: time,
    }),
  ),
})

export const status = z
  .object({
    now: time,
    startedAt: time,
    version: z.string(),
    unchecked: z
      .string()
      .nullable()
      .exactOptional()
      .describe('Why the ledger’s file is not known to be whole'),
    judgedAt: time
      .nullable()
      .exactOptional()
      .describe(
        'When rules were last evaluated; null before the first time, left out on a node that follows another one',
      ),
    replica: replica
      .nullable()
      .exactOptional()
      .describe('How this node stands to the others of its bridge; null where it is alone'),
    heads: z.array(
      z.object({
        chain,
        height: z.int(),
        blockTime: time.nullable(),
        advancedAt: time,
        readAt: time,
      }),
    ),
    sources: z.array(source),
    pollers: z.array(poller),
    coverage: z.array(z.object({ source: z.string(), lastGoodAt: time.nullable(), staleAfterMs: span })),
    cases: z.array(statusCase).describe('Open and acknowledged, what counts the most first, at most 100'),
    moneyAtRisk: z
      .partialRecord(severity, z.array(money))
      .describe('What is at risk in all of those that count as such, each unit once'),
    handledCases: z.array(caseView).describe('Handled and not over yet, at most 20'),
    caseCounts: z.array(z.object({ state: z.enum([...caseState.options, 'merged']), severity, count })),
    openAlerts: z.array(alert).describe('The most severe first, at most 200'),
    openAlertCount: count,
    recentEvents: z.array(alert).describe('Newest first'),
    inFlight: z.array(inFlight),
    totals: totals.describe('Transfers by state'),
    channels: z.array(channel),
    deadMessages: count.describe('Set aside'),
    silences: z.array(shownSilence).describe('Those that hold now'),
    preconf: preconf.nullable().describe('Null when none are watched'),
    escrows: z.array(escrowLine).nullable().describe('By token; null when none are watched'),
    quarantined: count.describe('Records that could not be read and are kept aside'),
    probes: z.array(probe).describe('Of each known prober, what came through'),
    panels: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        lines: z.array(z.object({ name: z.string(), value: z.string() })),
      }),
    ),
    verdict,
  })
  .describe('Everything about the present, read in one go so that its parts agree')
