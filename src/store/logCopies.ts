import { MonitorError } from '../lib/errors.ts'
import { DamagedLedger } from './damage.ts'
import type { Database } from './database.ts'
import { runLedgerJob } from './runLedgerJob.ts'

/** When the write-ahead log is copied into the ledger's file, and where. */
export interface LogCopies {
  /** Whether so much was written since the last time that it should not wait for the next. */
  isDue(): boolean
  /** @throws what the disk says */
  run(signal: AbortSignal): Promise<void>
}

/** Copied in some milliseconds, here: to begin a thread takes more. It is also what SQLite leaves of a log that begins anew. */
const quickBytes = 4 * 1024 * 1024
/** A fourth of where a commit would have to copy it. */
const dueBytes = 8 * 1024 * 1024

export function createLogCopies(of: {
  readonly path: string
  readonly db: Pick<Database, 'checkpoint' | 'held' | 'logBytes' | 'truncateLog'>
  readonly onDamaged: (error: DamagedLedger) => void
}): LogCopies {
  const { db, path } = of
  /** The log's after the last time. */
  let bytes = 0
  return {
    isDue() {
      const now = db.logBytes()
      // One that is shorter was begun anew since.
      return (now < bytes ? now : now - bytes) > dueBytes
    },
    async run(signal) {
      db.held.save()
      if (db.held.isHeld()) return
      const before = bytes
      // One that fails is tried again at its time, not with each commit.
      bytes = db.logBytes()
      if (bytes <= quickBytes) return void db.checkpoint()
      // While more is written its room is needed again at once.
      if (bytes === before) return db.truncateLog()
      const answer = await runLedgerJob({ work: 'log', path }, signal)
      if (signal.aborted) return
      if ('damaged' in answer) return of.onDamaged(new DamagedLedger(answer.damaged))
      if ('failed' in answer)
        throw new MonitorError('state.invalid', `The ledger's log could not be copied: ${answer.failed}`)
      bytes = db.logBytes()
    },
  }
}
