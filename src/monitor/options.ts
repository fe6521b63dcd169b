import type { LeavingGate } from '../delivery/gateChannel.ts'
import type { ReplicaStatus } from '../kernel/kernel.ts'
import type { ReplicaRole } from '../store/replicaRole.ts'
import type { ChannelConfig } from '../delivery/channels/createChannel.ts'
import type { AppConfig } from '../kernel/settings.ts'
import type { Clock } from '../lib/clock.ts'
import type { CorrectedClock } from '../lib/correctedClock.ts'
import type { Logger } from '../lib/log.ts'
import type { LoadedRule } from '../rules/types.ts'

export interface AppDeps {
  readonly clock: Clock
  readonly log: Logger
  /** The console channel's sink. */
  readonly write: (text: string) => void
  readonly random: () => number
  /** A channel's settings as they are on disk now, for secrets that are replaced there. */
  readonly rereadChannel?: (name: string) => ChannelConfig | null
}

/** The same with the clock that everything inside goes by. */
export interface PartDeps extends AppDeps {
  readonly clock: CorrectedClock
}

export interface AppOptions {
  readonly config: AppConfig
  readonly rules: readonly LoadedRule[]
  readonly version: string
  /** Sets the present state aside and begins anew. */
  readonly resetState?: boolean
  /** Takes a ledger that was written for another bridge. */
  readonly adoptState?: boolean
  /** What this process is among several of one bridge; left out, it is alone. */
  readonly replica?: Replica
}

/** A process among several of one bridge, which keep the same ledger. */
export interface Replica extends LeavingGate {
  readonly role: ReplicaRole
  readonly status: () => ReplicaStatus
  /** Something was committed. */
  wake(): void
  /** Once nothing is written any more, and before the ledger is closed. */
  stop(): Promise<void>
}
