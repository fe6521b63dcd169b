import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import {
  flowSlotMs,
  flowStepMs,
  type FlowStep,
  type FlowTotal,
  listFlow,
  toSlot,
  toStep,
} from '../../ledger/flow.ts'
import { addTo, foldSlot, listMarkedSlots, listSlots, nextFold, readFolds } from '../../ledger/flowSlots.ts'

const maxWindows = 32

/** The whole slots of a window, summed up. */
interface Middle {
  from: UnixMs
  until: UnixMs
  readonly totals: Map<string, FlowStep>
}

export interface FlowWindows {
  /** Sums up what changed. @returns the slots concerned; null when nothing kept from before may be relied on */
  advance(now: UnixMs): readonly UnixMs[] | null
  /** From the step in which the window begins to the present one. */
  totals(windowMs: number, now: UnixMs): FlowTotal[]
  /** Whether there are slots from a time on that are not summed up yet. */
  isBehind(from: UnixMs): boolean
}

/**
 * Sliding windows: whole slots are kept in memory and changed by what is summed up anew, the edges are read. At most
 * `maxFolds` slots are summed up in one tick: there are many after a pause and while history is read.
 */
export function createFlowWindows(db: Database, maxFolds: number): FlowWindows {
  const middles = new Map<number, Middle>()
  const edges = new Map<number, { readonly from: UnixMs; readonly steps: readonly FlowStep[] }>()
  let folds: number | null = null
  let newestLeft: UnixMs | null = null
  let tail: { readonly at: UnixMs; readonly steps: readonly FlowStep[] } | null = null

  function advance(now: UnixMs): readonly UnixMs[] | null {
    tail = null
    // Another number than ours: a tick was rolled back after it had changed what is kept here.
    const isTrusted = folds !== null && folds === readFolds(db)
    if (!isTrusted) {
      middles.clear()
      edges.clear()
    }
    const marked = listMarkedSlots(db, toSlot(now), maxFolds + 1)
    newestLeft = marked[maxFolds] ?? null
    const slots = marked.slice(0, maxFolds)
    for (const slot of slots) fold(slot)
    folds = slots.length > 0 ? nextFold(db) : readFolds(db)
    return isTrusted ? slots : null
  }

  function fold(slot: UnixMs): void {
    const changes = foldSlot(db, slot)
    for (const [windowMs, edge] of edges) if (toSlot(edge.from) === slot) edges.delete(windowMs)
    for (const middle of middles.values()) {
      if (slot < middle.from || slot >= middle.until) continue
      for (const change of changes) addTo(middle.totals, change, 1)
    }
  }

  function middleOf(windowMs: number, from: UnixMs, until: UnixMs): Middle {
    const known = middles.get(windowMs)
    if (known && known.from <= from && known.until <= until && from <= known.until) {
      for (const slot of listSlots(db, known.from, from)) addTo(known.totals, slot, -1)
      for (const slot of listSlots(db, known.until, until)) addTo(known.totals, slot, 1)
      known.from = from
      known.until = until
      return known
    }
    const middle: Middle = { from, until, totals: new Map() }
    for (const slot of listSlots(db, from, until)) addTo(middle.totals, slot, 1)
    if (middles.size >= maxWindows) middles.clear()
    middles.set(windowMs, middle)
    return middle
  }

  function edgeOf(windowMs: number, from: UnixMs, until: UnixMs): readonly FlowStep[] {
    const known = edges.get(windowMs)
    if (known?.from === from) return known.steps
    const steps = listFlow(db, from, until)
    if (edges.size >= maxWindows) edges.clear()
    edges.set(windowMs, { from, steps })
    return steps
  }

  return {
    advance,
    isBehind: (from) => newestLeft !== null && newestLeft >= toSlot(from),
    totals(windowMs, now) {
      const [begin, end, current] = [toStep(now - windowMs), toStep(now) + flowStepMs, toSlot(now)]
      if (begin >= current) return sum(listFlow(db, begin, end))
      tail ??= { at: current, steps: listFlow(db, current, end) }
      const first = Math.min(toSlot(begin + flowSlotMs - 1), current)
      const middle = middleOf(windowMs, first, current)
      return sum([...edgeOf(windowMs, begin, first), ...middle.totals.values(), ...tail.steps])
    },
  }
}

function sum(steps: readonly FlowStep[]): FlowTotal[] {
  const totals = new Map<string, FlowTotal>()
  for (const { at: _, ...total } of steps) addTo(totals, total, 1)
  return [...totals.values()].filter(({ count }) => count > 0)
}
