import type { UnixMs } from '../../lib/clock.ts'

export interface MonitorPart {
  /** Why the newest edit of the rules was refused; null when it was not. */
  readonly rulesRejected: { readonly at: UnixMs; readonly problems: readonly string[] } | null
}
