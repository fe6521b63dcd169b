import { z } from 'zod'
import { caseStates } from '../../caseTypes.ts'
import { count, severity, span, time } from './words.ts'

export const evidenceNote = z.object({ source: z.string(), at: time, says: z.string() })

export const field = z
  .object({
    label: z.string(),
    value: z.string(),
    href: z.string().nullable(),
    place: z.enum(['fact', 'hash', 'detail', 'said']).exactOptional(),
  })
  .describe('Label and value as messages say them, with units')

export const caseState = z.enum(caseStates)

export const alert = z
  .object({
    id: z.string(),
    rule: z.string(),
    kind: z.string(),
    severity,
    state: z
      .enum(['new', 'delivered', 'pending', 'firing', 'recovering', 'resolved'])
      .describe('`new` and `delivered` are events, the others conditions'),
    title: z.string().describe('The subject in full'),
    summary: z.string(),
    since: time.describe('Happened at: when what it reports began'),
    leadMs: span.describe('By how much our clock is ahead of the one that `since` is measured by'),
    foundAt: time.describe('When spanwatch found it, by its own clock: an event counts for a day from then'),
    toldAt: time
      .nullable()
      .describe('Sent at: when a channel first took a message of it; null while none did'),
    untold: z
      .string()
      .nullable()
      .describe('Why nothing was sent of it, as was decided last; null where something is, and before that'),
    resolvedAt: time.nullable(),
    endedBadly: z.boolean().describe('It is over, and not well'),
    transferKey: z.string().nullable(),
    facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
    evidence: z.array(evidenceNote),
    runbook: z.string().nullable(),
    told: z.array(z.object({ channel: z.string(), at: time.nullable() })),
    labels: z.record(z.string(), z.string()),
    ack: z.object({ by: z.string(), at: time }).nullable(),
    silence: z.object({ id: z.int(), endsAt: time }).nullable().describe('The one that holds for it now'),
    case: z
      .object({ id: z.string(), state: caseState })
      .nullable()
      .describe('The case that it is part of; null while it is pending'),
  })
  .describe('One finding of a rule')

export const alertStory = alert
  .extend({
    remedy: z.string().nullable().describe('What to do next; null once it is over'),
    fields: z.array(field),
    subject: z.string(),
    episode: count,
    firedAt: time.nullable(),
    heldFor: z.array(z.string()).describe('Channels that it is to be sent to when a silence ends'),
    messages: z.array(
      z.object({
        item: z.int(),
        channel: z.string(),
        what: z.string(),
        state: z.string(),
        message: z.string().nullable(),
        queuedAt: time,
        sentAt: time.nullable(),
      }),
    ),
    decisions: z.array(z.object({ at: time, what: z.string(), reason: z.string() })),
  })
  .describe('An alert with all that the ledger knows of it')

export const acked = z.object({ id: z.string(), rule: z.string(), ackedBy: z.string(), ackedAt: time })
