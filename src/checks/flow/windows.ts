import type { Interval } from '../../kernel/coverage.ts'
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

/** Sliding windows: whole slots are kept in memory and changed by what is summed up anew, the edges are read. */
export interface FlowWindows {
  readonly db: Database
  /** How many slots at most are summed up in one tick: there are many after a pause and while history is read. */
  readonly maxFolds: number
  readonly middles: Map<number, Middle>
  readonly edges: Map<number, { readonly from: UnixMs; readonly steps: readonly FlowStep[] }>
  /** The steps of the present slot, within one tick. */
  tail: readonly FlowStep[] | null
  /** As the ledger numbered the newest change that is in here; null before the first. */
  folds: number | null
  /** The newest slot that is not summed up yet; null without one. */
  newestLeft: UnixMs | null
}

export function createFlowWindows(db: Database, maxFolds: number): FlowWindows {
  return { db, maxFolds, middles: new Map(), edges: new Map(), tail: null, folds: null, newestLeft: null }
}

/** Sums up what changed. @returns the slots concerned; null when nothing kept from before may be relied on */
export function advance(windows: FlowWindows, now: UnixMs): readonly UnixMs[] | null {
  const { db, edges, folds, maxFolds, middles } = windows
  windows.tail = null
  // Another number than ours: a tick was rolled back after it had changed what is kept here.
  const isTrusted = folds !== null && folds === readFolds(db)
  if (!isTrusted) {
    middles.clear()
    edges.clear()
  }
  const marked = listMarkedSlots(db, toSlot(now), maxFolds + 1)
  windows.newestLeft = marked[maxFolds] ?? null
  const slots = marked.slice(0, maxFolds)
  for (const slot of slots) fold(windows, slot)
  windows.folds = slots.length > 0 ? nextFold(db) : readFolds(db)
  return isTrusted ? slots : null
}

/** Whether there are slots from a time on that are not summed up yet. */
export function isBehind({ newestLeft }: FlowWindows, from: UnixMs): boolean {
  return newestLeft !== null && newestLeft >= toSlot(from)
}

/** From the step in which the window begins to the present one. */
export function readTotals(windows: FlowWindows, windowMs: number, now: UnixMs): FlowTotal[] {
  const { db } = windows
  const [begin, end, current] = [toStep(now - windowMs), toStep(now) + flowStepMs, toSlot(now)]
  if (begin >= current) return sum(listFlow(db, begin, end))
  const tail = (windows.tail ??= listFlow(db, current, end))
  const first = Math.min(toSlot(begin + flowSlotMs - 1), current)
  const middle = middleOf(windows, windowMs, { from: first, until: current })
  const edge = edgeOf(windows, windowMs, { from: begin, until: first })
  return sum([...edge, ...middle.totals.values(), ...tail])
}

function fold({ db, edges, middles }: FlowWindows, slot: UnixMs): void {
  const changes = foldSlot(db, slot)
  for (const [windowMs, edge] of edges) if (toSlot(edge.from) === slot) edges.delete(windowMs)
  for (const middle of middles.values()) {
    if (slot < middle.from || slot >= middle.until) continue
    for (const change of changes) addTo(middle.totals, change, 1)
  }
}

function middleOf({ db, middles }: FlowWindows, windowMs: number, { from, until }: Interval): Middle {
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

function edgeOf(
  { db, edges }: FlowWindows,
  windowMs: number,
  { from, until }: Interval,
): readonly FlowStep[] {
  const known = edges.get(windowMs)
  if (known?.from === from) return known.steps
  const steps = listFlow(db, from, until)
  if (edges.size >= maxWindows) edges.clear()
  edges.set(windowMs, { from, steps })
  return steps
}

function sum(steps: readonly FlowStep[]): FlowTotal[] {
  const totals = new Map<string, FlowTotal>()
  for (const { at: _, ...total } of steps) addTo(totals, total, 1)
  return [...totals.values()].filter(({ count }) => count > 0)
}
