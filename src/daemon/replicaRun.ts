import type { AppConfig } from '../kernel/settings.ts'
import type { AppDeps } from '../monitor/options.ts'
import type { Connections } from '../replicas/connect.ts'
import type { RunOptions } from './runOptions.ts'
import type { WatchedRules } from './watchRules.ts'

export type ReplicaSettings = NonNullable<AppConfig['replicas']>

/** What holding and following stand on. */
export interface ReplicaRun {
  readonly deps: AppDeps
  readonly options: RunOptions
  readonly rules: WatchedRules
  readonly bridge: string
  readonly node: string
  readonly lease: Connections
  readonly data: Connections
  /** For the tables that people query. */
  readonly shown: Connections
  readonly bootMs: () => number | null
  /** The snapshot that this ledger was built from last, or that could not be read. */
  readonly tried: { id: number | null }
}
