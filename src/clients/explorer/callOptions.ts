import type { Priority } from './pace.ts'

export interface CallOptions {
  readonly priority: Priority
  readonly signal?: AbortSignal | undefined
  /** Attempts in all, when a retry can help. */
  readonly attempts?: number
  /** The caller knows that there is an answer, whatever the client remembers: an empty one is contradicted. */
  readonly isKnown?: boolean
  /** The question is whether a filter works: rows that do not fit it are an answer, and no sign against the source. */
  readonly isProbe?: boolean
}
