import { z } from 'zod'
import { given, now, text } from '../../kernel/given.ts'
import type { UnixMs } from '../../lib/clock.ts'

export interface MonitorPart {
  /** Why the newest edit of the rules was refused; null when it was not. */
  readonly rulesRejected: { readonly at: UnixMs; readonly problems: readonly string[] } | null
}

export const givenMonitor = given(
  { rulesRejected: z.strictObject({ at: now, problems: z.array(text) }).nullable() },
  ({ rulesRejected = null }): MonitorPart => ({ rulesRejected }),
)
