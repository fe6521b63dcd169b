import type { UnixMs } from '../../lib/clock.ts'
import type { FlowPast, FlowTotalFact } from './facts.ts'
import type { Interval } from '../../kernel/running/coverage.ts'
import { flowSlotMs, type FlowStep, type FlowTotal } from '../../ledger/amounts/flowSteps.ts'
import { addTo } from '../../ledger/amounts/flowSlots.ts'

/** When the list was read. */
export interface Observed {
  since(): UnixMs | null
  /** Of a time, from 0 to 1. */
  share(within: Interval): number
}

/** Slots that begin from one time on and before another, rising. */
export type ReadSlots = (from: UnixMs, until: UnixMs) => readonly FlowStep[]

const weekMs = 7 * 86_400_000
/** A gap of so little is no blindness. */
const observedShare = 0.95
/** So many windows may be emptier than what is still usual: a dip that goes on must not become it within hours. */
const lowShare = 0.05
const maxLengths = 16
/** A past of a week does not change faster. */
const resumMs = 60_000

/** A window of the past: what it held, and whether the list was read all through it. */
export interface PastWindow {
  readonly at: UnixMs
  readonly isObserved: boolean
  readonly totals: readonly FlowTotalFact[]
}

interface Kept {
  readonly windows: Map<UnixMs, PastWindow>
  made: { readonly before: UnixMs; readonly grid: string; readonly past: FlowPast } | null
}

export interface FlowPasts {
  /** Of windows of whole slots before a time, of the last week and not before `since`; null while some were not read yet. */
  read(windowMs: number, before: UnixMs, since: UnixMs | null): FlowPast | null
  /** These slots are not what they were. */
  drop(slots: readonly UnixMs[]): void
  forget(): void
}

/**
 * Windows of the past, on a grid so that each is read once; one whose slots change is read again. At most `maxReads` are
 * read in one tick: after a start a week of them takes some seconds to a minute.
 */
export function createFlowPast(readSlots: ReadSlots, observed: Observed, maxReads: number): FlowPasts {
  const lengths = new Map<number, Kept>()

  function keptOf(lengthMs: number): Kept {
    const known = lengths.get(lengthMs)
    if (known) return known
    if (lengths.size >= maxLengths) lengths.clear()
    const kept: Kept = { windows: new Map(), made: null }
    lengths.set(lengthMs, kept)
    return kept
  }

  return {
    read(windowMs, before, since) {
      if (since === null) return summarizePast([], windowMs)
      const lengthMs = Math.max(1, Math.round(windowMs / flowSlotMs)) * flowSlotMs
      const kept = keptOf(lengthMs)
      const made = kept.made
      if (made && before >= made.before && before < made.before + resumMs) return made.past
      // The same windows say the same, however much later.
      const grid = `${oldestOf(before, since, lengthMs)} ${Math.floor(before / lengthMs)}`
      if (made && made.grid === grid) {
        kept.made = { ...made, before }
        return made.past
      }
      const read = (at: UnixMs) => readWindow({ readSlots, observed }, at, lengthMs)
      const windows = listWindows(kept.windows, { lengthMs, before, since, maxReads, read })
      if (windows === null) return made?.past ?? null
      const past = summarizePast(windows, lengthMs)
      kept.made = { before, grid, past }
      return past
    },
    drop(slots) {
      for (const [lengthMs, kept] of lengths) {
        const isGone = slots
          .map((slot) => kept.windows.delete(Math.floor(slot / lengthMs) * lengthMs))
          .includes(true)
        if (isGone && kept.made) kept.made = { ...kept.made, grid: '' }
      }
    },
    forget: () => lengths.clear(),
  }
}

/** Null when more have to be read than may be in one tick. */
function listWindows(
  known: Map<UnixMs, PastWindow>,
  of: {
    readonly lengthMs: number
    readonly before: UnixMs
    readonly since: UnixMs
    readonly maxReads: number
    read(at: UnixMs): PastWindow
  },
): PastWindow[] | null {
  const { lengthMs, before, since } = of
  const oldest = oldestOf(before, since, lengthMs)
  for (const at of known.keys()) if (at < oldest) known.delete(at)
  let left = of.maxReads
  const windows: PastWindow[] = []
  for (let at = Math.floor(before / lengthMs) * lengthMs - lengthMs; at >= oldest; at -= lengthMs) {
    const window = known.get(at) ?? (left-- > 0 ? of.read(at) : null)
    if (window === null) return null
    known.set(at, window)
    windows.push(window)
  }
  return windows
}

function oldestOf(before: UnixMs, since: UnixMs, lengthMs: number): UnixMs {
  return Math.ceil(Math.max(before - weekMs, since) / lengthMs) * lengthMs
}

function readWindow(
  { readSlots, observed }: { readonly readSlots: ReadSlots; readonly observed: Observed },
  at: UnixMs,
  lengthMs: number,
): PastWindow {
  const totals = new Map<string, FlowTotal>()
  for (const { at: _, ...total } of readSlots(at, at + lengthMs)) addTo(totals, total, 1)
  return {
    at,
    isObserved: observed.share({ from: at, until: at + lengthMs }) >= observedShare,
    totals: [...totals.values()].filter(({ count }) => count > 0),
  }
}

/** What windows of one length say together. What was not observed counts as nothing seen, not as nothing there. */
export function summarizePast(windows: readonly PastWindow[], lengthMs: number): FlowPast {
  const most = new Map<string, { count: number; sum: bigint; firstAt: UnixMs }>()
  const started = new Map<string, { total: number; counts: number[]; newestAt: UnixMs }>()
  const tokens = new Set<string>()
  const observed = windows.filter(({ isObserved }) => isObserved)
  for (const { at, totals } of windows) {
    for (const { token, direction, side, count, sum } of totals) {
      const name = `${token}|${direction}|${side}`
      const known = most.get(name) ?? { count: 0, sum: 0n, firstAt: at }
      most.set(name, {
        count: Math.max(known.count, count),
        sum: known.sum > sum ? known.sum : sum,
        firstAt: Math.min(known.firstAt, at),
      })
      if (side === 'started') tokens.add(token)
    }
  }
  for (const { at, totals } of observed) {
    const counts = new Map<string, number>()
    for (const { token, direction, side, count } of totals) {
      if (side !== 'started') continue
      for (const name of [`${token}|${direction}`, `all|${direction}`]) {
        counts.set(name, (counts.get(name) ?? 0) + count)
      }
    }
    for (const [name, count] of counts) {
      const known = started.get(name) ?? { total: 0, counts: [], newestAt: at }
      known.counts.push(count)
      const newestAt = Math.max(known.newestAt, at)
      started.set(name, { total: known.total + count, counts: known.counts, newestAt })
    }
  }
  return {
    observedMs: observed.length * lengthMs,
    tokens: [...tokens],
    most: ({ token, direction, side }) => most.get(`${token}|${direction}|${side}`) ?? null,
    usual({ token, direction }) {
      const known = started.get(`${token ?? 'all'}|${direction}`)
      if (!known) return { least: 0, low: 0, mean: 0 }
      // A silence that goes on must not become what is usual.
      const before = observed.filter(({ at }) => at <= known.newestAt).length
      // A window without any is not among those counted.
      const empty = Array.from({ length: Math.max(0, before - known.counts.length) }, () => 0)
      const rising = [...empty, ...known.counts].sort((a, b) => a - b)
      const low = rising[Math.floor(rising.length * lowShare)] ?? 0
      return { least: rising[0] ?? 0, low, mean: known.total / before }
    },
  }
}
