import { z } from 'zod'
import { always, given, never, now, tracked } from '../../kernel/given.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { durationText } from '../../rules/durationText.ts'
import type { PreconfView } from './view.ts'

/** How preconfirmations come; null in `Facts` when none are watched. */
export interface PreconfFacts {
  readonly view: PreconfView
  readonly intervalMs: number
  /** Since when every question is left without an answer though the connection stands; null when one was answered. */
  readonly unansweredSince: UnixMs | null
}

/** What settling has to do, for metrics; no rule looks at it. */
interface PreconfLoad {
  /** Preconfirmed transactions that are not settled yet. */
  readonly held: number
  readonly missedTicks: number
}

export interface PreconfPart {
  readonly preconf: PreconfFacts | null
  readonly preconfLoad?: PreconfLoad
}

const preconf = z.strictObject({
  intervalMs: durationText.prefault('200ms'),
  unansweredSince: never,
  view: z.strictObject({
    startedAt: always,
    readAt: now.nullable(),
    readSince: always.nullable(),
    pending: tracked.nullable().default(null),
    nullSince: never,
    latest: tracked.nullable().default(null),
  }),
})

export const givenPreconf = given(
  { preconf: preconf.nullable() },
  ({ preconf = null }): PreconfPart => ({ preconf }),
)
