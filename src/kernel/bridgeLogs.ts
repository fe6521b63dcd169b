import type { BridgeLog } from '../bridge/bridgeLog.ts'

/** Who goes by the logs of bridge contracts: each is asked inside the commit that saves or forgets them. */
interface LogListener {
  /** Every log that was not known. */
  take(logs: readonly BridgeLog[]): void
  /** Whether it keeps something of what a contract emitted in a transaction. */
  goesBy(contract: string, hash: string): boolean
  /** The transaction is in no block any more. */
  forget(contract: string, hash: string): void
}

export type LogListeners = Set<LogListener>
