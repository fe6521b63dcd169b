import type { BridgeLog } from '../bridge/bridgeLog.ts'
import type { Finding } from '../bridge/finding.ts'
import type { UnixMs } from '../lib/clock.ts'

/** What those who govern the bridge do, read from the logs of transactions that are in no block yet. */
interface PreconfirmedActs {
  /** The event that follows from a log; null when it is no act, or was told already. */
  actOf(log: BridgeLog, now: UnixMs): Finding | null
}

/** Knows no act until somebody who does is followed. */
export interface FollowedActs extends PreconfirmedActs {
  follow(acts: PreconfirmedActs): void
}

export function createActs(): FollowedActs {
  let followed: PreconfirmedActs = { actOf: () => null }
  return {
    actOf: (log, now) => followed.actOf(log, now),
    follow(acts) {
      followed = acts
    },
  }
}
