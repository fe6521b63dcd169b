import type { BridgeLog } from '../../bridge/bridgeLog.ts'
import type { Finding } from '../../bridge/finding.ts'
import { findEarly } from '../../kernel/earlyFindings.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { type indexAdministration, readAdministration } from './administration.ts'
import { toActFinding } from './changed.ts'
import { closeLog, saveLogs } from './logStore.ts'
import { type ContractProgress, readProgress, saveProgress } from './progressStore.ts'

/** A contract of the bridge whose logs are read. What happened before `tellSince` is history. */
export interface WatchedContract
  extends Pick<
    Kernel,
    | 'clock'
    | 'commit'
    | 'contractReads'
    | 'db'
    | 'endpointLags'
    | 'log'
    | 'logListeners'
    | 'reads'
    | 'rpcs'
    | 'tellSince'
  > {
  readonly address: string
  /** It only holds money: what else it emits says nothing of transfers. */
  readonly isEscrow?: boolean
  readonly administration: ReturnType<typeof indexAdministration>
  /** Names of further events of administration, by first topic. */
  readonly named: ReadonlyMap<string, string>
}

/** Implementations that were reported lately: what E17 shows of them afterwards is no news. */
const maxAnnounced = 8
/** By then E17 shows an upgrade: what an older log tells of it shows already, or not any more. */
const announcedMs = 86_400_000

/**
 * Saves logs and reports the acts of administration among the new ones; runs inside a commit.
 * @param birth the transaction that made the contract, where it is among theirs
 */
export function takeLogs(
  { address, administration, db, isEscrow = false, logListeners, named, tellSince }: WatchedContract,
  { logs, birth }: { readonly logs: readonly BridgeLog[]; readonly birth: string | null },
  now: UnixMs,
): Finding[] {
  const isOurs = (log: BridgeLog) => !isEscrow || readAdministration(administration, named, log) !== null
  const fresh = saveLogs(db, logs.filter(isOurs), now)
  for (const listener of logListeners) listener.take(fresh)
  return fresh.flatMap((log) => {
    const act = readAdministration(administration, named, log)
    if (act === null) return []
    closeLog(db, log)
    const shown = act.group === 'upgrade' ? findShown(readProgress(db, address), log, act.after) : null
    if (act.group === 'upgrade' && shown === null && now - (log.time ?? now) < announcedMs)
      announce(db, { address, implementation: act.after }, now)
    if (log.hash === birth) return []
    if ((log.time ?? now) < tellSince) return []
    const finding = toActFinding(log, act, now)
    return [shown === null ? onceTold(db, finding) : { ...finding, ...shown }]
  })
}

/** As what E17 told the upgrade before that a log tells of; null where it is another one. */
function findShown(
  { earlier, verified }: ContractProgress,
  { time }: BridgeLog,
  implementation: string,
): { readonly subject: string; readonly since: UnixMs } | null {
  if (earlier?.told === undefined || time === null || time > earlier.until) return null
  const isSame =
    verified?.implementation === implementation && earlier.source.implementation !== implementation
  return isSame && earlier.until - time < announcedMs ? earlier.told : null
}

/** What was told when it was preconfirmed is the same act: it began then, and is told again only by a rule that did not tell it. */
function onceTold(db: Database, finding: Finding): Finding {
  const early = findEarly(db, finding.kind, finding.subject)
  return early === null ? finding : { ...finding, since: early.since }
}

function announce(
  db: Database,
  { address, implementation }: { readonly address: string; readonly implementation: string },
  now: UnixMs,
): void {
  const progress = readProgress(db, address)
  const announced = [...progress.announced, implementation].slice(-maxAnnounced)
  saveProgress(db, address, { ...progress, announced, verifyAt: now })
}
