import { z } from 'zod'
import { parseDuration } from '../lib/duration.ts'

/** `10s`, `1h30m`, or with a minus sign before it, as milliseconds. */
export const signedDuration = z
  .string()
  .transform((text, context) => {
    const negative = text.startsWith('-')
    const ms = parseDuration(negative ? text.slice(1) : text)
    if (ms !== null) return negative ? -ms : ms
    context.addIssue({ code: 'custom', message: 'expected a duration such as 10s or 1h30m' })
    return z.NEVER
  })
  .meta({ description: 'A duration such as 250ms, 10s or 1h30m; a minus sign means before the start' })

export const duration = z
  .string()
  .transform((text, context) => {
    const ms = parseDuration(text)
    if (ms !== null) return ms
    context.addIssue({ code: 'custom', message: 'expected a duration such as 10s or 1h30m' })
    return z.NEVER
  })
  .meta({ description: 'A duration such as 250ms, 10s or 1h30m' })

export const share = z.number().min(0).max(1)

const latency = z.strictObject({ min: duration, max: duration }).refine((range) => range.min <= range.max, {
  message: 'expected min to be at most max',
})

/** How much crosses the bridge, and how fast. */
export const trafficSchema = z.strictObject({
  transfersPerMinute: z.number().min(0).max(60_000).default(20),
  depositShare: share.default(0.55).describe('The share of transfers that go from main to zone'),
  depositLatency: latency.default({ min: 2_000, max: 9_000 }),
  withdrawalLatency: latency.default({ min: 6_000, max: 24_000 }),
  listLag: latency
    .default({ min: 300, max: 1_200 })
    .describe('How long after a block the explorer shows what happened in it'),
  emptyIds: share.default(0.03).describe('The share of records whose id stays empty'),
  bundles: share.default(0.04).describe('The share of withdrawals that share their zone transaction'),
  sharedPayouts: share.default(0.06).describe('The share of withdrawals paid in one main transaction'),
  batches: share.default(0.5).describe('The share of ERC1155 withdrawals that carry several token ids'),
  native: z
    .number()
    .min(0)
    .max(0.9)
    .default(0)
    .describe("The share of transfers that move the main chain's own currency"),
  fee: share
    .default(0)
    .describe('What is kept back of each payout of a fungible token, as a share of its usual amount'),
  inFlight: z
    .enum(['listed', 'hidden'])
    .default('listed')
    .describe('Whether a transfer is listed with an empty far side, or only once it is complete'),
  users: z.int().min(1).max(60_000).default(300),
  blockTransactions: z
    .int()
    .min(0)
    .max(16)
    .default(3)
    .describe('Other transactions in a main block, at most; 0: none on either chain'),
})

export const historySchema = z.strictObject({
  for: duration.default(7_200_000),
  transfers: z.int().min(0).max(5_000_000).default(360),
})

/** What a withdrawal passes before it is paid, and how long each takes. */
export const stagesSchema = z.strictObject({
  every: duration.default(600_000).describe('How often what left the zone is proposed on the main chain'),
  prove: latency
    .default({ min: 30_000, max: 240_000 })
    .describe('How long after its proposal a withdrawal is proven'),
  dispute: duration.default(900_000).describe('How long a proof may be disputed before it can be claimed'),
  claim: latency.default({ min: 30_000, max: 240_000 }).describe('How long after that it is claimed'),
  expires: duration.default(90_000_000).describe('How long it can be claimed'),
})

export type StageSettings = z.output<typeof stagesSchema>
export type Traffic = z.output<typeof trafficSchema>
export type History = z.output<typeof historySchema>
