import type { Explorer } from '../clients/explorer/createExplorer.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { CorrectedClock } from '../lib/correctedClock.ts'
import type { Logger } from '../lib/log.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Learned } from '../ledger/learned.ts'
import type { LoadedRule } from '../rules/types.ts'
import type { CursorFile } from '../store/cursors.ts'
import type { Database } from '../store/database.ts'
import type { RequestNumbers } from '../store/requestNumbers.ts'
import type { HorizonWatch } from './horizons.ts'
import type { Commit, ExplorerReads } from './reads.ts'
import type { Rpcs } from './rpcs.ts'
import type { AppConfig } from './settings.ts'

/** What every check stands on: the ledger and the way into it, the sources, and the clock. */
export interface Kernel {
  readonly config: AppConfig
  readonly clock: CorrectedClock
  readonly log: Logger
  readonly db: Database
  readonly cursors: CursorFile
  readonly ledger: Ledger
  readonly learned: Learned
  readonly explorer: Explorer
  readonly rpcs: Rpcs
  readonly reads: ExplorerReads
  /** Takes a number for each request that a check sends past the explorer's client. */
  readonly numbers: RequestNumbers
  /** The only way into the ledger: one transaction with the alerts that follow. */
  readonly commit: Commit
  readonly horizons: HorizonWatch
  readonly startedAt: UnixMs
  /** What was final before this is history, not news. */
  readonly tellSince: UnixMs
  /** How long after its block a record may first be listed, ms. */
  readonly settleMs: () => number
  /** By how much a source's clock is ahead of ours, at most, ms. */
  readonly clockAheadMs: () => number
  readonly rules: () => readonly LoadedRule[]
  /** Runs a poller now, or once more as soon as its present run ends. */
  readonly trigger: (poller: string) => void
}
