import { putNewest } from '../../lib/putNewest.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { once } from '../../lib/once.ts'
import type { Direction } from '../../bridge/observation.ts'
import { keptName, type KeptRange, plainKeptName, showFee, toKeptRange } from '../../meaning/keptRange.ts'
import type { MoneySample } from '../../meaning/learnedActions.ts'
import { type LearnedMoney, movesAs } from '../../meaning/learnedMoney.ts'
import type { Database } from '../../store/database.ts'
import { instant, table, text } from '../../store/table.ts'
import { createDissent, type Dissent } from './dissent.ts'
import { readWaitingHistory } from './historyMarks.ts'
import {
  addTaught,
  countParties,
  forgetSamples,
  insertSample,
  type Lesson,
  listLessonNames,
  listTaught,
  type Taught,
} from './lessonStore.ts'
import { valueFirst } from '../sightings/valueFirst.ts'
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

/** Of more judgements that are due the oldest so many are ordered by their value. */
const maxOrdered = 20_000
/** Of so many, those that came last, it is found out in one call: a thousand transfers take some thirty milliseconds to read. */
const maxLooked = 500

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

const held = table('held_judgements', { key: text.from('transfer_key'), since: instant.from('due_at') })

/** Lessons live in the ledger's file; what is asked again and again is remembered until another one is learned. */
interface Lessons {
  readonly db: Database
  /** What was seen, by kind and name. */
  readonly seen: Map<string, Seen>
  /** What is kept, by direction and token. */
  readonly ranges: Map<string, KeptRange>
  /** As often as a transaction had come to nothing when these were remembered. */
  rollbacks: number
}

/** What samples of one name say, and what they are worth. */
interface Seen {
  /** By value how many samples each party gave. */
  readonly parties: ReadonlyMap<string, Map<string, number>>
  readonly counts: Map<string, number>
}

export function createLearned(db: Database): Learned {
  const lessons: Lessons = { db, seen: new Map(), ranges: new Map(), rollbacks: db.rollbacks() }
  const count = (kind: Lesson['kind'], name: string) => readSeen(lessons, kind, name).counts
  const dissent = createDissent(db)
  const learned: Learned = {
    ...dissent,
    dissent(...given) {
      const isSuspended = dissent.dissent(...given)
      if (isSuspended) lessons.seen.clear()
      return isSuspended
    },
    tokensOf: (token) => count('token', token),
    vaultsOf: (token) => count('vault', token),
    elsewhereOf: (token) => count('elsewhere', token),
    actionsOf: (name) => count('action', name),
    straysOf: (kind) => readActions(db, kind).unmatched,
    keptOf: (token, direction) => readRange(lessons, direction, token),
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
      const taught = once(() => listTaught(db, by.hash, samples))
      for (const sample of samples) learnOne(lessons, sample, { ...by, taught }, now)
    },
    forget(hash) {
      for (const of of forgetSamples(db, hash)) drop(lessons, of)
    },
  }
  return learned
}

/** What was learned in a transaction that came to nothing was not. */
function dropUndone(lessons: Lessons): void {
  const rollbacks = lessons.db.rollbacks()
  if (rollbacks === lessons.rollbacks) return
  lessons.rollbacks = rollbacks
  lessons.seen.clear()
  lessons.ranges.clear()
}

function readSeen(lessons: Lessons, kind: Lesson['kind'], name: string): Seen {
  dropUndone(lessons)
  const { db, seen } = lessons
  const key = `${kind} ${name}`
  const known = seen.get(key)
  if (known) return known
  if (seen.size >= maxCached) seen.clear()
  const parties = new Map<string, Map<string, number>>()
  for (const { value, party, count } of countParties(db, kind, name)) {
    const own = parties.get(value)
    if (own) own.set(party, count)
    else parties.set(value, new Map([[party, count]]))
  }
  const counts = new Map([...parties].map(([value, of]) => [value, weigh(of)]))
  const read = { parties, counts }
  seen.set(key, read)
  return read
}

function readRange(lessons: Lessons, direction: Direction, token: string): KeptRange {
  dropUndone(lessons)
  const { db, ranges } = lessons
  const name = keptName(direction, token)
  const told = keptName(direction, token, true)
  const read = () => {
    const isFee = showFee(countParties(db, 'fee', told), countParties(db, 'fee', name))
    const of = (prefix: string) =>
      [name, ...(isFee ? [told] : [])].flatMap((one) => countParties(db, 'fee', prefix + one))
    return toKeptRange(of(''), of('flat '), of('size '))
  }
  const known = ranges.get(name) ?? read()
  if (ranges.size >= maxCached) ranges.clear()
  ranges.set(name, known)
  return known
}

function isReadingHistory(db: Database): boolean {
  const sql =
    "SELECT 1 FROM evidence_queue WHERE ask IN ('main', 'native') AND late = 1 AND reads = 0 AND rests = 0 LIMIT 1"
  return readWaitingHistory(db) !== null || db.prepare(sql).get() !== undefined
}

function learnOne(
  lessons: Lessons,
  sample: MoneySample,
  { hash, party, taught }: Teacher & { readonly taught: () => Taught },
  now: UnixMs,
): void {
  const { kind, name, value } = sample
  const { counts, parties } = readSeen(lessons, kind, name)
  const known = counts.get(value) ?? 0
  if (known >= mostOf(sample) || (known === 0 && counts.size >= mostValues(sample))) return
  const own = parties.get(value)
  const ofParty = own?.get(party) ?? 0
  if (ofParty >= mostOfParty || !addTaught(taught(), sample)) return
  insertSample(lessons.db, sample, { hash, party, at: now })
  if (own === undefined) return drop(lessons, sample)
  own.set(party, ofParty + 1)
  counts.set(value, weigh(own))
  dropRange(lessons, sample)
}

function drop(lessons: Lessons, of: Pick<Lesson, 'kind' | 'name'>): void {
  lessons.seen.delete(`${of.kind} ${of.name}`)
  dropRange(lessons, of)
}

function dropRange({ ranges }: Lessons, { kind, name }: Pick<Lesson, 'kind' | 'name'>): void {
  if (kind === 'fee') ranges.delete(plainKeptName(name).replace(/^(flat|size) /, ''))
}

/** What samples are worth: few of each party, and those of one or two parties alone next to nothing. */
function weigh(parties: ReadonlyMap<string, number>): number {
  if (parties.size < enoughParties) return parties.size
  return parties.values().reduce((sum, n) => sum + Math.min(n, mostOfParty), 0)
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
  return listLessonNames(db, 'token', maxPairs).flatMap((token) => {
    const moved = movesAs(token, learned)
    return moved === null || moved === token ? [] : [{ token, moved }]
  })
}

/** Judges this transfer again later, however many are held: an accusation may wait for it. */
export function holdJudgement(db: Database, key: string, dueAt: UnixMs): void {
  db.prepare(
    'INSERT INTO held_judgements VALUES (?, ?) ON CONFLICT (transfer_key) DO UPDATE SET due_at = excluded.due_at',
  ).run(key, dueAt)
}

/**
 * Takes the transfers whose judgement is due, of more than `limit` those of most value first: whoever still cannot be
 * judged is held anew.
 * @param risks what is at stake, as it was found out before
 */
export function takeHeldJudgements(
  db: Database,
  now: UnixMs,
  limit: number,
  risks: { readonly known: Map<string, number>; of(key: string): number },
): string[] {
  const { known } = risks
  const sql = 'SELECT transfer_key, due_at FROM held_judgements WHERE due_at <= ? ORDER BY due_at LIMIT ?'
  const due = held.all(db, sql, now, maxOrdered)
  if (due.length > limit)
    for (const { key } of due.filter((one) => !known.has(one.key)).slice(-maxLooked))
      putNewest(known, key, risks.of(key), 2 * maxOrdered)
  const first =
    due.length <= limit
      ? due
      : valueFirst(due, ({ key, since }) => ({ share: known.get(key) ?? 0, since, counts: true }), limit)
  const keys = first.map(({ key }) => key)
  for (const key of keys) known.delete(key)
  for (const key of keys) db.prepare('DELETE FROM held_judgements WHERE transfer_key = ?').run(key)
  return keys
}

/** When the next judgement is due; null when none is held. */
export function nextHeldAt(db: Database): UnixMs | null {
  return instant.orNull().get(db, 'SELECT min(due_at) FROM held_judgements')
}
