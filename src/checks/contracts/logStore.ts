import { z } from 'zod'
import { type BridgeLog, contentFields, type EventSample, topicOf } from '../../bridge/bridgeLog.ts'
import { type EventTemplate, isForOther, mostOfParty, partyOfSample } from '../../meaning/learnEvent.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { directions } from '../../bridge/observation.ts'
import { keepOneBlock } from '../../kernel/reads/keepOneBlock.ts'
import type { Database } from '../../store/database.ts'
import { hash, isHash } from '../../store/hash.ts'
import { nameNumber, nameOf, numberOf } from '../../store/names.ts'
import { columns, instant, int, json, type Read, table, text } from '../../store/table.ts'
import { type LogBody, logBody, withTopic } from './logBody.ts'
import { noteFirst } from './firstEventStore.ts'

/** A log whose transfer is not known yet. */
export interface OpenLog {
  readonly log: BridgeLog
  readonly seenAt: UnixMs
}

const logRows = table('bridge_logs', {
  contract: int,
  topic: int,
  hash,
  place: text,
  height: int,
  time: instant.orNull(),
  seenAt: instant,
  checkAt: instant.orNull(),
  body: logBody,
})
const logs = columns({ ...logRows.shape, contract: text, topic: text })
const logColumns = `${nameOf('contract')} AS contract, ${nameOf('topic')} AS topic, hash, place, height, time, seen_at, check_at, body`
const knownLogs = columns({ id: int, place: text, topic: text, body: logBody, height: int })

const perField = <T extends z.ZodType>(value: T) => z.record(z.enum(contentFields), value)
const sampleBody: z.ZodType<EventSample> = z.object({
  topics: z.array(z.string()),
  data: z.string(),
  hash: z.string(),
  direction: z.enum(directions),
  content: perField(z.string()),
})
const samples = table('bridge_samples', { id: int, body: json(sampleBody) })

const template: z.ZodType<EventTemplate> = z.object({
  direction: z.enum(directions),
  topics: z.int(),
  places: perField(z.array(z.string())),
})
const learnedTopics = columns({ contract: text, topic: text, template: json(template) })
const abis = table('bridge_abi', { contract: text, topic: text, event: text })

/** Samples kept of one topic: what one attack shows is outweighed, what changed for good is learned anew. */
const maxSamples = 32
/** Of these so many are kept that show whether a deposit's event names who pays or whom it is for. */
const maxTelling = 10
/** Topics learned of one contract. */
const maxTopics = 64

/**
 * Saves what a reading gave. A transaction that was taken into another block has its logs at other places: they are the
 * same logs, whatever their number, height and time.
 * @returns the logs that were not known, each at a place of its own
 */
export function saveLogs(db: Database, logs: readonly BridgeLog[], now: UnixMs): BridgeLog[] {
  const groups = Map.groupBy(logs, ({ contract, hash }) => `${contract}|${hash}`)
  return [...groups.values()].flatMap((group) => saveTransaction(db, keepOneBlock(group), now))
}

interface KnownLog {
  readonly id: number
  readonly place: string
  readonly height: number
  /** Topics and data. */
  readonly body: string
  isFound: boolean
}

const bodyOf = ({ topics, data }: LogBody) => JSON.stringify({ topics, data })

/** The logs of one contract in one transaction. There may be thousands: each is worded once. */
function saveTransaction(db: Database, logs: readonly BridgeLog[], now: UnixMs): BridgeLog[] {
  const [first] = logs
  if (!first) return []
  const known = listKnown(db, first)
  const places = new Set(known.map(({ place }) => place))
  const byBody = Map.groupBy(known, ({ body }) => body)
  const isUnknown = ({ log, body }: ReadLog, isSame: (one: KnownLog) => boolean) => {
    const found = byBody.get(body)?.find((one) => !one.isFound && isSame(one))
    if (found) note(db, log, found, places)
    return found === undefined
  }
  const fresh = logs
    .map((log): ReadLog => ({ log, body: bodyOf(log) }))
    .filter((one) => isUnknown(one, ({ place }) => place === one.log.place))
    .filter((one) => isUnknown(one, () => true))
    .map(({ log }) => {
      let { place } = log
      while (places.has(place)) place += "'"
      return { ...log, place }
    })
  // Of a place that one answer names twice the first is kept.
  const kept = [...Map.groupBy(fresh, ({ place }) => place).values()].flatMap(([one]) => one ?? [])
  for (const log of kept) insertLog(db, log, now)
  return kept
}

interface ReadLog {
  readonly log: BridgeLog
  readonly body: string
}

function listKnown(db: Database, { contract, hash }: BridgeLog): KnownLog[] {
  const sql = `SELECT id, place, height, ${nameOf('topic')} AS topic, body FROM bridge_logs
    WHERE ${isHash('hash', '?1')} AND +contract = ${numberOf('?2')} ORDER BY place`
  return knownLogs
    .all(db, sql, hash, contract)
    .map(({ topic, body, ...row }) => ({ ...row, body: bodyOf(withTopic(topic, body)), isFound: false }))
}

/** Whether a log was read, at whatever place of its transaction. */
export function hasLog(db: Database, log: BridgeLog): boolean {
  return listKnown(db, log).some(({ body }) => body === bodyOf(log))
}

/** Whether the contract is known to have emitted anything below a height. */
export function hasLogBelow(db: Database, contract: string, height: number): boolean {
  const sql = `SELECT 1 FROM bridge_logs WHERE contract = ${numberOf('?')} AND height < ? LIMIT 1`
  return db.prepare(sql).get(contract, height) !== undefined
}

/** A known log was read again: it is where it is said to be now. */
function note(db: Database, log: BridgeLog, found: KnownLog, places: ReadonlySet<string>): void {
  found.isFound = true
  if (found.place === log.place && found.height === log.height) return
  const place = places.has(log.place) ? found.place : log.place
  const sql = 'UPDATE bridge_logs SET place = ?, height = ?, time = ? WHERE id = ?'
  db.prepare(sql).run(place, log.height, log.time, found.id)
}

/** At a place where none is known. */
function insertLog(db: Database, log: BridgeLog, now: UnixMs): void {
  const topic = topicOf(log)
  const numbers = { contract: nameNumber(db, log.contract), topic: nameNumber(db, topic) }
  const row = { ...log, ...numbers, body: log, seenAt: now, checkAt: now }
  db.prepare(`INSERT ${logRows.into}`).run(...logRows.values(row))
  noteFirst(db, log)
}

/** Transactions with logs that are due to be looked at, those waiting longest first. */
export function listDueTransactions(db: Database, now: UnixMs, limit: number): string[] {
  const sql = `SELECT hash FROM bridge_logs INDEXED BY bridge_logs_due WHERE check_at <= ?
    GROUP BY hash ORDER BY min(check_at) LIMIT ?`
  return hash.all(db, sql, now, limit)
}

export function listLogs(db: Database, hash: string): (OpenLog & { readonly isOpen: boolean })[] {
  const sql = `SELECT ${logColumns} FROM bridge_logs WHERE ${isHash('hash', '?1')} ORDER BY 1, place`
  return logs.all(db, sql, hash).map(({ topic, body, seenAt, checkAt, ...log }) => ({
    log: { ...log, ...withTopic(topic, body) },
    seenAt,
    isOpen: checkAt !== null,
  }))
}

/** When a transaction's open logs are looked at again; null: never, they are explained. */
export function scheduleLogs(db: Database, hash: string, checkAt: UnixMs | null): void {
  db.prepare(
    `UPDATE bridge_logs SET check_at = ?2 WHERE ${isHash('hash', '?1')} AND check_at IS NOT NULL`,
  ).run(hash, checkAt)
}

/** Nothing more is to be said of this log. */
export function closeLog(db: Database, { contract, hash, place }: BridgeLog): void {
  const sql = `UPDATE bridge_logs SET check_at = NULL WHERE ${isHash('hash', '?1')} AND +contract = ${numberOf('?2')} AND place = ?3`
  db.prepare(sql).run(hash, contract, place)
}

/** Logs of a topic that no transfer was found for, of blocks from `from` on and before `before`. */
export function countOpenLogs(
  db: Database,
  contract: string,
  topic: string,
  { from, before }: { readonly from: UnixMs; readonly before: UnixMs },
): number {
  const sql = `SELECT count(*) FROM bridge_logs WHERE contract = ${numberOf('?')} AND topic = ${numberOf('?')} AND check_at IS NOT NULL
    AND coalesce(time, seen_at) >= ? AND coalesce(time, seen_at) < ?`
  return int.get(db, sql, contract, topic, from, before) ?? 0
}

/** @returns whether the sample is new */
export function saveSample(
  db: Database,
  log: Pick<BridgeLog, 'contract' | 'place'>,
  sample: EventSample,
): boolean {
  const topic = topicOf(sample)
  const known = int.get(db, 'SELECT count(*) FROM bridge_topics WHERE contract = ?', log.contract) ?? 0
  const isKnown = db
    .prepare('SELECT 1 FROM bridge_topics WHERE contract = ? AND topic = ?')
    .get(log.contract, topic)
  if (!isKnown && known >= maxTopics) return false
  const inserted = db
    .prepare('INSERT OR IGNORE INTO bridge_samples (contract, topic, name, body) VALUES (?, ?, ?, ?)')
    .run(log.contract, topic, `${sample.hash}#${log.place}`, JSON.stringify({ ...sample, args: undefined }))
  if (inserted.changes === 0) return false
  db.prepare(
    'INSERT INTO bridge_topics VALUES (?, ?, 1, NULL, NULL) ON CONFLICT (contract, topic) DO UPDATE SET matched = matched + 1',
  ).run(log.contract, topic)
  trimSamples(db, log.contract, topic)
  return true
}

export function listSamples(db: Database, contract: string, topic: string): EventSample[] {
  const sql = 'SELECT id, body FROM bridge_samples WHERE contract = ? AND topic = ? ORDER BY id'
  return samples.all(db, sql, contract, topic).map(({ body }) => body)
}

/**
 * Keeps the newest samples, and of one party no more than count: nobody may push out what others showed. Some of
 * deposits for others are kept before any that say nothing of whom the event names.
 */
function trimSamples(db: Database, contract: string, topic: string): void {
  const sql = 'SELECT id, body FROM bridge_samples WHERE contract = ? AND topic = ? ORDER BY id DESC'
  const rows = samples.all(db, sql, contract, topic)
  const byParty = Map.groupBy(rows, ({ body }) => partyOfSample(body))
  const kept = new Set([...byParty.values()].flatMap((own) => own.slice(0, mostOfParty)).map(({ id }) => id))
  const telling = rows.filter(({ id, body }) => kept.has(id) && isForOther(body)).slice(0, maxTelling)
  const first = new Set(telling.map(({ id }) => id))
  const tooMany = [...telling, ...rows.filter(({ id }) => kept.has(id) && !first.has(id))].slice(maxSamples)
  for (const { id } of [...rows.filter(({ id }) => !kept.has(id)), ...tooMany])
    db.prepare('DELETE FROM bridge_samples WHERE id = ?').run(id)
}

/** Keeps the events that a verified ABI declares; a contract's own ABI and its implementation's are distinguished. */
export function saveAbi(
  db: Database,
  contract: string,
  source: string,
  events: readonly { readonly topic: string; readonly event: string }[],
): void {
  for (const { topic, event } of events)
    db.prepare('INSERT OR REPLACE INTO bridge_abi VALUES (?, ?, ?, ?)').run(contract, topic, source, event)
}

/** Whether the events of this contract are known from the verified ABI of this address. */
export function hasAbi(db: Database, contract: string, source: string): boolean {
  const row = db
    .prepare('SELECT 1 FROM bridge_abi WHERE contract = ? AND source = ? LIMIT 1')
    .get(contract, source)
  return row !== undefined
}

/** Declared events as JSON, by contract and first topic. */
export function listAbi(db: Database): ReadonlyMap<string, string> {
  const rows = abis.all(db, 'SELECT contract, topic, event FROM bridge_abi')
  return new Map(rows.map(({ contract, topic, event }) => [`${contract}|${topic}`, event]))
}

/** Forgets the oldest samples of a topic. */
export function dropSamples(db: Database, contract: string, topic: string, count: number): void {
  db.prepare(
    'DELETE FROM bridge_samples WHERE id IN (SELECT id FROM bridge_samples WHERE contract = ? AND topic = ? ORDER BY id LIMIT ?)',
  ).run(contract, topic, count)
}

/** Takes back what the events of a transaction taught: its transfer is accused. */
export function forgetSamples(db: Database, hash: string): void {
  db.prepare('DELETE FROM bridge_samples WHERE name >= ? AND name < ?').run(`${hash}#`, `${hash}$`)
}

export function countMatched(db: Database, contract: string, topic: string): number {
  const sql = 'SELECT matched FROM bridge_topics WHERE contract = ? AND topic = ?'
  return int.get(db, sql, contract, topic) ?? 0
}

export function listLearned(db: Database): Read<typeof learnedTopics>[] {
  const sql = 'SELECT contract, topic, template FROM bridge_topics WHERE template IS NOT NULL'
  return learnedTopics.all(db, sql)
}

/** Keeps what a topic means, or that it means nothing any more; what waited for the meaning is looked at at once. */
export function saveTemplate(
  db: Database,
  contract: string,
  topic: string,
  template: EventTemplate | null,
  now: UnixMs,
): void {
  db.prepare('UPDATE bridge_topics SET template = ?, learned_at = ? WHERE contract = ? AND topic = ?').run(
    template && JSON.stringify(template),
    template && now,
    contract,
    topic,
  )
  if (template === null) return
  db.prepare(
    `UPDATE bridge_logs SET check_at = ? WHERE contract = ${numberOf('?')} AND topic = ${numberOf('?')} AND check_at IS NOT NULL`,
  ).run(now, contract, topic)
}

/** Forgets logs that nothing is open about, below where their contract is read again; and open ones after a day. */
export function purgeLogs(
  db: Database,
  of: { contract: string; belowHeight: number; openSince: UnixMs; limit: number },
): void {
  db.prepare(
    `DELETE FROM bridge_logs WHERE id IN (SELECT id FROM bridge_logs
       WHERE contract = ${numberOf('?')} AND height < ? AND (check_at IS NULL OR seen_at < ?) LIMIT ?)`,
  ).run(of.contract, of.belowHeight, of.openSince, of.limit)
}
