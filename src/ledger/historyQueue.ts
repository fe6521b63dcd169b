import type { UnixMs } from '../lib/clock.ts'
import { queueHistoricLegs } from './evidence/queueLegs.ts'
import { noteQueuedHistory, readWaitingHistory } from './lessons/historyMarks.ts'
import { type LedgerState, readTransfers } from './recordAnswer.ts'
import { selectTransfers } from './transfers/transferRows.ts'

/**
 * Puts legs of what was long over when it was first seen into the queue, of so many transfers, in the order in which they were
 * seen. History is many times what can be asked in a day: a queue of all of it would be as large as the ledger.
 */
export function queueHistory(ledger: LedgerState, count: number, now: UnixMs): void {
  const { db, evidence: settings } = ledger
  const waiting = readWaitingHistory(db)
  if (settings === null || waiting === null) return
  db.transaction(() => {
    const where = 'WHERE key > ? AND key <= ? ORDER BY key LIMIT ?'
    const rows = selectTransfers(db, where, waiting.after, waiting.last, count)
    // Of all of them: one that was long over may have arrived since, and its origin was not asked about.
    for (const transfer of readTransfers(ledger, rows)) queueHistoricLegs(db, settings, transfer, now)
    noteQueuedHistory(db, rows.length < count ? waiting.last : (rows.at(-1)?.key ?? waiting.last))
  }, true)
}
