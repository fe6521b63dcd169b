import { canonicalToken } from '../bridge/movedToken.ts'
import type { UnixMs } from '../lib/clock.ts'
import { type KeptCount, type KeptRange, toKeptRange } from '../meaning/keptRange.ts'
import type { MoneySample } from '../meaning/learnedActions.ts'
import { type LearnedMoney, movesAs } from '../meaning/learnedMoney.ts'
import type { Database } from '../store/database.ts'
import { columns, instant, int, oneOf, type Read, table, text } from '../store/table.ts'
import { createDissent, type Dissent } from './dissent.ts'
import { readWaitingHistory } from './historyMarks.ts'
import { valueFirst } from './valueFirst.ts'
import { countTaught, meansWithdrawal } from './withdrawActions.ts'
import { readActions } from './zoneActions.ts'

/** Samples of one party that count: whoever makes many transfers must not teach what all others contradict. */
const mostOfParty = 5

/** Fewer different parties are worth no more than one sample each. */
const enoughParties = 3

/** Samples kept of one lesson: more teach nothing. */
const maxOfValue = 24

/** The same of what confirms a habit: a few that say otherwise must not outweigh what thousands of transfers showed. */
const maxOfHabit = 400

/** Values kept of one name: whoever sends to ever new addresses must not fill the disk. */
const maxValues = 24

/** Of an action's words more are seen than matter. */
const maxWords = 64

/** And of shares that are kept as many as there are steps. */
const maxShares = 128

/** Names remembered between two looks at the table. */
const maxCached = 5_000

const maxHeld = 5_000

/** The transaction that teaches counts once; of its party, the user on whose behalf it was made, a few count. */
interface Teacher {
  readonly hash: string
  readonly party: string
}

export interface Learned extends LearnedMoney, Omit<Dissent, 'suspendedAt'> {
  /** Whether a type of zone action means a withdrawal, by what those of known withdrawals are. */
  meansWithdrawal(actionType: string): boolean
  learn(samples: readonly MoneySample[], by: Teacher, now: UnixMs): void
  /** Takes back what a transaction taught: its transfer is accused. */
  forget(hash: string): void
}

const partyCounts = columns({ value: text, party: text, count: int })

const names = table('learned_samples', { kind: text, name: text })

const held = table('held_judgements', { key: text.from('transfer_key'), since: instant.from('due_at') })

/** Lessons live in the ledger's file; what is asked again and again is remembered until another one is learned. */
interface Lessons {
  readonly db: Database
  /** Counts of samples by value, by kind and name. */
  readonly counts: Map<string, ReadonlyMap<string, number>>
  /** What is kept, by direction and token. */
  readonly ranges: Map<string, KeptRange>
}

const lessons = table('learned_samples', {
  kind: oneOf('token', 'vault', 'elsewhere', 'zone', 'action', 'fee', 'dissent'),
  name: text,
  value: text,
  hash: text,
  party: text,
  at: instant,
})

/** One sample of what zone transactions mean or of how money moves, or one word on a meaning that is in doubt. */
export type LessonRow = Read<typeof lessons>

export function createLearned(db: Database): Learned {
  const lessons: Lessons = { db, counts: new Map(), ranges: new Map() }
  const count = (kind: MoneySample['kind'], name: string) => countSamples(lessons, kind, name)
  const dissent = createDissent(db)
  const learned: Learned = {
    ...dissent,
    dissent(...given) {
      const isSuspended = dissent.dissent(...given)
      if (isSuspended) lessons.counts.clear()
      return isSuspended
    },
    tokensOf: (token) => count('token', token),
    vaultsOf: (token) => count('vault', token),
    elsewhereOf: (token) => count('elsewhere', token),
    actionsOf: (name) => count('action', name),
    straysOf: (kind) => readActions(db, kind).unmatched,
    keptOf: (token, direction) => readRange(lessons, `${direction} ${canonicalToken(token)}`),
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
    meansWithdrawal: (type) => meansWithdrawal({ ...readActions(db, type), ...countTaught(learned, type) }),
    isReadingHistory: () => isReadingHistory(db),
    learn(samples, by, now) {
      for (const sample of samples) learnOne(lessons, sample, by, now)
    },
    forget: (hash) => forgetSamples(lessons, hash),
  }
  return learned
}

function countSamples(
  { db, counts }: Lessons,
  kind: MoneySample['kind'],
  name: string,
): ReadonlyMap<string, number> {
  const key = `${kind} ${name}`
  const known = counts.get(key)
  if (known) return known
  if (counts.size >= maxCached) counts.clear()
  const byValue = Map.groupBy(countParties(db, kind, name), ({ value }) => value)
  const counted = new Map(
    [...byValue].map(([value, parties]) => [value, weigh(parties.map(({ count }) => count))]),
  )
  counts.set(key, counted)
  return counted
}

function countParties(db: Database, kind: MoneySample['kind'], name: string): KeptCount[] {
  const sql =
    'SELECT value, party, count(*) AS count FROM learned_samples WHERE kind = ? AND name = ? GROUP BY value, party'
  return partyCounts.all(db, sql, kind, name)
}

function readRange({ db, ranges }: Lessons, name: string): KeptRange {
  const known =
    ranges.get(name) ?? toKeptRange(countParties(db, 'fee', name), countParties(db, 'fee', `flat ${name}`))
  if (ranges.size >= maxCached) ranges.clear()
  ranges.set(name, known)
  return known
}

function isReadingHistory(db: Database): boolean {
  const sql =
    "SELECT 1 FROM evidence_queue WHERE ask IN ('main', 'native') AND late = 1 AND reads = 0 AND rests = 0 LIMIT 1"
  return readWaitingHistory(db) !== null || db.prepare(sql).get() !== undefined
}

function learnOne(lessons: Lessons, sample: MoneySample, { hash, party }: Teacher, now: UnixMs): void {
  const { db } = lessons
  const { kind, name, value } = sample
  const seen = countSamples(lessons, kind, name)
  const known = seen.get(value) ?? 0
  if (known >= mostOf(sample) || (known === 0 && seen.size >= mostValues(sample))) return
  const sql = 'SELECT count(*) FROM learned_samples WHERE kind = ? AND name = ? AND value = ? AND party = ?'
  if ((int.get(db, sql, kind, name, value, party) ?? 0) >= mostOfParty) return
  const { changes } = db
    .prepare('INSERT OR IGNORE INTO learned_samples VALUES (?, ?, ?, ?, ?, ?)')
    .run(kind, name, value, hash, now, party)
  if (changes > 0) drop(lessons, kind, name)
}

function forgetSamples(lessons: Lessons, hash: string): void {
  // What went elsewhere is kept: enough of it is no accident.
  const sql = "DELETE FROM learned_samples WHERE hash = ? AND kind <> 'elsewhere' RETURNING kind, name"
  for (const { kind, name } of names.all(lessons.db, sql, hash)) drop(lessons, kind, name)
}

function drop({ counts, ranges }: Lessons, kind: string, name: string): void {
  counts.delete(`${kind} ${name}`)
  if (kind === 'fee') ranges.delete(name.replace(/^flat /, ''))
}

/** What samples are worth: few of each party, and those of one or two parties alone next to nothing. */
function weigh(samplesOfParties: readonly number[]): number {
  if (samplesOfParties.length < enoughParties) return samplesOfParties.length
  return samplesOfParties.reduce((sum, n) => sum + Math.min(n, mostOfParty), 0)
}

function mostValues({ kind, name }: MoneySample): number {
  if (kind === 'fee') return name.startsWith('flat ') ? maxValues : maxShares
  return kind === 'action' ? maxWords : maxValues
}

function mostOf({ kind, name, value }: MoneySample): number {
  if (kind === 'vault') return maxOfHabit
  if (kind !== 'zone' && kind !== 'action') return maxOfValue
  const confirms = value.startsWith('=') || value === 'equal' || name.endsWith(' kind')
  return confirms ? maxOfHabit : maxOfValue
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
  const sql = "SELECT DISTINCT name FROM learned_samples WHERE kind = 'token' AND name <> '*' LIMIT ?"
  return text.all(db, sql, maxPairs).flatMap((token) => {
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
  if ((int.get(db, 'SELECT count(*) FROM held_judgements') ?? 0) >= maxHeld) return
  judgeAt(db, key, dueAt)
}

/** The same, however many are held: an accusation waits for it. */
export function judgeAt(db: Database, key: string, dueAt: UnixMs): void {
  db.prepare(
    'INSERT INTO held_judgements VALUES (?, ?) ON CONFLICT (transfer_key) DO UPDATE SET due_at = excluded.due_at',
  ).run(key, dueAt)
}

/**
 * Takes the transfers whose judgement is due, of more than `limit` those of most value first: whoever still cannot be
 * judged is held anew.
 */
export function takeHeldJudgements(
  db: Database,
  now: UnixMs,
  limit: number,
  riskOf: (key: string) => number,
): string[] {
  const sql = 'SELECT transfer_key, due_at FROM held_judgements WHERE due_at <= ? ORDER BY due_at'
  const due = held.all(db, sql, now)
  const first =
    due.length <= limit
      ? due
      : valueFirst(due, ({ key, since }) => ({ share: riskOf(key), since, counts: true }), limit)
  const keys = first.map(({ key }) => key)
  for (const key of keys) db.prepare('DELETE FROM held_judgements WHERE transfer_key = ?').run(key)
  return keys
}

/** When the next judgement is due; null when none is held. */
export function nextHeldAt(db: Database): UnixMs | null {
  return instant.orNull().get(db, 'SELECT min(due_at) FROM held_judgements')
}

/** All that was learned, the newest first. */
export function listLessonRows(db: Database): LessonRow[] {
  return lessons.all(db, 'SELECT * FROM learned_samples ORDER BY at DESC, hash')
}
