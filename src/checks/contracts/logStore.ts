import { z } from 'zod'
import { type BridgeLog, contentFields, type EventSample, topicOf } from '../../bridge/bridgeLog.ts'
import { type EventTemplate, mostOfParty, partyOfSample } from '../../meaning/learnEvent.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { directions } from '../../bridge/observation.ts'
import type { Database } from '../../store/database.ts'
import { columns, instant, int, json, type Read, table, text } from '../../store/table.ts'
import { noteFirst } from './firstEventStore.ts'

/** A log whose transfer is not known yet. */
export interface OpenLog {
  readonly log: BridgeLog
  readonly seenAt: UnixMs
}

const logBody = z.object({ topics: z.array(z.string()), data: z.string() })
const logs = table('bridge_logs', {
  contract: text,
  hash: text,
  height: int,
  time: instant.orNull(),
  place: text,
  body: json(logBody),
  seenAt: instant,
  checkAt: instant.orNull(),
})
const knownLogs = table('bridge_logs', { place: text, body: text, height: int })

const perField = <T extends z.ZodType>(value: T) => z.record(z.enum(contentFields), value)
const sampleBody: z.ZodType<EventSample> = logBody.extend({
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
/** Topics learned of one contract. */
const maxTopics = 64

/**
 * Saves what a reading gave. A transaction that was taken into another block has its logs at other places: they are the
 * same logs, whatever their number, height and time.
 * @returns the logs that were not known, each at a place of its own
 */
export function saveLogs(db: Database, logs: readonly BridgeLog[], now: UnixMs): BridgeLog[] {
  const groups = Map.groupBy(logs, ({ contract, hash }) => `${contract}|${hash}`)
  return [...groups.values()].flatMap((group) => saveTransaction(db, group, now))
}

interface KnownLog extends Read<typeof knownLogs> {
  isFound: boolean
}

const bodyOf = ({ topics, data }: BridgeLog) => JSON.stringify({ topics, data })

/** The logs of one contract in one transaction. */
function saveTransaction(db: Database, logs: readonly BridgeLog[], now: UnixMs): BridgeLog[] {
  const [first] = logs
  if (!first) return []
  const known = listKnown(db, first)
  const find = (log: BridgeLog, isSame: (one: KnownLog) => boolean) => {
    const found = known.find((one) => !one.isFound && one.body === bodyOf(log) && isSame(one))
    if (found) note(db, log, found, known)
    return found === undefined
  }
  return logs
    .filter((log) => find(log, ({ place }) => place === log.place))
    .filter((log) => find(log, () => true))
    .map((log) => {
      let { place } = log
      while (known.some((one) => one.place === place)) place += "'"
      return { ...log, place }
    })
    .filter((log) => insertLog(db, log, now))
}

function listKnown(db: Database, { contract, hash }: BridgeLog): KnownLog[] {
  const sql = 'SELECT place, height, body FROM bridge_logs WHERE hash = ? AND contract = ?'
  return knownLogs.all(db, sql, hash, contract).map((row) => ({ ...row, isFound: false }))
}

/** Whether a log was read, at whatever place of its transaction. */
export function hasLog(db: Database, log: BridgeLog): boolean {
  return listKnown(db, log).some(({ body }) => body === bodyOf(log))
}

/** Whether the contract is known to have emitted anything below a height. */
export function hasLogBelow(db: Database, contract: string, height: number): boolean {
  const sql = 'SELECT 1 FROM bridge_logs WHERE contract = ? AND height < ? LIMIT 1'
  return db.prepare(sql).get(contract, height) !== undefined
}

/** A known log was read again: it is where it is said to be now. */
function note(db: Database, log: BridgeLog, found: KnownLog, known: readonly KnownLog[]): void {
  found.isFound = true
  if (found.place === log.place && found.height === log.height) return
  const place = known.some((one) => one.place === log.place) ? found.place : log.place
  db.prepare(
    'UPDATE bridge_logs SET place = ?, height = ?, time = ? WHERE hash = ? AND contract = ? AND place = ?',
  ).run(place, log.height, log.time, log.hash, log.contract, found.place)
}

function insertLog(db: Database, log: BridgeLog, now: UnixMs): boolean {
  const { contract, hash, place, height, time } = log
  const { changes } = db
    .prepare('INSERT OR IGNORE INTO bridge_logs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
    .run(contract, hash, place, topicOf(log), height, time, now, now, bodyOf(log))
  if (changes === 1) noteFirst(db, log)
  return changes === 1
}

/** Transactions with logs that are due to be looked at, those waiting longest first. */
export function listDueTransactions(db: Database, now: UnixMs, limit: number): string[] {
  const sql = `SELECT hash FROM bridge_logs INDEXED BY bridge_logs_due WHERE check_at <= ?
    GROUP BY hash ORDER BY min(check_at) LIMIT ?`
  return text.all(db, sql, now, limit)
}

export function listLogs(db: Database, hash: string): (OpenLog & { readonly isOpen: boolean })[] {
  return logs
    .all(db, 'SELECT * FROM bridge_logs WHERE hash = ?', hash)
    .map(({ body, seenAt, checkAt, ...log }) => ({
      log: { ...log, ...body },
      seenAt,
      isOpen: checkAt !== null,
    }))
}

/** When a transaction's open logs are looked at again; null: never, they are explained. */
export function scheduleLogs(db: Database, hash: string, checkAt: UnixMs | null): void {
  db.prepare('UPDATE bridge_logs SET check_at = ? WHERE hash = ? AND check_at IS NOT NULL').run(checkAt, hash)
}

/** Nothing more is to be said of this log. */
export function closeLog(db: Database, { contract, hash, place }: BridgeLog): void {
  db.prepare('UPDATE bridge_logs SET check_at = NULL WHERE hash = ? AND contract = ? AND place = ?').run(
    hash,
    contract,
    place,
  )
}

/** Logs of a topic that no transfer was found for, of blocks before `before`. */
export function countOpenLogs(db: Database, contract: string, topic: string, before: UnixMs): number {
  const sql =
    'SELECT count(*) FROM bridge_logs WHERE contract = ? AND topic = ? AND check_at IS NOT NULL AND coalesce(time, seen_at) < ?'
  return int.get(db, sql, contract, topic, before) ?? 0
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

/** Keeps the newest samples, and of one party no more than count: nobody may push out what others showed. */
function trimSamples(db: Database, contract: string, topic: string): void {
  const sql = 'SELECT id, body FROM bridge_samples WHERE contract = ? AND topic = ? ORDER BY id DESC'
  const rows = samples.all(db, sql, contract, topic)
  const byParty = Map.groupBy(rows, ({ body }) => partyOfSample(body))
  const kept = new Set([...byParty.values()].flatMap((own) => own.slice(0, mostOfParty)).map(({ id }) => id))
  const tooMany = rows.filter(({ id }) => kept.has(id)).slice(maxSamples)
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
    'UPDATE bridge_logs SET check_at = ? WHERE contract = ? AND topic = ? AND check_at IS NOT NULL',
  ).run(now, contract, topic)
}

/** Forgets logs that nothing is open about, below where their contract is read again; and open ones after a day. */
export function purgeLogs(
  db: Database,
  of: { contract: string; belowHeight: number; openSince: UnixMs; limit: number },
): void {
  db.prepare(
    `DELETE FROM bridge_logs WHERE (hash, contract, place) IN (
       SELECT hash, contract, place FROM bridge_logs
       WHERE contract = ? AND height < ? AND (check_at IS NULL OR seen_at < ?) LIMIT ?)`,
  ).run(of.contract, of.belowHeight, of.openSince, of.limit)
}
