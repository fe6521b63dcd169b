import type { EvidenceReads, LegsRead } from '../../../src/checks/evidence/reads.ts'
import type { QueuedLeg } from '../../../src/ledger/evidenceQueue.ts'

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
}
