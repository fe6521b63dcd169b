import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { dropLessons } from './lessonStore.ts'
import { columns, instant, int } from '../../store/table.ts'

const disagreements = columns({ parties: int, since: instant })

/** How many parties in a row that say otherwise suspend what was learned. */
export const enoughDissent = 5

/** Who disagreed with a meaning, when who agreed was last seen, and since when it is learned anew. */
export interface Dissent {
  hasDissent(): boolean
  suspendedAt(meaning: string): UnixMs
  /** @param at when the transfer that agrees was first seen: what was seen before it is in no row with what comes */
  consent(meaning: string, at: UnixMs): void
  /** @returns whether this suspends the meaning */
  dissent(meaning: string, by: { readonly hash: string; readonly party: string }, at: UnixMs): boolean
}

/** Kept beside the lessons: what a transfer says is forgotten with what it taught. */
export function createDissent(db: Database): Dissent {
  const suspended = new Map<string, UnixMs>()
  let rollbacks = db.rollbacks()
  const mark = (meaning: string, what: 'agrees' | 'suspended', at: UnixMs) =>
    db
      .prepare(
        "INSERT INTO dissent VALUES (?, ?, '', ?, '') ON CONFLICT DO UPDATE SET at = max(at, excluded.at)",
      )
      .run(meaning, what, at)
  const markOf = (meaning: string, what: 'agrees' | 'suspended'): UnixMs =>
    instant.get(db, 'SELECT at FROM dissent WHERE name = ? AND value = ?', meaning, what) ?? 0
  return {
    hasDissent: () =>
      db.prepare("SELECT 1 FROM dissent WHERE value = 'disagrees' LIMIT 1").get() !== undefined,
    suspendedAt(meaning) {
      // What was suspended in a transaction that came to nothing never was.
      if (rollbacks !== db.rollbacks()) suspended.clear()
      rollbacks = db.rollbacks()
      const known = suspended.get(meaning) ?? markOf(meaning, 'suspended')
      suspended.set(meaning, known)
      return known
    },
    consent(meaning, at) {
      mark(meaning, 'agrees', at)
      db.prepare(
        "UPDATE dissent SET value = 'outlier' WHERE name = ? AND value = 'disagrees' AND at <= ?",
      ).run(meaning, at)
    },
    dissent(meaning, { hash, party }, at) {
      const isOutlier = at <= markOf(meaning, 'agrees')
      db.prepare('INSERT OR REPLACE INTO dissent VALUES (?, ?, ?, ?, ?)').run(
        meaning,
        isOutlier ? 'outlier' : 'disagrees',
        hash,
        at,
        party,
      )
      if (isOutlier) return false
      const others = disagreements.get(
        db,
        "SELECT count(DISTINCT party) AS parties, coalesce(min(at), 0) AS since FROM dissent WHERE name = ? AND value = 'disagrees'",
        meaning,
      )
      if (others === null || others.parties < enoughDissent) return false
      db.prepare("DELETE FROM dissent WHERE name = ? AND value = 'disagrees'").run(meaning)
      mark(meaning, 'suspended', others.since)
      suspended.delete(meaning)
      unlearn(db, meaning)
      return true
    },
  }
}

/** Takes back all that the meaning was learned from: `<topic> words`, `<direction> zone` or `<direction> items`. */
function unlearn(db: Database, meaning: string): void {
  const topic = meaning.replace(/ \w+$/, '')
  if (meaning.endsWith(' zone')) return dropLessons(db, "kind = 'zone' AND name = ?", topic)
  if (meaning.endsWith(' items')) return dropLessons(db, "kind = 'action' AND name = ?", `${meaning} records`)
  const parts = ['recipient', 'party', 'tokenId', 'amount', 'amount *', 'items *']
  for (const name of [...parts.map((part) => `${topic} ${part}`), `${topic.replace(' batch', '')} token *`])
    dropLessons(db, "kind = 'action' AND name GLOB ?", name)
}
