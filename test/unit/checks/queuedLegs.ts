import type { EvidenceReads } from '../../../src/checks/evidence/reads.ts'
import type { LegsRead } from '../../../src/checks/evidence/legsRead.ts'
import { type QueuedLeg, saveQueued } from '../../../src/ledger/evidence/evidenceQueue.ts'
import type { Database } from '../../../src/store/database.ts'
import { toHashCell } from '../../../src/store/hash.ts'

/** A leg of which nothing was asked yet. */
export function queuedLeg(overrides: Partial<QueuedLeg> = {}): QueuedLeg {
  return {
    ask: 'zone',
    hash: '0x1',
    addedAt: 0,
    readyAt: 0,
    dueAt: 0,
    height: null,
    time: 0,
    reads: 0,
    firstAt: null,
    lastAt: null,
    controlAt: null,
    tries: 0,
    rests: 0,
    isLate: false,
    ...overrides,
  }
}

/** Puts it into the queue as it is. */
export function putQueued(db: Database, leg: QueuedLeg): void {
  db.prepare(
    'INSERT OR REPLACE INTO evidence_queue (ask, hash, added_at, ready_at, due_at, height, time, late) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  ).run(
    leg.ask,
    toHashCell(leg.hash),
    leg.addedAt,
    leg.readyAt,
    leg.dueAt,
    leg.height,
    leg.time,
    leg.isLate ? 1 : 0,
  )
  saveQueued(db, leg)
}

const nothing = (): Promise<LegsRead> => Promise.resolve({ requestedAt: 0, readings: [], bad: [] })

/** Every second source answers, and holds no leg. */
export const emptyReads: EvidenceReads = {
  zoneLegs: nothing,
  zoneLeg: nothing,
  mainLegs: nothing,
  mainLeg: nothing,
  nativeLegs: nothing,
  nativeLeg: nothing,
  mainLogs: nothing,
  ownValue: () => Promise.resolve(null),
  zoneTransactionBy: () => Promise.resolve(null),
}
