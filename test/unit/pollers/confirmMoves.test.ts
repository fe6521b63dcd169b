import { expect, test } from 'vitest'
import { confirmMoves } from '../../../src/pollers/confirmMoves.ts'
import type { LegsRead } from '../../../src/pollers/evidenceReads.ts'
import type { EvidenceReading } from '../../../src/store/evidence.ts'
import type { QueuedLeg } from '../../../src/store/evidenceQueue.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'
import { noSignal } from './support.ts'

const first: EvidenceReading = {
  chain: 'main',
  hash: '0x1',
  source: 'E13',
  requestedAt: 1_000_000,
  status: 'success',
  errorMessage: '',
  moves: [],
}

/** A leg whose movements do not fit its record, and whose second answer knows nothing of it. */
function confirm(leg: QueuedLeg) {
  const nothing = (): Promise<LegsRead> => Promise.resolve({ requestedAt: 0, readings: [], bad: [] })
  const reads = {
    zoneLegs: nothing,
    zoneLeg: nothing,
    mainLegs: nothing,
    mainLeg: nothing,
    nativeLegs: nothing,
    nativeLeg: nothing,
    mainLogs: nothing,
    ownValue: () => Promise.resolve(null),
  }
  const deps = { clock: createSteppedClock(), reads, isCovered: () => false, wantsNative: () => false }
  return confirmMoves(deps, leg, first, noSignal)
}

test.each([
  { title: 'that was there at once', before: { reads: 0, firstAt: null, lastAt: null, controlAt: null } },
  {
    title: 'that two answers had not held',
    before: { reads: 2, firstAt: 1, lastAt: 15_001, controlAt: 15_001 },
  },
])('a second answer is asked for three times of a leg $title', async ({ before }) => {
  let leg: QueuedLeg = {
    ask: 'main',
    hash: '0x1',
    addedAt: 0,
    readyAt: 0,
    dueAt: 0,
    height: null,
    time: 0,
    rests: 0,
    isLate: false,
    ...before,
  }
  const taken: (readonly EvidenceReading[])[] = []
  for (let n = 0; n < 3; n += 1) {
    const { readings, saves } = await confirm(leg)
    taken.push(readings)
    leg = saves[0] ?? leg
  }
  expect(taken).toEqual([[], [], [{ ...first, unasked: 'E21' }]])
})
