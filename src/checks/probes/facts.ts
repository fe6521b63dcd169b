import { z } from 'zod'
import { type Direction, directions } from '../../bridge/observation.ts'
import { count, given, text } from '../../kernel/given.ts'
import { moment } from '../../kernel/moment.ts'
import type { UnixMs } from '../../lib/clock.ts'

/** What is known of the transfers that one prober sends in one direction. */
export interface ProbeFact {
  /** Lower case. */
  readonly address: string
  readonly direction: Direction
  /** How often one is sent, ms. */
  readonly everyMs: number
  /** Since when it is looked for. */
  readonly since: UnixMs
  /** The newest one that came through; null before one did. */
  readonly last: { readonly key: string; readonly leftAt: UnixMs; readonly arrivedAt: UnixMs } | null
  /** What left after that one and has not come through; null for nothing. */
  readonly open: {
    readonly count: number
    readonly failed: number
    readonly oldestAt: UnixMs
    readonly newestAt: UnixMs
  } | null
}

export interface ProbesPart {
  readonly probes: {
    /** Up to when the list shows what came through; null before it was read. */
    readonly shownUntil: UnixMs | null
    readonly list: readonly ProbeFact[]
  }
}

const probe = z.strictObject({
  address: text,
  direction: z.enum(directions),
  everyMs: count,
  since: moment.prefault('0s'),
  last: z
    .strictObject({ key: text.default('t1'), leftAt: moment, arrivedAt: moment })
    .nullable()
    .default(null),
  open: z
    .strictObject({ count: count.default(1), failed: count.default(0), oldestAt: moment, newestAt: moment })
    .nullable()
    .default(null),
})

export const givenProbes = given(
  {
    probes: z.strictObject({
      shownUntil: moment.nullable().prefault('now'),
      list: z.array(probe),
    }),
  },
  ({ probes = { shownUntil: null, list: [] } }): ProbesPart => ({ probes }),
)
