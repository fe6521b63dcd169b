import { coverageOf, listCovered, observedSince } from '../../kernel/running/coverage.ts'
import { type Kept, notKeptYet } from '../../kernel/kept.ts'
import {
  type FlowStep,
  flowSlotMs,
  listFlow,
  readOldestStep,
  toSlot,
} from '../../ledger/amounts/flowSteps.ts'
import { addTo } from '../../ledger/amounts/flowSlots.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { instant } from '../../store/table.ts'
import type { FlowPart } from './facts.ts'
import type { ReadSlots } from './past.ts'
import { createFlow } from './read.ts'

const dayMs = 86_400_000
/** Copies are set beside the week before their window. */
const weekMs = 7 * dayMs

/** By block times: what was listed late counts when it happened. What failed in the end counts as failed. */
export const flowKept: Kept<FlowPart> = {
  kinds: ['flow.surge', 'flow.quiet', 'flow.imbalance', 'flow.failing'],
  docs: 'what crossed by block time, in steps of ten seconds, for 32 days; one amount again and again (`copies`) for 9 days',
  open({ db, settleMs, token }) {
    const steps = readOldestStep(db)
    const amounts = instant.orNull().get(db, 'SELECT min(at) FROM flow_amounts')
    const first = observedSince(db, 'transfers')
    // Before the oldest step nothing is kept, which is not that nothing crossed.
    const observedFrom = first === null || steps === null ? null : Math.max(first, steps)
    let present: UnixMs = 0
    const read = createFlow({
      db,
      settleMs,
      token,
      slots: sumSlots(db),
      limits: { folds: 0, windows: Infinity, failures: 1e6 },
      observed: {
        since: () => (observedFrom !== null && observedFrom <= present ? observedFrom : null),
        share: (within) => coverageOf(listCovered(db, 'transfers', within), within).share,
      },
    })
    return {
      everyMs: 60_000,
      since(_, params) {
        const asksCopies = hasCopies(params)
        if (steps === null || (asksCopies && amounts === null)) return notKeptYet
        // Where nothing was forgotten yet, the first amounts are about as old as the first steps.
        const isWhole = amounts !== null && amounts < steps + dayMs
        return asksCopies && amounts !== null && !isWhole ? amounts + weekMs : steps
      },
      facts(now) {
        present = now
        return { flow: read(now) }
      },
    }
  },
}

function hasCopies(params: unknown): boolean {
  return typeof params === 'object' && params !== null && 'copies' in params && params.copies !== undefined
}

/** Slots as the daemon sums them up, by their steps: a ledger that is only looked at may be behind with them. */
function sumSlots(db: Database): ReadSlots {
  const known = new Map<UnixMs, readonly FlowStep[]>()
  const sumOf = (slot: UnixMs) => {
    const sums = new Map<string, FlowStep>()
    for (const step of listFlow(db, slot, slot + flowSlotMs)) addTo(sums, { ...step, at: slot }, 1)
    return [...sums.values()]
  }
  return (from, until) => {
    const slots: FlowStep[] = []
    for (let slot = toSlot(from + flowSlotMs - 1); slot < until; slot += flowSlotMs) {
      const steps = known.get(slot) ?? sumOf(slot)
      known.set(slot, steps)
      slots.push(...steps)
    }
    return slots
  }
}
