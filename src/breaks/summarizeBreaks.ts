import type { UnixMs } from '../lib/clock.ts'
import { runAtOnce } from '../lib/steps.ts'
import { listEntriesOf } from './entryStore.ts'
import { type BreakSum, type JudgedBreaks, judgeBreaks, sumBreaks } from './listBreaks.ts'
import type { BreakSources } from './readBreaks.ts'
import { type ShownEntry, toShownEntry } from './showEntry.ts'

/** What is open and what was settled by hand, for the report. JSON-safe. */
export interface BreakSummary {
  /** As of now, by token. */
  readonly sums: readonly BreakSum[]
  /** There are more than are read at once: counts and sums are of what was read. */
  readonly isCut: boolean
  /** What was made in the window, oldest first; of more the first ones. */
  readonly entries: readonly ShownEntry[]
}

const mostEntries = 500

export function summarizeBreaks(
  sources: BreakSources,
  window: { readonly from: UnixMs; readonly until: UnixMs },
  now: UnixMs,
  { judged, isCut }: Pick<JudgedBreaks, 'judged' | 'isCut'> = runAtOnce(judgeBreaks(sources, now)),
): BreakSummary {
  const entries = listEntriesOf(sources.db, window, mostEntries)
  return {
    sums: sumBreaks(sources, judged),
    isCut,
    entries: entries.map((entry) => toShownEntry(sources, entry, now)),
  }
}
