import { z } from 'zod'
import { count, given, now, text } from '../../kernel/given.ts'
import { moment } from '../../kernel/moment.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Challenge } from './challenge.ts'

export interface ChallengesPart {
  readonly challenges: {
    /** Which values end a challenge; without any, nothing can be stuck. */
    readonly terminal: readonly string[]
    /** Transactions whose status is not terminal and has not changed since, the oldest first. */
    listUnsettled(sinceOrBefore: UnixMs): readonly Challenge[]
  }
}

const challenge = z.strictObject({
  hash: text,
  contract: text.default(''),
  height: count.default(1),
  status: text,
  l1: text.default(''),
  since: moment,
  readAt: now,
  changes: count.default(0),
  past: z.array(text).default([]),
  candidate: z.strictObject({ status: text, at: moment }).nullable().default(null),
})

export const givenChallenges = given(
  {
    challenges: z.strictObject({
      terminal: z.array(text).default([]),
      unsettled: z.array(challenge).default([]),
    }),
  },
  ({ challenges: { terminal, unsettled } = { terminal: [], unsettled: [] } }): ChallengesPart => ({
    challenges: {
      terminal,
      listUnsettled: (sinceOrBefore) => unsettled.filter(({ since }) => since <= sinceOrBefore),
    },
  }),
)
