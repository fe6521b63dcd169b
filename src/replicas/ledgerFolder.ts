import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Change, type ChangeLog, createChangeLog, type ReplicaState } from '../store/changeLog.ts'
import { migrations } from '../store/migrate.ts'
import { ledgerPath } from '../store/state.ts'
import { syncFolder, takeFolder, takeStateLock } from '../store/stateFolder.ts'
import type { Query } from './connect.ts'
import { fetchSnapshot, type Snapshot } from './snapshots.ts'

/** What of a ledger is there before it is opened by its own version. */
export interface FoundLedger {
  /** Null for one that was never replicated. */
  readonly state: ReplicaState | null
  readonly version: number
}

/** Null where there is none. It is opened as it is, whatever its version. */
export function findLedger(folder: string): FoundLedger | null {
  return withRawLedger(folder, ({ changes, version }) => ({ state: changes?.state() ?? null, version }))
}

interface RawLedger {
  readonly connection: DatabaseSync
  /** Null in one of before there were replicas. */
  readonly changes: ChangeLog | null
  readonly version: number
}

/** Opens a ledger past its migrations, under the folder's lock. Null where there is none. */
export function withRawLedger<T>(folder: string, work: (ledger: RawLedger) => T): T | null {
  takeFolder(folder)
  const path = ledgerPath(folder)
  if (!existsSync(path)) return null
  const lock = takeStateLock(join(folder, 'lock.sqlite'))
  try {
    const connection = openRaw(path)
    try {
      return work(toRaw(connection))
    } finally {
      connection.close()
    }
  } finally {
    lock.release()
  }
}

function openRaw(path: string): DatabaseSync {
  const connection = new DatabaseSync(path, { timeout: 5_000 })
  try {
    connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

function toRaw(connection: DatabaseSync): RawLedger {
  const version = Number(connection.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
  return { connection, version, changes: version >= firstVersion ? createChangeLog(connection) : null }
}

/** The migration that brought the tables of replicas is the last of them. */
const firstVersion = migrations.findIndex((sql) => sql.includes('CREATE TABLE replica_head')) + 1

/** A copy of an older version: what the holder commits is taken over, and nobody else reads it. */
export interface RawCopy {
  readonly ledgerVersion: number
  state(): ReplicaState
  apply(changes: readonly Change[]): void
  close(): void
}

/** @param state a follower's */
export function openRawCopy(folder: string, state: ReplicaState): RawCopy {
  const lock = takeStateLock(join(folder, 'lock.sqlite'))
  try {
    const connection = openRaw(ledgerPath(folder))
    try {
      const { changes, version } = toRaw(connection)
      changes?.become({ ...state, role: 'follower' })
      return {
        ledgerVersion: version,
        state: () => changes?.state() ?? state,
        apply: (list) => changes?.apply(list),
        close() {
          connection.close()
          lock.release()
        },
      }
    } catch (error) {
      connection.close()
      throw error
    }
  } catch (error) {
    // Held on, it would keep this very process from building the ledger anew.
    lock.release()
    throw error
  }
}

/** The state that is recorded in a copy of a ledger. */
export function readCopyState(path: string): ReplicaState | null {
  const connection = new DatabaseSync(path, { readOnly: true })
  try {
    return createChangeLog(connection).state()
  } finally {
    connection.close()
  }
}

/** Files that are of one ledger and would be wrong beside another. */
const ledgerFiles = [
  'ledger.sqlite',
  'ledger.sqlite-wal',
  'ledger.sqlite-shm',
  'cursors.json',
  'cursors.json.previous',
]

/**
 * Puts a snapshot in the place of the ledger. What was there is set aside where others may not have it, else removed.
 * Cut off, the ledger that was there is still there, or none is and it begins anew.
 */
export async function restoreFolder(
  query: Query,
  of: {
    readonly folder: string
    readonly bridge: string
    readonly snapshot: Snapshot
    /** What the ledger that is set aside is called by; null removes it. */
    readonly aside: string | null
    readonly signal: AbortSignal
  },
): Promise<void> {
  const { folder, aside } = of
  takeFolder(folder)
  const lock = takeStateLock(join(folder, 'lock.sqlite'))
  const incoming = join(folder, 'ledger.incoming')
  try {
    rmSync(incoming, { force: true })
    await fetchSnapshot(query, { ...of, path: incoming })
    prepareCopy(incoming)
    for (const name of ledgerFiles) {
      const path = join(folder, name)
      if (!existsSync(path)) continue
      if (aside === null) rmSync(path)
      else renameSync(path, `${path}.${aside}`)
    }
    renameSync(incoming, ledgerPath(folder))
    syncFolder(folder)
  } finally {
    rmSync(incoming, { force: true })
    lock.release()
  }
}

/** What the holder had to send is not for us to send. */
function prepareCopy(path: string): void {
  const connection = openRaw(path)
  try {
    const changes = createChangeLog(connection)
    const state = changes.state()
    changes.become(null)
    if (state !== null) changes.become({ ...state, role: 'follower' })
    connection.exec('PRAGMA journal_mode = DELETE')
  } finally {
    connection.close()
  }
}
