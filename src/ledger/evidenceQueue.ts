import {
  destinationLeg,
  type EvidenceSource,
  type Leg,
  originLeg,
  type ReplacedPayout,
  type Transfer,
} from '../bridge/transfer.ts'
import { listDifferences } from '../meaning/compareAnswers.ts'
import { isOfNode } from '../meaning/proveOrigin.ts'
import { movesNative, nativeSources, tokenSources } from '../meaning/showsMoney.ts'
import { valueFirst } from './valueFirst.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { hash, toHashCell } from '../store/hash.ts'
import { flag, instant, int, oneOf, type Read, real, table } from '../store/table.ts'

/**
 * Which question a leg waits for: E9, E13, E15, a receipt by the node of its chain; `record` asks the list whether a payout has a record, `past`
 * what was there of an origin before the ledger.
 */
const ask = oneOf('zone', 'main', 'native', 'receipt', 'zoneReceipt', 'record', 'past')
export type Ask = Read<typeof ask>

const progress = table('evidence_queue', {
  readyAt: instant,
  dueAt: instant,
  /** How often a second answer about its movements was asked for in vain; apart from the answers without it. */
  tries: int,
  reads: int,
  firstAt: instant.orNull(),
  lastAt: instant.orNull(),
  controlAt: instant.orNull(),
  rests: int,
})
const queue = table('evidence_queue', {
  ask,
  hash,
  addedAt: instant,
  height: int.orNull(),
  time: instant,
  ...progress.shape,
  /** Long over when it was first seen. */
  isLate: flag.from('late'),
  risk: real,
})
/** A leg that is to be asked of one source. Times are ours but `time`, which is the chain's. */
export type QueuedLeg = Omit<Read<typeof queue>, 'risk'>

type WantsReceipt = (transfer: Transfer, hash: string) => boolean

export interface QueueSettings {
  /** Legs of transfers that ended before this are not asked of by themselves. */
  readonly since: UnixMs
  /** How long an ordinary leg may wait for others to share its request, ms. */
  readonly holdMs: number
  /** Whether so much is at stake that its legs are asked at once. */
  readonly isLarge?: (transfer: Transfer) => boolean
  /** What of the escrows' holdings a transfer is; left out, all are alike. */
  readonly riskOf?: (transfer: Transfer) => number
  /** Whether a main leg's receipt is asked for; null when there is no node to ask. */
  readonly wantsReceipt: WantsReceipt | null
  /** The same of a zone leg. */
  readonly wantsZoneReceipt?: WantsReceipt | null
}

/** What is older than this when it is first seen is history, or was filled in late: nothing about it is urgent. */
const historyMs = 15 * 60_000

/**
 * Puts the legs that are new or other than they were into the queue. A leg with an answer is not asked again.
 * @returns whether the transfer is history: its legs wait for `queueHistory`
 */
export function queueLegs(
  db: Database,
  settings: QueueSettings,
  change: { readonly before: Transfer | null; readonly after: Transfer },
  now: UnixMs,
): boolean {
  const { before, after } = change
  if (endOf(after) < settings.since && before === null) return false
  const risk = settings.riskOf?.(after) ?? 0
  const isRewritten = before !== null && isOther(before, after)
  const isUrgent = isSuspicious(after)
  const isLate = before === null && isHistory(after, now) && !isUrgent
  const hasTurned = before !== null && isUrgent && !isSuspicious(before)
  const destination = destinationLeg(after)
  if (destination !== null && originLeg(after) === null && (before === null || hasTurned)) {
    const time = Math.min(destination.time ?? now, now)
    queueLeg(db, { ...destination, ask: 'record', time, dueAt: now, isLate: false, risk }, now)
  }
  queueReplaced(db, settings, change, now)
  queuePast(db, settings, change, now)
  queueOutdated(db, settings, change, now)
  if (isLate) return true
  for (const leg of [after.zone, after.main, claimedLeg(after)]) {
    if (leg === null) continue
    const known = before && ('isClaim' in leg ? claimedLeg(before) : before[leg.chain])
    // What moved its money is shown by other lists than was thought.
    const isOtherMoney = before !== null && movesNative(before.token) !== movesNative(after.token)
    const isNew = known?.hash !== leg.hash || (isOtherMoney && leg.chain === 'main')
    if (!isNew && !isRewritten && !hasTurned) continue
    const isAtOnce = isUrgent || isRewritten || settings.isLarge?.(after) === true
    const dueAt = isAtOnce ? now : now + settings.holdMs
    // A leg may be far newer than what was seen first; of a time that has not come nothing would ever be said.
    const time = Math.min(leg.time ?? now, now)
    for (const ask of asksOf(settings, after, leg)) {
      if (!isRewritten && hasAnswer(after, ask, leg)) continue
      const at = isReceipt(ask) ? now : dueAt
      queueLeg(db, { ask, hash: leg.hash, height: leg.height, time, dueAt: at, isLate: false, risk }, now)
    }
  }
  return false
}

function endOf({ originAt, destinationAt }: Transfer): UnixMs {
  return Math.max(originAt, destinationAt ?? originAt)
}

/** Whether a transfer was long over when it was seen. */
function isHistory(transfer: Transfer, seenAt: UnixMs): boolean {
  return seenAt - endOf(transfer) > historyMs
}

/** Puts what was not asked of a transfer into the queue, to be asked when there is nothing else to ask. What waits already keeps its time. */
export function queueHistoricLegs(
  db: Database,
  settings: QueueSettings,
  transfer: Transfer,
  now: UnixMs,
): void {
  if (endOf(transfer) < settings.since) return
  for (const leg of [transfer.zone, transfer.main, claimedLeg(transfer)]) {
    if (leg === null) continue
    for (const ask of asksOf(settings, transfer, leg)) {
      if (hasAnswer(transfer, ask, leg)) continue
      db.prepare(
        'INSERT OR IGNORE INTO evidence_queue (ask, hash, added_at, ready_at, due_at, height, time, late) VALUES (?, ?, ?, ?, ?, ?, ?, 1)',
      ).run(ask, toHashCell(leg.hash), now, now, now, leg.height, Math.min(leg.time ?? now, now))
    }
  }
}

/** The origin that a payout's event names: its chain shows it once it has come as far as the payout. */
function claimedLeg({ claim, main }: Transfer): (Leg & { readonly isClaim: true }) | null {
  if (claim === undefined) return null
  return { chain: 'zone', hash: claim.hash, height: null, time: main?.time ?? null, isClaim: true }
}

/** Asks again of every leg that has an answer: it may be another by now. What waits already keeps its time. */
export function queueAgain(db: Database, settings: QueueSettings, transfer: Transfer, now: UnixMs): void {
  const legs = [transfer.zone, transfer.main, ...listReplaced(transfer)].filter((leg) => leg !== null)
  for (const { chain, hash, height, time } of legs) {
    for (const ask of asksOf(settings, transfer, { chain, hash, height, time })) {
      if (!hasAnswer(transfer, ask, { chain, hash })) continue
      db.prepare(
        'INSERT OR IGNORE INTO evidence_queue (ask, hash, added_at, ready_at, due_at, height, time, late) VALUES (?, ?, ?, ?, ?, ?, ?, 0)',
      ).run(ask, toHashCell(hash), now, now, now, height, Math.min(time ?? now, now))
    }
  }
}

/** A record names another payout than before: whether the one before still stands distinguishes a rewriting from paying twice. */
function queueReplaced(
  db: Database,
  settings: QueueSettings,
  { before, after }: { readonly before: Transfer | null; readonly after: Transfer },
  now: UnixMs,
): void {
  const known = new Map(before?.replaced?.map((one) => [one.hash, one.at]))
  const risk = settings.riskOf?.(after) ?? 0
  for (const old of listReplaced(after)) {
    if (known.get(old.hash) === old.at) continue
    const { hash } = old
    const [ask] = asksOf(settings, after, old)
    if (ask)
      queueLeg(db, { ask, hash, height: null, time: after.originAt, dueAt: now, isLate: false, risk }, now)
  }
}

function listReplaced({ replaced = [] }: Transfer): (Leg & Pick<ReplacedPayout, 'at'>)[] {
  return replaced.map(({ chain, hash, at }) => ({ chain, hash, at, height: null, time: null }))
}

/**
 * One source says otherwise now than the other one did: that one is asked again at once, and anew where it rested
 * because it had told what it knew.
 */
export function queueOutdated(
  db: Database,
  settings: QueueSettings,
  { before, after }: { readonly before: Transfer | null; readonly after: Transfer },
  now: UnixMs,
): void {
  // What is not told is not asked again.
  if (Math.max(after.originAt, after.destinationAt ?? after.originAt) < settings.since) return
  const known = before === null ? [] : listDifferences(before)
  const risk = settings.riskOf?.(after) ?? 0
  for (const { leg, outdated, since } of listDifferences(after)) {
    if (outdated === null || known.some((one) => one.leg.hash === leg.hash && one.since === since)) continue
    const ask = asksOf(settings, after, leg).find((one) => isReceipt(one) === (outdated === 'node'))
    if (ask === undefined) continue
    const { hash, height } = leg
    const time = Math.min(leg.time ?? now, now)
    queueLeg(db, { ask, hash, height, time, dueAt: now, isLate: false, risk }, now)
    db.prepare('UPDATE evidence_queue SET rests = 0 WHERE ask = ? AND hash = ?').run(ask, toHashCell(hash))
  }
}

/** Value that arrived since, of an origin older than the ledger: it may have been paid before. */
function queuePast(
  db: Database,
  settings: QueueSettings,
  { before, after }: { readonly before: Transfer | null; readonly after: Transfer },
  now: UnixMs,
): void {
  const [origin, destination] = [originLeg(after), destinationLeg(after)]
  if (origin === null || destination === null || !after.isListed || after.status === 'failed') return
  if (before !== null && destinationLeg(before)?.hash === destination.hash) return
  const [leftAt, arrivedAt] = [origin.time ?? now, destination.time ?? after.firstSeenAt]
  if (leftAt >= settings.since || arrivedAt < settings.since) return
  const risk = settings.riskOf?.(after) ?? 0
  queueLeg(db, { ...origin, ask: 'past', time: leftAt, dueAt: now, isLate: false, risk }, now)
}

/**
 * Has the destination of a transfer verified now, whatever its age: another one claims its origin.
 * @param since answers to earlier requests say nothing any more; left out, any does
 * @param isLate nobody waits for it: it is asked beside what happens now, before other history
 */
export function queueClaimed(
  db: Database,
  settings: QueueSettings,
  transfer: Transfer,
  now: UnixMs,
  { since = -Infinity, isLate = false }: { readonly since?: UnixMs; readonly isLate?: boolean } = {},
): void {
  const leg = destinationLeg(transfer)
  if (leg === null) return
  const risk = settings.riskOf?.(transfer) ?? 0
  for (const ask of asksOf(settings, transfer, leg)) {
    if (hasAnswer(transfer, ask, leg, since)) continue
    const time = Math.min(leg.time ?? now, now)
    queueLeg(db, { ask, hash: leg.hash, height: leg.height, time, dueAt: now, isLate, risk }, now)
  }
}

function queueLeg(
  db: Database,
  leg: Pick<QueuedLeg, 'ask' | 'hash' | 'height' | 'time' | 'dueAt' | 'isLate'> & { readonly risk: number },
  now: UnixMs,
): void {
  db.prepare(
    `INSERT INTO evidence_queue (ask, hash, added_at, ready_at, due_at, height, time, late, risk) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (hash, ask) DO UPDATE SET due_at = min(due_at, excluded.due_at), ready_at = min(ready_at, excluded.ready_at),
       late = min(late, excluded.late), risk = max(risk, excluded.risk)`,
  ).run(
    leg.ask,
    toHashCell(leg.hash),
    now,
    now,
    leg.dueAt,
    leg.height,
    leg.time,
    leg.isLate ? 1 : 0,
    leg.risk,
  )
}

/**
 * The legs that may be asked: of those that have to be by now the ones of most value first, and each tenth the one that
 * has waited longest; then those that could wait.
 * @param before turns that were taken already, where there are few at a time
 */
export function listQueued(
  db: Database,
  ask: Ask,
  isLate: boolean,
  now: UnixMs,
  limit: number,
  before = 0,
): QueuedLeg[] {
  const find = (order: string) =>
    queue.all(
      db,
      `SELECT ${queue.list()} FROM evidence_queue WHERE ask = ? AND late = ${isLate ? 1 : 0} AND ready_at <= ? ORDER BY ${order} LIMIT ?`,
      ask,
      now,
      limit,
    )
  // What is long over has no hurry.
  if (isLate) return find('due_at').map(withoutRisk)
  const legs = [...new Map([...find('risk DESC'), ...find('due_at')].map((leg) => [leg.hash, leg])).values()]
  const order = (some: typeof legs) =>
    valueFirst(some, ({ dueAt, risk }) => ({ share: risk, since: dueAt, counts: true }), limit, before)
  const [due, early] = [legs.filter(({ dueAt }) => dueAt <= now), legs.filter(({ dueAt }) => dueAt > now)]
  return [...order(due), ...order(early)].slice(0, limit).map(withoutRisk)
}

function withoutRisk(row: Read<typeof queue>): QueuedLeg {
  const { risk: _, ...leg } = row
  return leg
}

/** Which questions a leg waits for. */
export function listQuestions(db: Database, hash: string): Ask[] {
  const sql = 'SELECT ask FROM evidence_queue WHERE ask IN (SELECT value FROM json_each(?)) AND hash = ?'
  return ask.all(db, sql, JSON.stringify(['zone', 'main', 'native', 'receipt']), toHashCell(hash))
}

/** Whether fewer than so many legs of what was long over could be asked now. */
export function isShortOfHistory(db: Database, asks: readonly Ask[], now: UnixMs, least: number): boolean {
  const sql = 'SELECT 1 FROM evidence_queue WHERE ask = ? AND late = 1 AND due_at <= ? LIMIT ?'
  const due = asks.map((ask) => db.prepare(sql).all(ask, now, least).length)
  return due.reduce((sum, count) => sum + count, 0) < least
}

/** When the next leg has to be asked; null when none waits. */
export function nextDueAt(db: Database, asks: readonly Ask[], isLate: boolean): UnixMs | null {
  const sql = 'SELECT min(due_at) FROM evidence_queue WHERE ask = ? AND late = ?'
  const times = asks.flatMap((ask) => instant.orNull().get(db, sql, ask, isLate ? 1 : 0) ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

/** The explorer's word on a transaction is wanted now: another source does not know it. */
export function hurryLeg(db: Database, hash: string, now: UnixMs): void {
  for (const ask of ['zone', 'main', 'native'] as const) {
    db.prepare('UPDATE evidence_queue SET due_at = min(due_at, ?) WHERE ask = ? AND hash = ?').run(
      now,
      ask,
      toHashCell(hash),
    )
  }
}

export function saveQueued(db: Database, leg: QueuedLeg): void {
  db.prepare(`UPDATE evidence_queue SET ${progress.set} WHERE ask = ? AND hash = ?`).run(
    ...progress.values(leg),
    leg.ask,
    toHashCell(leg.hash),
  )
}

export function dropQueued(db: Database, ask: Ask, hash: string): void {
  db.prepare('DELETE FROM evidence_queue WHERE ask = ? AND hash = ?').run(ask, toHashCell(hash))
}

/** Forgets the questions about a hash that no transfer names any more. */
export function dropQueuedHash(db: Database, hash: string): void {
  db.prepare('DELETE FROM evidence_queue WHERE hash = ?').run(toHashCell(hash))
}

const explorerSources: Readonly<Record<'zone' | 'main', readonly EvidenceSource[]>> = {
  zone: ['E9', 'E14'],
  main: [...tokenSources, ...nativeSources],
}

function asksOf(settings: QueueSettings, transfer: Transfer, leg: Leg): Ask[] {
  const isZone = leg.chain === 'zone'
  const wants = isZone ? settings.wantsZoneReceipt : settings.wantsReceipt
  const receipt = isZone ? 'zoneReceipt' : 'receipt'
  const explorer = isZone ? 'zone' : movesNative(transfer.token) ? 'native' : 'main'
  return wants?.(transfer, leg.hash) ? [explorer, receipt] : [explorer]
}

function isReceipt(ask: Ask): boolean {
  return ask === 'receipt' || ask === 'zoneReceipt'
}

/** A transfer's evidence holds no answer that would not show its money. */
function hasAnswer(
  { evidence }: Transfer,
  ask: Ask,
  leg: Pick<Leg, 'chain' | 'hash'>,
  since = -Infinity,
): boolean {
  return evidence.some(
    (one) =>
      one.chain === leg.chain &&
      one.hash === leg.hash &&
      one.at >= since &&
      (isReceipt(ask) ? isOfNode(one) : explorerSources[leg.chain].includes(one.source)),
  )
}

/** What wants an answer at once: value that arrived from nowhere, and what is said to have failed. */
function isSuspicious(transfer: Transfer): boolean {
  return transfer.state === 'unbacked' || transfer.status === 'failed'
}

/** Whether the records now say something that evidence has to be compared with anew. */
function isOther(before: Transfer, after: Transfer): boolean {
  return (
    (before.amountRaw !== null && before.amountRaw !== after.amountRaw) ||
    (before.status !== 'unknown' && before.status !== after.status)
  )
}
