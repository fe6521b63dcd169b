import { z } from 'zod'
import { count, given, now, text } from '../../kernel/given.ts'
import type { UnixMs } from '../../lib/clock.ts'

/** What an audit found, the ledger lacked, and a re-read did not take back. */
export interface IncompleteFact {
  /** `list`: records; `zone`, `event`: withdrawals and deposits that the chains alone show. */
  readonly source: string
  readonly count: number
  /** When the oldest of them happened. */
  readonly oldestAt: UnixMs
  readonly toldAt: UnixMs
  readonly mainHeights: readonly [number, number] | null
  readonly zoneHeights: readonly [number, number] | null
  /** Up to three, the oldest. */
  readonly hashes: readonly string[]
  /** How it is looked for. */
  readonly method: string
}

export interface AuditPart {
  /** What the ledger lacks, by where that was found; empty when nothing is known to. */
  readonly incomplete: readonly IncompleteFact[]
}

const heightSpan = z.tuple([count, count]).nullable().default(null)

const incomplete = z.strictObject({
  source: z.enum(['list', 'zone', 'event']),
  count,
  oldestAt: now,
  toldAt: now,
  mainHeights: heightSpan,
  zoneHeights: heightSpan,
  hashes: z.array(text).default([]),
  method: text.default(''),
})

export const givenAudit = given(
  { incomplete: z.array(incomplete).default([]) },
  ({ incomplete = [] }): AuditPart => ({ incomplete }),
)
