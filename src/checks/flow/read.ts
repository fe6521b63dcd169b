import type { UnixMs } from '../../lib/clock.ts'
import type { FlowCopiesFact, FlowFacts, FlowTotalFact } from './facts.ts'
import { flowStepMs } from '../../ledger/lessons/counted.ts'
import { coverageOf, type Interval, listCovered, observedSince } from '../../kernel/running/coverage.ts'
import type { Database } from '../../store/database.ts'
import { countCopies, countFirstTimers, type FlowCopies, listCopies } from '../../ledger/amounts/flow.ts'
import {
  flowSlotMs,
  type FlowStep,
  type FlowTotal,
  listFlow,
  readNewestFlow,
  toSlot,
  toStep,
} from '../../ledger/amounts/flowSteps.ts'
import { createFlowFailures, restMs } from './failures.ts'
import { createFlowPast, type FlowPasts, type Observed, type ReadSlots } from './past.ts'
import {
  addTo,
  foldSlot,
  listMarkedSlots,
  listSlots,
  nextFold,
  readFolds,
} from '../../ledger/amounts/flowSlots.ts'

const hourMs = 3_600_000
const weekMs = 7 * 86_400_000
/** What left before a window may arrive within it. */
const travelMs = 86_400_000
/** What was not asked for during so long was not true all the time. */
const breakMs = 60_000

export interface FlowSources {
  readonly db: Database
  readonly token: FlowFacts['token']
  readonly settleMs: () => number
  /** Up to when the list was read without a gap; null before. Left out, what was read is what was noted. */
  readonly readAt?: () => UnixMs | null
  /** Left out, what was noted in the ledger. */
  readonly observed?: Observed
  /** Slots as they are, where nothing may be summed up; left out, those of the ledger, which are kept up to date. */
  readonly slots?: ReadSlots
  /** How much is read in one tick; left out, what no tick notices. */
  readonly limits?: { readonly folds: number; readonly windows: number; readonly failures: number }
}

function observedBy(db: Database): Observed {
  return {
    since: () => observedSince(db, 'transfers'),
    share: (within) => coverageOf(listCovered(db, 'transfers', within), within).share,
  }
}

/**
 * What crosses the bridge. Windows are kept summed up, so that a tick costs what changed since the last one. Call it
 * inside a transaction: what it sums up it saves.
 */
export function createFlow(sources: FlowSources): (now: UnixMs) => FlowFacts {
  const { db, observed = observedBy(db), limits = { folds: 24, windows: 12, failures: 2_000 } } = sources
  const readSlots = sources.slots ?? ((from, until) => listSlots(db, from, until))
  const flow: Flow = {
    ...sources,
    observed,
    windows: createFlowWindows({ db, readSlots, maxFolds: sources.slots ? 0 : limits.folds }),
    past: createFlowPast(readSlots, observed, limits.windows),
    failures: createFlowFailures(db, limits.failures),
    keep: createKeeper(),
    began: new Map(),
  }
  return (now) => readFlow(flow, now)
}

interface Flow extends FlowSources {
  readonly observed: Observed
  readonly windows: FlowWindows
  readonly past: FlowPasts
  readonly failures: ReturnType<typeof createFlowFailures>
  readonly keep: ReturnType<typeof createKeeper>
  /** Since when something is true, and when it was last asked about. */
  readonly began: Map<string, { readonly since: UnixMs; readonly at: UnixMs }>
}

function readFlow(flow: Flow, now: UnixMs): FlowFacts {
  const { db, failures, keep, observed, past, settleMs, token, windows } = flow
  const folded = advance(windows, now)
  if (folded === null) past.forget()
  else past.drop(folded)
  const firstAt = observed.since()
  const begin = (windowMs: number) => toStep(now - windowMs)
  const end = toStep(now) + flowStepMs
  const totals = remember((windowMs: number): readonly FlowTotalFact[] => readTotals(windows, windowMs, now))
  // Short windows are read whenever something in them changed.
  const stampOf = (windowMs: number) =>
    windowMs > hourMs
      ? ''
      : `${begin(windowMs)} ${totals(windowMs)
          .map(({ count, sum }) => `${count}/${sum}`)
          .join(' ')}`
  return {
    observedSince: firstAt,
    settleMs: settleMs(),
    // The present interval reaches to the newest reading alone; what settles is not judged by anyway.
    coverage: (from) => readShare(flow, { from, until: Math.max(from, now - settleMs()) }),
    isBehind: (windowMs) => isBehind(windows, begin(windowMs)),
    totals,
    past: remember((windowMs) => past.read(windowMs, begin(windowMs), firstAt)),
    copies: (windowMs, copies) =>
      keep(`copies ${windowMs} ${copies} ${stampOf(windowMs)}`, now, restMs(windowMs), () =>
        readCopies(db, { from: begin(windowMs), until: end }, copies),
      ),
    firstTimers: (windowMs) =>
      keep(`first ${windowMs}`, now, 30_000, () =>
        countFirstTimers(db, { from: begin(windowMs), until: end }, begin(windowMs) - travelMs),
      ),
    failures: remember((windowMs) => {
      const from = begin(windowMs)
      return failures(windowMs, { from, until: end, leftFrom: from - travelMs }, now)
    }),
    newestAt: (of) => readNewestFlow(db, of, end),
    token,
    since: (name) => sinceWhen(flow, name, now),
  }
}

/** By the readings at the time, or by a later one that came back to them: what an outage hid counts as read once it is. */
function readShare({ observed, readAt = () => null }: Flow, within: Interval): number {
  const { from, until } = within
  const share = ((readAt() ?? from) - from) / Math.max(1, until - from)
  return share >= 1 ? 1 : Math.max(share, observed.share(within))
}

function readCopies(db: Database, { from, until }: Interval, copies: number): FlowCopiesFact[] {
  const all = listCopies(db, from, until, 2)
  return all
    .filter(({ count }) => count >= copies)
    .map((one) => ({
      ...one,
      before: countCopies(db, one, from - weekMs, from),
      others: all.filter((other) => isBeside(other, one)).length,
    }))
}

function sinceWhen({ began }: Flow, name: string, now: UnixMs): UnixMs {
  const known = began.get(name)
  const isOn = known !== undefined && now >= known.at && now - known.at <= breakMs
  const since = isOn ? known.since : now
  if (began.size > 10_000) began.clear()
  began.set(name, { since, at: now })
  return since
}

function isBeside(other: FlowCopies, one: FlowCopies): boolean {
  const isSameFlow = other.token === one.token && other.direction === one.direction
  return isSameFlow && (other.amountRaw !== one.amountRaw || other.tokenId !== one.tokenId)
}

/** Keeps what was made for a while. */
function createKeeper() {
  const kept = new Map<string, { readonly at: UnixMs; readonly value: unknown }>()
  return <T>(name: string, now: UnixMs, forMs: number, make: () => T): T => {
    const known = kept.get(name)
    // What stands under a name was made by the same `make`.
    if (known && now >= known.at && now < known.at + forMs) return known.value as T
    const value = make()
    if (kept.size > 200) kept.clear()
    kept.set(name, { at: now, value })
    return value
  }
}

/** Within one tick. */
function remember<T>(make: (windowMs: number) => T): (windowMs: number) => T {
  const made = new Map<number, T>()
  return (windowMs) => {
    const known = made.get(windowMs)
    if (known !== undefined) return known
    const value = make(windowMs)
    made.set(windowMs, value)
    return value
  }
}

const maxWindows = 32

/** The whole slots of a window, summed up. */
interface Middle {
  from: UnixMs
  until: UnixMs
  readonly totals: Map<string, FlowStep>
}

/** Sliding windows: whole slots are kept in memory and changed by what is summed up anew, the edges are read. */
interface FlowWindows {
  readonly db: Database
  readonly readSlots: ReadSlots
  /** How many slots at most are summed up in one tick: there are many after a pause and while history is read. 0: none ever. */
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

function createFlowWindows(of: Pick<FlowWindows, 'db' | 'readSlots' | 'maxFolds'>): FlowWindows {
  return { ...of, middles: new Map(), edges: new Map(), tail: null, folds: null, newestLeft: null }
}

/** Sums up what changed. @returns the slots concerned; null when nothing kept from before may be relied on */
function advance(windows: FlowWindows, now: UnixMs): readonly UnixMs[] | null {
  const { db, edges, folds, maxFolds, middles } = windows
  windows.tail = null
  if (maxFolds === 0) return []
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
function isBehind({ newestLeft }: FlowWindows, from: UnixMs): boolean {
  return newestLeft !== null && newestLeft >= toSlot(from)
}

/** From the step in which the window begins to the present one. */
function readTotals(windows: FlowWindows, windowMs: number, now: UnixMs): FlowTotal[] {
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

function middleOf({ readSlots, middles }: FlowWindows, windowMs: number, { from, until }: Interval): Middle {
  const known = middles.get(windowMs)
  if (known && known.from <= from && known.until <= until && from <= known.until) {
    for (const slot of readSlots(known.from, from)) addTo(known.totals, slot, -1)
    for (const slot of readSlots(known.until, until)) addTo(known.totals, slot, 1)
    known.from = from
    known.until = until
    return known
  }
  const middle: Middle = { from, until, totals: new Map() }
  for (const slot of readSlots(from, until)) addTo(middle.totals, slot, 1)
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
