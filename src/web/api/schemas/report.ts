import { z } from 'zod'
import { baselineGrounds } from '../../../checks/escrow/supply/baseline.ts'
import { breakKinds } from '../../../breaks/break.ts'
import { breakEntry, breakSum } from './breaks.ts'
import { accounts } from './escrow.ts'
import { bookSum, reportSum, reportToken } from './reportParts.ts'
import { amount, chain, count, direction, severity, span, time } from './words.ts'

const bookLine = z
  .object({
    token: reportToken,
    deposits: bookSum,
    withdrawals: bookSum,
    refunded: bookSum.exactOptional().describe('Of failed deposits, given back on the day'),
    gas: amount.exactOptional().describe('What the escrows paid for transactions of their own'),
    net: amount.describe('What the escrows should hold more: deposits − withdrawals − refunded − gas'),
    inFlight: bookSum,
    failed: bookSum,
    unbacked: bookSum.nullable(),
    unexplained: amount.nullable(),
    escrowChange: amount.nullable(),
    difference: amount.nullable().describe('Escrow change − net'),
  })
  .describe('One token’s day; null is not known')

const problemOfDay = z.object({
  kind: z.enum(breakKinds),
  token: reportToken,
  count,
  amount,
  inBaseUnits: z.boolean(),
  unknown: count,
  oldestAt: time,
})

const flow = z.object({
  token: reportToken,
  direction,
  opening: reportSum,
  started: reportSum,
  completed: reportSum,
  failed: reportSum,
  closing: reportSum,
})

const percentiles = {
  samples: count,
  p50: span.nullable(),
  p95: span.nullable(),
  p99: span.nullable(),
}

const findingLine = z.object({
  title: z.string(),
  at: time,
  key: z.string().nullable(),
  alertId: z.string().exactOptional(),
  amount: amount.nullable().exactOptional(),
  token: reportToken.nullable().exactOptional(),
})

const escrowDay = z.object({
  token: reportToken,
  opening: amount.nullable(),
  change: amount.nullable(),
  closing: amount.nullable(),
  owed: amount.nullable(),
  at: time.nullable(),
  accounts: accounts.nullable().exactOptional(),
  unexplained: amount
    .nullable()
    .exactOptional()
    .describe('Where movements of its time are forgotten: as the reports of its days said'),
  ground: z.enum(baselineGrounds).exactOptional().describe('How the baseline is known'),
})

const cases = z.object({
  opened: count,
  handled: z.array(z.object({ id: z.string(), by: z.string(), reason: z.string() })),
  open: count,
  atRisk: z.array(z.object({ symbol: z.string(), amount })),
})

const preconf = z.object({
  seen: count,
  kept: count,
  moved: count,
  flipped: count,
  dropped: count,
  unknown: count,
  hitRate: z.number().nullable(),
  leadMs: span.nullable(),
})

const coverage = z.object({
  source: z.string(),
  share: z.number().describe('0 to 1'),
  gaps: z.array(z.object({ from: time, until: time })),
  note: z.string().nullable(),
})

export const report = z
  .object({
    window: z.object({ day: z.string(), zone: z.string(), from: time, until: time }),
    builtAt: time,
    missing: z.array(z.string()).describe('What it could not look at; empty when it is complete'),
    book: z.array(bookLine).exactOptional(),
    problems: z.array(problemOfDay).nullable().exactOptional().describe('What does not reconcile'),
    flows: z.array(flow),
    restated: z
      .array(z.object({ token: reportToken, direction, reported: reportSum, known: reportSum }))
      .nullable(),
    legs: z.array(z.object({ chain, direction, part: z.enum(['origin', 'destination']), count })),
    latencies: z
      .array(
        z.object({
          token: reportToken,
          direction,
          ...percentiles,
          past: z.object(percentiles).describe('The 30 days before'),
        }),
      )
      .nullable(),
    findings: z.array(z.object({ kind: z.string(), severity, count, examples: z.array(findingLine) })),
    corrections: z
      .array(
        z.object({
          day: z.string(),
          kind: z.string(),
          severity,
          count,
          money: z.array(z.object({ token: reportToken, amount })),
        }),
      )
      .exactOptional()
      .describe('Found of earlier days since the report before'),
    oldest: z.array(
      z.object({
        key: z.string(),
        token: reportToken,
        direction,
        amount: amount.nullable(),
        originAt: time,
        mainHash: z.string().nullable(),
        zoneHash: z.string().nullable(),
      }),
    ),
    breaks: z
      .object({ sums: z.array(breakSum), isCut: z.boolean(), entries: z.array(breakEntry) })
      .exactOptional(),
    cases: cases.exactOptional(),
    alerts: z.object({
      told: count.describe('Found in its time, sent or not'),
      suppressed: count.describe('Held back from a channel or from all'),
    }),
    preconf: preconf.nullable(),
    escrows: z.array(escrowDay).nullable(),
    coverage: z.array(coverage).nullable(),
    hours: z.array(z.object({ hour: z.string(), deposits: count, withdrawals: count })),
  })
  .describe('A reconciliation as numbers; what is null could not be known')

export const reportRow = z.object({
  day: z.string(),
  zone: z.string(),
  builtAt: time,
  state: z.enum(['queued', 'sent', 'dead']),
  sentAt: time.nullable(),
  lastError: z.string().nullable(),
})
