import { z } from 'zod'
import { byDirection, count, nature, severity, span, time } from './words.ts'

export const change = z
  .object({
    id: z.int(),
    at: time,
    who: z.string(),
    via: z.enum(['cli', 'page', 'api', 'slack']),
    address: z.string().nullable(),
    role: z.string().nullable(),
    session: z.string().nullable(),
    what: z.string(),
    about: z.enum(['alert', 'case', 'silence', 'transfer', 'movement', 'outbox', 'list']),
    aboutId: z.string(),
    detail: z.string(),
  })
  .describe('One change that somebody made')

export const auditPage = z.object({
  changes: z.array(change),
  next: z.int().nullable().describe('The `before` of the page that follows; null on the last one'),
})

export const outboxItem = z
  .object({
    id: z.int(),
    state: z.enum(['queued', 'sent', 'dead']),
    channel: z.string(),
    what: z.enum(['event', 'firing', 'joined', 'repeat', 'resolved', 'both', 'correction', 'case']),
    alert: z.string().nullable(),
    rule: z.string().nullable(),
    subject: z.string().nullable(),
    isCritical: z.boolean(),
    createdAt: time,
    notBefore: time,
    expiresAt: time,
    sentAt: time.nullable(),
    isDropped: z.boolean(),
    messageId: z.string().nullable(),
    attempt: count.nullable(),
    nextAt: time.nullable(),
    lastError: z.string().nullable(),
  })
  .describe('What is to be sent, or was sent, to one channel of one alert')

export const rule = z
  .object({
    name: z.string(),
    kind: z.string(),
    watches: z.string().describe('What a finding of its kind says'),
    lastFiredAt: time.nullable(),
    tests: z.array(z.string()).describe('The tests beside the rules that expect something of it'),
    nature,
    isRaised: z.boolean().describe('Found where it happens; no round looks for it'),
    severity,
    origin: z.string().nullable().describe('Where it is defined; null for what is built in'),
    forMs: span,
    evaluatedAt: time.nullable().describe('When it was last judged to the end'),
    firing: count,
    pending: count,
    events: count.describe('Of the past day'),
    problem: z.string().nullable().describe('Why it cannot tell'),
    unsure: z
      .object({ count, subjects: z.array(z.string()), why: z.string() })
      .nullable()
      .describe('The subjects that it cannot judge though it can judge others'),
    needs: z.string().nullable().describe('A setting without which nothing of its kind can be found'),
  })
  .describe('A rule with its state')

export const unwatched = z
  .object({
    setting: z.string(),
    what: z.string().describe('What is not watched, or not reported, without it'),
    write: z.string().describe('YAML of one line'),
    kinds: z.array(z.string()).describe('Kinds that cannot be found without it'),
  })
  .describe('Something that the configuration leaves out')

export const rulesView = z.object({ rules: z.array(rule), unwatched: z.array(unwatched) })

export const series = z.object({
  flow: z
    .array(
      z.object({
        at: time.describe('Start of the hour'),
        started: byDirection(count).nullable().describe('Null where the ledger does not know'),
        arrived: byDirection(count).nullable(),
      }),
    )
    .describe('Transfers by the hour, the past day'),
  latency: z
    .array(
      z.object({
        at: time.describe('Start of the quarter of the day'),
        p50: byDirection(span.nullable()),
        p95: byDirection(span.nullable()),
      }),
    )
    .describe('Percentiles by quarters of the day, seven days'),
})

export const health = z.object({ status: z.enum(['ok', 'failing']), reasons: z.array(z.string()) })

export const problem = z
  .object({
    code: z
      .string()
      .exactOptional()
      .describe(
        '`usage` for what cannot be meant, `not_found`, `forbidden`, `replica.follower`; left out elsewhere',
      ),
    error: z.string().describe('Why, for people'),
    holder: z.string().nullable().exactOptional().describe('With `replica.follower`: the node that watches'),
    page: z.string().nullable().exactOptional().describe('With `replica.follower`: where its page is'),
  })
  .describe('What is said of a request that is refused')
