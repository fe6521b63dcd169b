import {
  destinationLeg,
  type EvidenceSource,
  type Leg,
  originLeg,
  type ReplacedPayout,
  type Transfer,
} from '../../bridge/transfer.ts'
import { listDifferences } from '../../meaning/compareAnswers.ts'
import { isOfNode } from '../../meaning/proveOrigin.ts'
import { movesNative, nativeSources, tokenSources } from '../../meaning/showsMoney.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { toHashCell } from '../../store/hash.ts'
import { mayBeForgotten, readForgottenUntil } from '../lessons/historyMarks.ts'
import { type Ask, queueLeg, queueUnlessQueued } from './evidenceQueue.ts'

type WantsReceipt = (transfer: Transfer, hash: string) => boolean

export interface QueueSettings {
  /** Legs of transfers that ended before this are not asked of by themselves. */
  readonly since: UnixMs
  /** Whether all of the list was read that was there at the first start; left out, it may not be. */
  readonly isPastRead?: () => boolean
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
  if (endOf(after) < settings.since && before === null) {
    // By a record that came after all of that was read: the chain may say that what arrived is of now.
    if (settings.isPastRead?.() === true) queueClaimed(db, settings, after, now)
    return false
  }
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
      const { hash, height } = leg
      queueUnlessQueued(db, { ask, hash, height, time: Math.min(leg.time ?? now, now), isLate: true }, now)
    }
  }
}

/** Has both legs of a transfer asked for of which its chain says that it is not of before this ledger, as its record did. */
export function queueDatedAnew(
  db: Database,
  settings: QueueSettings,
  { before, after }: { readonly before: Transfer; readonly after: Transfer },
  now: UnixMs,
): void {
  if (endOf(before) >= settings.since || endOf(after) < settings.since) return
  queueUnanswered(db, settings, { transfer: after, legs: [after.zone, after.main] }, now)
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
      queueUnlessQueued(db, { ask, hash, height, time: Math.min(time ?? now, now), isLate: false }, now)
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

/** Value that arrived since, of an origin older than the ledger, or than what it still keeps: it may have been paid before. */
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
  if (arrivedAt < settings.since) return
  if (leftAt >= settings.since) {
    const until = readForgottenUntil(db)
    // What arrived by then is history that is read late.
    if (until === null || arrivedAt <= until) return
    if (!mayBeForgotten({ leftAt, firstSeenAt: after.firstSeenAt }, until)) return
  }
  const risk = settings.riskOf?.(after) ?? 0
  queueLeg(db, { ...origin, ask: 'past', time: leftAt, dueAt: now, isLate: false, risk }, now)
}

/**
 * Has the destination of a transfer verified now, whatever its age: another one claims its origin, or its record came late.
 * @param how as for each of its legs
 */
export function queueClaimed(
  db: Database,
  settings: QueueSettings,
  transfer: Transfer,
  now: UnixMs,
  how?: Parameters<typeof queueUnanswered>[4],
): void {
  queueUnanswered(db, settings, { transfer, legs: [destinationLeg(transfer)] }, now, how)
}

/**
 * Has legs of a transfer asked for now that have no answer.
 * @param since answers to earlier requests say nothing any more; left out, any does
 * @param isLate nobody waits for it: it is asked beside what happens now, before other history
 */
function queueUnanswered(
  db: Database,
  settings: QueueSettings,
  { transfer, legs }: { readonly transfer: Transfer; readonly legs: readonly (Leg | null)[] },
  now: UnixMs,
  { since = -Infinity, isLate = false }: { readonly since?: UnixMs; readonly isLate?: boolean } = {},
): void {
  const risk = settings.riskOf?.(transfer) ?? 0
  for (const leg of legs) {
    if (leg === null) continue
    for (const ask of asksOf(settings, transfer, leg)) {
      if (hasAnswer(transfer, ask, leg, since)) continue
      const time = Math.min(leg.time ?? now, now)
      queueLeg(db, { ask, hash: leg.hash, height: leg.height, time, dueAt: now, isLate, risk }, now)
    }
  }
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
