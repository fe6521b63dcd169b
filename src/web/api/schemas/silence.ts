import { z } from 'zod'
import { amount, count, severity, time } from './words.ts'

const madeSilence = z.object({
  matchers: z.array(z.string()).describe('As written: `kind="transfer.stalled"`. All must match'),
  startsAt: time,
  endsAt: time,
  author: z.string(),
  comment: z.string(),
  createdAt: time,
  transfer: z
    .object({
      key: z.string(),
      untilOver: z.boolean().describe('It ends when the transfer is over well'),
      kinds: z.array(
        z.object({
          kind: z.string(),
          severity,
          amount: amount.nullable(),
          token: z.string(),
          symbol: z.string(),
        }),
      ),
    })
    .nullable()
    .describe('What it was made for: another kind, a higher severity or more money is not silenced'),
})

export const silence = madeSilence.extend({
  id: z.int(),
  expiredAt: time.nullable().describe('When somebody ended it early'),
})

export const shownSilence = silence
  .extend({ problem: z.string().nullable().describe('Why it is set aside and silences nothing') })
  .describe('A silence that holds, or will')

const matchedAlert = z.object({
  id: z.string(),
  rule: z.string(),
  severity,
  subject: z.string(),
  about: z.string().describe('The key of the transfer that it is about; what else it is about in words'),
  amount: z.string().nullable().describe('With its token'),
})

export const matchedAlerts = z.object({
  count,
  isAtLeast: z.boolean().describe('There are more than were looked at'),
  critical: count,
  rules: z.array(z.object({ rule: z.string(), kind: z.string(), count })),
  first: z.array(matchedAlert),
  largest: z.array(matchedAlert),
})

export const silencePreview = z.object({ silence: madeSilence, now: matchedAlerts, week: matchedAlerts })
