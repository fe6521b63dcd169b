import { join } from 'node:path'
import type { UnixMs } from '../lib/clock.ts'
import type { Ballast } from './ballast.ts'
import type { WalkCursors } from './cursors.ts'
import type { ReplicaRole } from './replicaRole.ts'
import type { Database, DatabaseOptions } from './database.ts'
import type { Integrity } from './integrity.ts'
import type { LogCopies } from './logCopies.ts'

export interface State {
  readonly db: Database
  readonly cursors: WalkCursors
  readonly isFirstStart: boolean
  /** What had to be repaired at the start, for people; null when nothing had to. */
  readonly recovered: string | null
  /** What `recovered` says is an alert by now: the next start need not say it. */
  noteTold(): void
  /** Room kept back on the disk; it is given away when a commit finds the disk full. */
  readonly ballast: Ballast
  /** Whether the paths of ledger, log and lock still lead to the files that are in use: a folder can be removed under a process. */
  isInPlace(): boolean
  /** Commits of the ledger that failed since the start. */
  commitsFailed(): number
  /** How often the disk refused since the start, in commits and in writes of cursors, and what it said last. */
  diskErrors(): { readonly count: number; readonly last: string }
  /** Whether what is committed stays in memory, because the disk takes nothing. */
  isUnsaved(): boolean
  /** Saves it as soon as the disk takes it. @throws what the disk says when it refuses nevertheless */
  settle(): void
  /** Aborted with a DamagedLedger once the ledger's file is found to be broken. */
  readonly damage: AbortSignal
  readonly integrity: Integrity
  readonly logCopies: LogCopies
  /** Who else can write to the folder, for people; null when nobody can. */
  readonly warning: string | null
  /** What the folder's files take up, bytes; null when it cannot be looked at. */
  bytes(): number | null
  close(): void
}

/** What of a state folder is there, for commands that only look: no lock, nothing is created. */
export function ledgerPath(folder: string): string {
  return join(folder, 'ledger.sqlite')
}

export interface StateOptions extends Pick<DatabaseOptions, 'timing'> {
  readonly folder: string
  readonly since: UnixMs
  readonly now: UnixMs
  readonly reset?: boolean
  /** What this process is to the ledger; left out, it is alone and nothing is recorded for others. */
  readonly replica?: ReplicaRole
}
