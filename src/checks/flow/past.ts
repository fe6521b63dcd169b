import type { UnixMs } from '../../lib/clock.ts'
import type { FlowPast } from './facts.ts'
import { type PastWindow, summarizePast } from './summarizePast.ts'
import type { Interval } from '../../kernel/coverage.ts'
import type { Database } from '../../store/database.ts'
import { flowSlotMs, type FlowTotal } from '../../ledger/flow.ts'
import { addTo, listSlots } from '../../ledger/flowSlots.ts'

/** When the list was read. */
export interface Observed {
  since(): UnixMs | null
  /** Of a time, from 0 to 1. */
  share(within: Interval): number
}

const weekMs = 7 * 86_400_000
/** A gap of so little is no blindness. */
const observedShare = 0.95
const maxLengths = 16
/** A past of a week does not change faster. */
const resumMs = 60_000

interface Kept {
  readonly windows: Map<UnixMs, PastWindow>
  made: { readonly before: UnixMs; readonly past: FlowPast } | null
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
export function createFlowPast(db: Database, observed: Observed, maxReads: number): FlowPasts {
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
      const read = (at: UnixMs) => readWindow({ db, observed }, at, lengthMs)
      const windows = listWindows(kept.windows, { lengthMs, before, since, maxReads, read })
      if (windows === null) return made?.past ?? null
      const past = summarizePast(windows, lengthMs)
      kept.made = { before, past }
      return past
    },
    drop(slots) {
      for (const [lengthMs, { windows }] of lengths) {
        for (const slot of slots) windows.delete(Math.floor(slot / lengthMs) * lengthMs)
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
  const oldest = Math.ceil(Math.max(before - weekMs, since) / lengthMs) * lengthMs
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

function readWindow(
  { db, observed }: { readonly db: Database; readonly observed: Observed },
  at: UnixMs,
  lengthMs: number,
): PastWindow {
  const totals = new Map<string, FlowTotal>()
  for (const { at: _, ...total } of listSlots(db, at, at + lengthMs)) addTo(totals, total, 1)
  return {
    at,
    isObserved: observed.share({ from: at, until: at + lengthMs }) >= observedShare,
    totals: [...totals.values()].filter(({ count }) => count > 0),
  }
}
