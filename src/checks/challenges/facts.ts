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
