import { type indexAdministration, readAdministration } from './administration.ts'
import type { BridgeLog } from '../../bridge/bridgeLog.ts'
import type { Finding } from '../../bridge/finding.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { toActFinding } from './changed.ts'
import { closeLog, saveLogs } from './logStore.ts'
import { readProgress, saveProgress } from './progressStore.ts'
import type { Database } from '../../store/database.ts'

export interface TakeDeps {
  readonly db: Database
  readonly administration: ReturnType<typeof indexAdministration>
  /** Names of further events of administration, by first topic. */
  readonly configured: ReadonlyMap<string, string>
  /** What happened before is history. */
  readonly tellSince: UnixMs
}

/** Implementations that were told of lately: what E17 shows of them afterwards is no news. */
const maxAnnounced = 8

/** Saves logs and tells the acts of administration among the new ones; runs inside a commit. */
export function takeLogs(
  deps: TakeDeps,
  contract: string,
  logs: readonly BridgeLog[],
  now: UnixMs,
): Finding[] {
  return saveLogs(deps.db, logs, now).flatMap((log) => {
    const act = readAdministration(deps.administration, deps.configured, log)
    if (act === null) return []
    closeLog(deps.db, log)
    if (act.group === 'upgrade') announce(deps.db, contract, act.after, now)
    return (log.time ?? now) < deps.tellSince ? [] : [toActFinding(log, act, now)]
  })
}

function announce(db: Database, contract: string, implementation: string, now: UnixMs): void {
  const progress = readProgress(db, contract)
  const announced = [...progress.announced, implementation].slice(-maxAnnounced)
  saveProgress(db, contract, { ...progress, announced, verifyAt: now })
}
