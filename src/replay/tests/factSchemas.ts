import { z } from 'zod'
import { checks } from '../../checks/index.ts'
import { always, count, never, now, text, tracked } from '../../kernel/given.ts'
import { moment } from '../../kernel/moment.ts'
import { durationText } from '../../rules/durationText.ts'

const poller = z.strictObject({
  poller: text,
  intervalMs: durationText.prefault('10s'),
  isBackground: z.boolean().default(false),
  startedAt: always,
  lastSuccessAt: never,
  lastError: text.nullable().default(null),
  runningSince: moment.nullable().default(null),
  crashes: z.array(moment).default([]),
})

const drift = z.strictObject({
  named: z.array(z.strictObject({ hash: text, at: moment })).default([]),
  endpoint: text,
  count: count.default(1),
  firstAt: moment,
  lastAt: now,
  problem: text,
  isOfList: z.boolean().default(true),
})

const lack = z.strictObject({
  source: text.default('explorer'),
  endpoint: text,
  hashes: z.array(text).default([]),
  key: text,
  use: z.enum(['judged', 'shown']).default('judged'),
  rows: count.default(1),
  of: count.default(1),
  problem: text,
  firstAt: moment,
  lastAt: now,
  isStill: z.boolean().default(true),
  isWhole: z.boolean().default(false),
})

const ofChecks = checks.reduce<z.ZodRawShape>(
  (all, check) => ('given' in check ? { ...all, ...check.given.shape } : all),
  {},
)

/** The facts that a test may set, each check's among them. Each replaces what was there before it; what is left out stays as it is. */
export const factsSchema = z
  .strictObject({
    ...ofChecks,
    canonicalHead: tracked.nullable(),
    zoneRpcHead: tracked.nullable(),
    pollers: z.array(poller),
    drift: z.array(drift),
    lacks: z.array(lack),
    unreadKeys: z.array(text),
    empties: z.strictObject({
      source: text.default('explorer'),
      since: always,
      answers: count,
      contradicted: count,
    }),
    listLag: z.strictObject({ at: now, lagMs: durationText, says: text.default('') }).nullable(),
  })
  .partial()
  .describe('Facts by name, as they are from then on; `now` is whenever they are looked at.')

export type FactTexts = z.output<typeof factsSchema>
