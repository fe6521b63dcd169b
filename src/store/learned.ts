import { type LearnedMoney, type MoneySample, movesAs } from '../domain/learnedMoney.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from './database.ts'

/** Samples kept of one lesson: more teach nothing. */
const maxOfValue = 24
/** The same of what confirms a habit: a few thefts must not outweigh what thousands of transfers showed. */
const maxOfHabit = 400
/** Values kept of one name: whoever sends to ever new addresses must not fill the disk. */
const maxValues = 24
/** Of an action's words more are seen than matter. */
const maxWords = 64
/** Names remembered between two looks at the table. */
const maxCached = 5_000
const maxHeld = 5_000

export interface Learned extends LearnedMoney {
  /** @param hash the transaction that taught it: it counts once */
  learn(samples: readonly MoneySample[], hash: string, now: UnixMs): void
}

/** Lessons live in the ledger's file; what is asked again and again is remembered until another one is learned. */
export function createLearned(db: Database): Learned {
  const cache = new Map<string, ReadonlyMap<string, number>>()
  const count = (kind: MoneySample['kind'], name: string): ReadonlyMap<string, number> => {
    const key = `${kind} ${name}`
    const known = cache.get(key)
    if (known) return known
    if (cache.size >= maxCached) cache.clear()
    const rows = db
      .prepare('SELECT value, count(*) AS n FROM learned_samples WHERE kind = ? AND name = ? GROUP BY value')
      .all(kind, name)
    const counts = new Map(rows.map((row) => [String(row['value']), Number(row['n'])]))
    cache.set(key, counts)
    return counts
  }
  return {
    tokensOf: (token) => count('token', token),
    vaultsOf: (token) => count('vault', token),
    actionsOf: (name) => count('action', name),
    zoneAmounts(direction) {
      const seen = count('zone', direction)
      return { equal: seen.get('equal') ?? 0, other: seen.get('other') ?? 0 }
    },
    spellings(direction) {
      const seen = count('token', `* ${direction}`)
      return { own: seen.get('own') ?? 0, other: seen.get('other') ?? 0 }
    },
    ownersOf: (moved, direction) => [...count('token', `by ${direction} ${moved}`).keys()],
    pairs: (direction) => count('token', `pairs ${direction}`).size,
    isReadingHistory: () =>
      db
        .prepare(
          "SELECT 1 FROM evidence_queue WHERE ask IN ('main', 'native') AND late = 1 AND reads = 0 AND rests = 0 LIMIT 1",
        )
        .get() !== undefined,
    learn(samples, hash, now) {
      for (const sample of samples) {
        const seen = count(sample.kind, sample.name)
        const known = seen.get(sample.value) ?? 0
        if (
          known >= mostOf(sample) ||
          (known === 0 && seen.size >= (sample.kind === 'action' ? maxWords : maxValues))
        )
          continue
        const { changes } = db
          .prepare('INSERT OR IGNORE INTO learned_samples VALUES (?, ?, ?, ?, ?)')
          .run(sample.kind, sample.name, sample.value, hash, now)
        if (changes > 0) cache.delete(`${sample.kind} ${sample.name}`)
      }
    },
  }
}

function mostOf({ kind, value }: MoneySample): number {
  return kind === 'action' && value.startsWith('=') ? maxOfHabit : maxOfValue
}

export interface TokenPair {
  /** As records name it. */
  readonly token: string
  /** As it moves on the main chain. */
  readonly moved: string
}

const maxPairs = 1_000

/** Tokens that move under another address than records name. */
export function listTokenPairs(db: Database, learned: LearnedMoney): TokenPair[] {
  return db
    .prepare("SELECT DISTINCT name FROM learned_samples WHERE kind = 'token' AND name <> '*' LIMIT ?")
    .all(maxPairs)
    .flatMap((row) => {
      const token = String(row['name'])
      const moved = movesAs(token, learned)
      return moved === null || moved === token ? [] : [{ token, moved }]
    })
}

/** Forgets what was learned before, at most `limit` lessons. */
export function purgeLearned(db: Database, before: UnixMs, limit: number): void {
  db.prepare(
    'DELETE FROM learned_samples WHERE (kind, name, value, hash) IN (SELECT kind, name, value, hash FROM learned_samples WHERE at < ? LIMIT ?)',
  ).run(before, limit)
}

/** Judges this transfer again later: what it would be judged by is not known yet. */
export function holdJudgement(db: Database, key: string, dueAt: UnixMs): void {
  const { n } = db.prepare('SELECT count(*) AS n FROM held_judgements').get() ?? {}
  if (Number(n) >= maxHeld) return
  db.prepare(
    'INSERT INTO held_judgements VALUES (?, ?) ON CONFLICT (transfer_key) DO UPDATE SET due_at = excluded.due_at',
  ).run(key, dueAt)
}

/** Takes the transfers whose judgement is due: whoever still cannot be judged is held anew. */
export function takeHeldJudgements(db: Database, now: UnixMs, limit: number): string[] {
  const keys = db
    .prepare('SELECT transfer_key FROM held_judgements WHERE due_at <= ? ORDER BY due_at LIMIT ?')
    .all(now, limit)
    .map((row) => String(row['transfer_key']))
  for (const key of keys) db.prepare('DELETE FROM held_judgements WHERE transfer_key = ?').run(key)
  return keys
}
