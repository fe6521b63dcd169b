import { formatDecimal } from '../bridge/decimal.ts'
import type { UnixMs } from '../lib/clock.ts'
import { sayWhence } from '../store/auditLog.ts'
import type { BreakKind, Share } from './break.ts'
import { type Entry, findEntry, listEntries, listShares } from './entryStore.ts'
import { type BreakSources, findBreak } from './readBreaks.ts'
import { settle } from './settle.ts'

/** An entry as it is shown: JSON-safe, amounts as exact decimal strings. */
export interface ShownEntry {
  /** `e3`. */
  readonly id: string
  readonly at: UnixMs
  readonly what: Entry['what']
  readonly who: string
  /** From where, in words. */
  readonly from: string
  readonly reason: string
  /** Of a matching: the payout less the origin; null where that cannot be said. */
  readonly difference: string | null
  readonly undoes: string | null
  readonly undoneBy: string | null
  readonly shares: readonly ShownShare[]
}

export interface ShownShare {
  readonly name: string
  readonly part: Share['part']
  readonly kind: BreakKind
  readonly token: { readonly address: string; readonly symbol: string | null }
  readonly inBaseUnits: boolean
  /** Null: all of it, of an amount that was not known. */
  readonly amount: string | null
  /**
   * `holds`; `over`: the break has gone by itself; `changed`: it is another kind by now, so that this entry settles
   * nothing of it; `taken back`.
   */
  readonly now: 'holds' | 'over' | 'changed' | 'taken back'
}

/** @throws Error when there is no such entry, which nobody can have removed */
export function showEntry(sources: BreakSources, id: number, now: UnixMs): ShownEntry {
  const entry = findEntry(sources.db, id)
  if (entry === null) throw new Error(`entry ${id} is not there`)
  return toShownEntry(sources, entry, now)
}

/** Newest first. */
export function listShownEntries(
  sources: BreakSources,
  query: { readonly limit: number; readonly before: number | null },
  now: UnixMs,
): ShownEntry[] {
  return listEntries(sources.db, query).map((entry) => toShownEntry(sources, entry, now))
}

export function toShownEntry(sources: BreakSources, entry: Entry, now: UnixMs): ShownEntry {
  const { id, at, what, who, reason, difference, undoes, undoneBy } = entry
  // What was taken back is said again, so that an entry speaks for itself.
  const shares = listShares(sources.db, undoes ?? id)
  return {
    id: `e${id}`,
    at,
    what,
    who,
    from: sayWhence(entry),
    reason,
    difference: difference && formatDecimal(difference),
    undoes: undoes === null ? null : `e${undoes}`,
    undoneBy: undoneBy === null ? null : `e${undoneBy}`,
    shares: shares.map((share) =>
      toShownShare(sources, share, { now, isUndone: undoes !== null || undoneBy !== null }),
    ),
  }
}

function toShownShare(
  sources: BreakSources,
  share: Share,
  of: { readonly now: UnixMs; readonly isUndone: boolean },
): ShownShare {
  const { name, part, kind, token, inBaseUnits, amount } = share
  return {
    name,
    part,
    kind,
    token: { address: token, symbol: sources.tokens.find(token).symbol },
    inBaseUnits,
    amount: amount && formatDecimal(amount),
    now: of.isUndone ? 'taken back' : standingOf(sources, share, of.now),
  }
}

function standingOf(sources: BreakSources, share: Share, now: UnixMs): ShownShare['now'] {
  const found = findBreak(sources, share.name, now)
  if (found === null) return 'over'
  return settle(found, [share]).entries.length > 0 ? 'holds' : 'changed'
}
