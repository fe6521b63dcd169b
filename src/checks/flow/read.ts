import type { UnixMs } from '../../lib/clock.ts'
import type { FlowCopiesFact, FlowFacts, FlowTotalFact } from './facts.ts'
import { coverageOf, type Interval, listCovered, observedSince } from '../../kernel/coverage.ts'
import type { Database } from '../../store/database.ts'
import {
  countCopies,
  countFirstTimers,
  type FlowCopies,
  flowStepMs,
  listCopies,
  readNewestFlow,
  toStep,
} from '../../ledger/flow.ts'
import { createFlowPast, type FlowPasts, type Observed } from './past.ts'
import { advance, createFlowWindows, type FlowWindows, isBehind, readTotals } from './windows.ts'

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
  /** Left out, what was noted in the ledger. */
  readonly observed?: Observed
  /** How much is read in one tick; left out, what no tick notices. */
  readonly limits?: { readonly folds: number; readonly windows: number }
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
  const { db, observed = observedBy(db), limits = { folds: 24, windows: 12 } } = sources
  const flow: Flow = {
    ...sources,
    observed,
    windows: createFlowWindows(db, limits.folds),
    past: createFlowPast(db, observed, limits.windows),
    keep: createKeeper(),
    began: new Map(),
  }
  return (now) => readFlow(flow, now)
}

interface Flow extends FlowSources {
  readonly observed: Observed
  readonly windows: FlowWindows
  readonly past: FlowPasts
  readonly keep: ReturnType<typeof createKeeper>
  /** Since when something is true, and when it was last asked about. */
  readonly began: Map<string, { readonly since: UnixMs; readonly at: UnixMs }>
}

function readFlow(flow: Flow, now: UnixMs): FlowFacts {
  const { db, keep, observed, past, settleMs, token, windows } = flow
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
    coverage: (from) => {
      // The present interval reaches to the newest reading alone; what settles is not judged by anyway.
      return observed.share({ from, until: Math.max(from, now - settleMs()) })
    },
    isBehind: (windowMs) => isBehind(windows, begin(windowMs)),
    totals,
    past: remember((windowMs) => past.read(windowMs, begin(windowMs), firstAt)),
    copies: (windowMs, copies) =>
      keep(`copies ${windowMs} ${copies} ${stampOf(windowMs)}`, now, restMs(windowMs), () =>
        readCopies(db, { from: begin(windowMs), until: end }, copies),
      ),
    firstTimers: (windowMs) =>
      keep(`first ${windowMs}`, now, 30_000, () =>
        countFirstTimers(db, begin(windowMs), begin(windowMs) - travelMs),
      ),
    newestAt: (of) => readNewestFlow(db, of, end),
    token,
    since: (name) => sinceWhen(flow, name, now),
  }
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

/** Long windows change slowly, and cost more. */
function restMs(windowMs: number): number {
  return Math.min(Math.max(windowMs / 60, 10_000), 60_000)
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
