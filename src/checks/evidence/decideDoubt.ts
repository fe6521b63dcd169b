import { type Absence, isAbsent, noteReading, notYetAbsent } from '../../clients/explorer/absence.ts'
import { canonicalToken } from '../../bridge/movedToken.ts'
import { listHeads } from '../../kernel/heads/heads.ts'
import { askQuorum } from '../../kernel/quorum.ts'
import { isContradicted } from '../../kernel/sources/sourceWords.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { passedTime } from '../../kernel/heads/trackHead.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { EvidenceReading } from '../../ledger/evidence/evidence.ts'
import type { QueuedLeg } from '../../ledger/evidence/evidenceQueue.ts'
import { mostOfTransaction } from '../../ledger/transfers/transferRows.ts'
import { putNewest } from '../../lib/putNewest.ts'
import type { LegAsk } from './indexLag.ts'
import { hasAlonePassed, isAwaited, isBehind, type LagAsking, measure, settledAt } from './legLag.ts'
import { legAccusation } from './legWord.ts'
import { type Asking, type Doubt, type Outcome, firstAsked, neededTries } from './doubt.ts'
import { again, askOtherwise, nothing, toAbsent } from './askOtherwise.ts'

/** Between two readings that found nothing: three of them are half a minute apart. */
const doubtMs = 15_000

/** So long before a leg of the zone may be absent it is found out whether who is asked lags: others wait for that too. */
const suspectMs = 30_000

const retryMs = 5_000

/** A leg that is absent, or says nothing of itself, is looked for ever more rarely: for a day and more in all. */
const firstRestMs = 60_000

export const maxRestMs = 3_600_000

const maxRests = 30

/**
 * Takes an answer into account that does not hold the leg. Absent it is only by the rules of absence, and after its
 * own logs, or the endpoint for single transactions, did not know it either: a transaction whose logs are there and
 * move nothing is another story than one that is not there.
 */
export async function decideDoubt(doubt: Doubt, leg: QueuedLeg): Promise<Outcome> {
  const { clock } = doubt
  const isSuspect = leg.ask === 'zone' && doubt.at >= settledAt(doubt, leg) - suspectMs
  if (isSuspect && isAwaited(doubt, leg)) await measure(doubt, leg.ask)
  if (!doubt.hasControl || !hasPassed(doubt, leg)) return again(leg, clock.now(), retryMs)
  // Requests are numbered on from before the clock was set back: numbers order answers, and measure no time.
  const at = Math.min(doubt.at, clock.now())
  const next = { ...leg, ...noteReading(leg, { kind: 'absent-among-others', at }) }
  const isOver = isAbsent(next) || wasAbsent(leg)
  const isAsked = isOver || (leg.ask !== 'zone' && next.reads >= firstAsked)
  const isLate =
    isOver && !wasAbsent(leg) && at >= settledAt(doubt, leg) && isBehind(doubt, doubt.comeTo, leg)
  // Found out before that one is asked, too.
  const isAlone =
    isLate &&
    doubt.comeTo !== null &&
    isAbsent(nextDenial(doubt, leg.hash)) &&
    (await hasAlonePassed(doubt, leg))
  const { word, unasked, isUnasked, isThere, isShown, isUnread, error } = isAsked
    ? await askOtherwise(doubt, next)
    : nothing
  const isDenied = word === null && !isUnasked && !isThere && !isUnread && unasked === undefined
  const denial = isDenied ? noteDenial(doubt, leg.hash) : (doubt.denials.get(leg.hash) ?? notYetAbsent)
  if (word !== null || isThere || isShown) doubt.denials.delete(leg.hash)
  if (isUnread) return keepAsking(doubt, { ...leg, ...notYetAbsent }, toUnread(leg, at))
  if (word !== null && (isOver || leg.ask === 'zone' || (word.moves?.length ?? 0) > 0)) {
    const said = { ...word, reads: next.reads, ...(unasked && { unasked }) }
    return { readings: [said], saves: [], drops: [leg.hash] }
  }
  if (!isOver || isThere) return { ...again(next, clock.now(), doubtMs), error }
  if (unasked !== undefined && leg.tries < neededTries)
    return { ...again({ ...next, tries: leg.tries + 1 }, clock.now(), doubtMs), error }
  if (!wasAbsent(leg) && at < settledAt(doubt, leg))
    return again(next, clock.now(), Math.max(settledAt(doubt, leg) - clock.now(), retryMs))
  if (isLate && !isAlone) return again(next, clock.now(), doubt.comeTo === null ? retryMs : doubtMs)
  if (isAlone && (isUnasked || !isAbsent(denial)))
    return again(next, clock.now(), isUnasked ? retryMs : doubtMs)
  if (isDenied && !wasAbsent(leg) && !isAbsent(denial) && isNative(doubt, leg))
    return again(next, clock.now(), doubtMs)
  // What an event alone showed is absent by its logs: an answer that nothing controls, or that nobody asked for, denies none.
  const isUncontrolled = leg.ask === 'main' && (isUnasked || doubt.control === null)
  const unsaid = unasked ?? (isUncontrolled ? 'E21' : undefined)
  const rest = restLonger(next, clock.now())
  // Told once: looking for it again changes nothing until it is there, or until sources agree that it is not.
  const isTold = wasAbsent(leg) && !isContradicted(doubt.db, 'transaction', leg.hash)
  const agreement = isTold
    ? null
    : await askQuorum(
        doubt,
        { name: 'explorer', seat: doubt.explorers },
        legAccusation(doubt.db, leg, doubt.control),
        doubt.signal,
      )
  return {
    readings:
      agreement === null
        ? []
        : [
            {
              ...(unsaid && { unasked: unsaid }),
              ...toAbsent(next, isAlone ? { ...doubt, isAlone: true } : doubt),
              agreement,
            },
          ],
    saves: rest === null ? [] : [rest],
    drops: rest === null ? [leg.hash] : [],
  }
}

/** Its control question is what it showed when it was found out how far it has come. */
function noteDenial(of: Asking, hash: string): Absence {
  const next = nextDenial(of, hash)
  putNewest(of.denials, hash, next, mostDenials)
  return next
}

function nextDenial({ clock, denials }: Asking, hash: string): Absence {
  return noteReading(denials.get(hash) ?? notYetAbsent, { kind: 'absent-among-others', at: clock.now() })
}

const mostDenials = 1_000

/** Whether no list of many transactions may show it: that it is there only the answers about it alone say then. */
function isNative({ ledger }: Asking, { ask, hash }: QueuedLeg): boolean {
  if (ask !== 'main') return ask === 'native'
  const sharing = ledger.listSharing('main', hash, mostOfTransaction)
  return sharing.some(({ token }) => canonicalToken(token.address) === '')
}

/** It rests as well while it is there and shows no status. */
function wasAbsent(leg: QueuedLeg): boolean {
  return leg.rests > 0 && isAbsent(leg)
}

/**
 * How far a source has come, where an answer of it may be the last that makes one of these legs absent: what is found out
 * after it is asked says nothing of the answer.
 */
export async function measureBefore(
  asking: LagAsking,
  ask: LegAsk,
  legs: readonly QueuedLeg[],
): Promise<UnixMs | null> {
  const now = asking.clock.now()
  const mayBeLast = (leg: QueuedLeg) =>
    !wasAbsent(leg) &&
    isAwaited(asking, leg) &&
    now >= settledAt(asking, leg) &&
    isAbsent(noteReading(leg, { kind: 'absent-among-others', at: now }))
  return legs.some(mayBeLast) ? await measure(asking, ask) : null
}

/** Whether the head, as last read, has passed where the leg would be: below it the leg may still come. */
export function hasPassed(
  { db, clockAheadMs }: Pick<Kernel, 'db' | 'clockAheadMs'>,
  leg: QueuedLeg,
): boolean {
  const head = listHeads(db).find(
    ({ chain }) => chain === (leg.ask === 'zone' || leg.ask === 'zoneReceipt' ? 'zone' : 'main'),
  )
  if (!head) return false
  return (
    (passedTime(head, clockAheadMs()) ?? 0) >= leg.time || (leg.height !== null && head.height > leg.height)
  )
}

/** Asked again after a longer pause than before; null when it was asked often enough. */
export function restLonger(leg: QueuedLeg, now: UnixMs): QueuedLeg | null {
  if (leg.rests >= maxRests) return null
  const at = now + Math.min(firstRestMs * 2 ** Math.min(leg.rests, 10), maxRestMs)
  return { ...leg, readyAt: at, dueAt: at, rests: leg.rests + 1 }
}

/** It is there, and nothing else is known of it. */
export function toUnread({ ask, hash }: QueuedLeg, requestedAt: number): EvidenceReading {
  const [chain, source] =
    ask === 'zone' ? (['zone', 'E14'] as const) : (['main', ask === 'native' ? 'E16' : 'E2'] as const)
  return { chain, hash, source, requestedAt, status: 'unknown', errorMessage: '', moves: null }
}

/**
 * An empty status says neither: it is asked again, ever more rarely. How often it was read beside others that have one is
 * kept: a status that the source has for none is no word about this one.
 */
export function keepAsking({ clock, saysStatus }: Doubt, leg: QueuedLeg, reading: EvidenceReading): Outcome {
  const rest = restLonger(leg, clock.now())
  const said = saysStatus?.(leg.hash) === true ? { ...reading, reads: leg.rests + 1 } : reading
  return rest === null
    ? { readings: [said], saves: [], drops: [leg.hash] }
    : { readings: [said], saves: [rest], drops: [] }
}
