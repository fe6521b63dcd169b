import { z } from 'zod'
import { count, given, text, units } from '../../kernel/given.ts'
import { moment } from '../../kernel/moment.ts'
import type { UnixMs } from '../../lib/clock.ts'

/** A limit that a contract keeps itself, at its newest reading. */
export interface LimitFact {
  /** As it is configured. */
  readonly name: string
  /** Lower case. */
  readonly contract: string
  readonly decimals: number
  /** Base units; null before the first reading. */
  readonly read: {
    readonly used: bigint
    readonly max: bigint
    readonly height: number
    readonly at: UnixMs
  } | null
}

export interface LimitsPart {
  readonly limits: readonly LimitFact[]
}

const limit = z.strictObject({
  name: text,
  contract: text.default('0xc1'),
  decimals: count.default(0),
  read: z
    .strictObject({ used: units, max: units, height: count.default(1), at: moment.prefault('now') })
    .nullable()
    .default(null),
})

export const givenLimits = given({ limits: z.array(limit) }, ({ limits = [] }): LimitsPart => ({ limits }))
