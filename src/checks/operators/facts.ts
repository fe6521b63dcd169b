import { z } from 'zod'
import { count, given, maybeUnits, now, text, units } from '../../kernel/given.ts'
import { moment } from '../../kernel/moment.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { durationText } from '../../rules/durationText.ts'
import type { BurnHour } from './burn.ts'

export interface OperatorFact {
  readonly address: string
  /** Wei; null where the configuration gives none, or nothing was read. */
  readonly minBalance: bigint | null
  readonly balance: bigint | null
  readonly balanceAt: UnixMs | null
  /** What the balance lost, hour by hour of the last week, oldest first. */
  readonly burn: readonly Pick<BurnHour, 'at' | 'spent' | 'coveredMs'>[]
  readonly last: { readonly hash: string; readonly height: number; readonly at: UnixMs } | null
  /** Until when the newest answer that can be trusted shows what was sent. */
  readonly readAt: UnixMs | null
  /** When value first left either chain after `last`; null while none did. */
  readonly busySince: UnixMs | null
  /** By the rules of absence nothing was sent since `last`. */
  readonly isSilent: boolean
}

export interface OperatorsPart {
  readonly operators: readonly OperatorFact[]
  /** When value last left either chain; null before the first transfer. */
  readonly newestOriginAt: UnixMs | null
}

const burnHour = z
  .strictObject({ at: moment, spent: units, covered: durationText.prefault('1h') })
  .transform(({ covered, ...hour }) => ({ ...hour, coveredMs: covered }))

const operator = z.strictObject({
  address: text,
  minBalance: maybeUnits,
  balance: maybeUnits,
  balanceAt: now.nullable(),
  burn: z.array(burnHour).default([]),
  last: z.strictObject({ hash: text, height: count, at: moment }).nullable().default(null),
  readAt: now.nullable(),
  busySince: moment.nullable().optional(),
  isSilent: z.boolean().default(false),
})

export const givenOperators = given(
  { operators: z.array(operator), newestOriginAt: moment.nullable() },
  ({ operators = [], newestOriginAt = null }): OperatorsPart => ({
    operators: operators.map((one) => ({ ...one, busySince: one.busySince ?? one.last?.at ?? null })),
    newestOriginAt,
  }),
)
