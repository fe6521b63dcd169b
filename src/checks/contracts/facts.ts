import { z } from 'zod'
import { count, given, now, text } from '../../kernel/given.ts'
import { moment } from '../../kernel/moment.ts'
import type { UnixMs } from '../../lib/clock.ts'

/** That nobody has seen a log of any contract of the bridge. */
export interface NoLogs {
  readonly contracts: readonly string[]
  /** When their logs were first asked for, and last. */
  readonly since: UnixMs
  readonly readAt: UnixMs
  /** Transfers that have crossed since then; no more are counted than decide. */
  readonly crossed: number
}

export interface ContractsPart {
  /** Null where a log was seen, or none was asked for so far. */
  readonly noLogs: NoLogs | null
}

const noLogs = z.strictObject({
  contracts: z.array(text).default(['0xc1']),
  since: moment,
  readAt: now,
  crossed: count,
})

export const givenContracts = given(
  { noLogs: noLogs.nullable() },
  ({ noLogs: said = null }): ContractsPart => ({ noLogs: said }),
)
