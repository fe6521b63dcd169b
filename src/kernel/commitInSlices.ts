import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { type Atom, joinAtoms, listAtoms } from './listAtoms.ts'
import type { Commit, CommitResult, ReadingResult } from './reads/reads.ts'

/** Commits what may be much a slice at a time, and lets everything else run between two; on the disk when it resolves, as a commit is. */
export type CommitInSlices = (result: ReadingResult) => Promise<CommitResult>

/** For so long one slice may hold the process. */
const sliceMs = 20
/** What took so long is saved before more of it is done: a fourth of it, or less, is what writing its pages takes. */
const mostUnsavedMs = 40
/** Rows of the first; then as many as take so long. */
const firstSize = 25
/** Each slice costs as much as two rows: where the machine has little time, smaller ones would take still more of it. */
const leastSize = 15
const mostSize = 200

interface CommitInSlicesDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly db: Pick<Database, 'rollbacks'> & { readonly held: Pick<Database['held'], 'save'> }
}

/**
 * Slices share a commit on the disk as far as their pages are written in no time. A crash between two of them leaves the
 * older part of what was read, each record with its alerts. The rest is read again: whoever reads moves no cursor before.
 */
export function createCommitInSlices(commit: Commit, { clock, db }: CommitInSlicesDeps): CommitInSlices {
  let most = firstSize
  return async (result) => {
    // The list gives the newest first, and what came before is what it is judged by: whom a recipient was, how far the list shows.
    const atoms = listAtoms(result).toReversed()
    let slice = takeSlice(atoms, 0, most)
    if (slice.until === atoms.length) return commit(result)
    const { heads, bad, judge, apply, mayWait } = result
    const lostBefore = db.rollbacks()
    const mayBeLost = () => db.rollbacks() !== lostBefore
    let sum: CommitResult = { news: 0, hasUrgent: false }
    let unsavedMs = 0
    for (let from = 0; from < atoms.length; from = slice.until) {
      slice = takeSlice(atoms, from, most)
      const begunMs = clock.monotonicMs()
      const done = commit({
        ...joinAtoms(atoms.slice(from, slice.until)),
        // What is judged is judged by them.
        ...(from === 0 && { ...(heads && { heads }), ...(bad && { bad }) }),
        mayWait: true,
        goesOn: true,
      })
      const tookMs = clock.monotonicMs() - begunMs
      most = adapt(most, slice.size, tookMs)
      unsavedMs += tookMs
      sum = add(sum, done)
      await setImmediate()
      if (mayWait === true || unsavedMs < mostUnsavedMs) continue
      db.held.save()
      unsavedMs = 0
      await setImmediate()
    }
    const waits = mayWait === true || (mayWait === 'without-news' && sum.news === 0)
    if (!mayBeLost()) commit({ ...(judge && { judge }), ...(apply && { apply }), ...(waits && { mayWait }) })
    // Somebody else's commit failed, which may have taken along what waited: what is still there is not recorded twice.
    return mayBeLost() ? add(sum, commit(result)) : sum
  }
}

function add(a: CommitResult, b: CommitResult): CommitResult {
  return { news: a.news + b.news, hasUrgent: a.hasUrgent || b.hasUrgent }
}

/** At least one, however large. */
function takeSlice(atoms: readonly Atom[], from: number, most: number): { until: number; size: number } {
  let [until, size] = [from, 0]
  for (const atom of atoms.slice(from, from + most)) {
    if (until > from && size + sizeOf(atom) > most) break
    until += 1
    size += sizeOf(atom)
  }
  return { until, size }
}

/** What is said of a record costs as much as the record. */
function sizeOf({ records, evidence, zoneTransactions }: Atom): number {
  return Math.max(1, records.length, evidence.length + zoneTransactions.length)
}

/** Half of the way, because one may have been held up by chance. A small one does not say how long a large one takes. */
function adapt(most: number, size: number, tookMs: number): number {
  const fitting = (size * sliceMs) / Math.max(tookMs, 0.1)
  if (size < most / 2 && fitting > size) return most
  return Math.min(Math.max(Math.round((most + fitting) / 2), leastSize), mostSize)
}
