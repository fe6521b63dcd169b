import { type Absence, isAbsent, noteReading, notYetAbsent } from '../../clients/explorer/absence.ts'
import { listHeads } from '../../kernel/heads/heads.ts'
import { askQuorum } from '../../kernel/quorum.ts'
import { isContradicted } from '../../kernel/sources/sourceWords.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { passedTime } from '../../kernel/heads/trackHead.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { EvidenceReading } from '../../ledger/evidence/evidence.ts'
import type { QueuedLeg } from '../../ledger/evidence/evidenceQueue.ts'
import type { EvidenceSource } from '../../bridge/transfer.ts'
import { MonitorError } from '../../lib/errors.ts'
import { putNewest } from '../../lib/putNewest.ts'
import type { LegAsk } from './indexLag.ts'
import {
  callsMayCome,
  hasAlonePassed,
  isAwaited,
  isBehind,
  type LagAsking,
  measure,
  settledAt,
} from './legLag.ts'
import { legAccusation } from './legWord.ts'
import { listParties } from './listParties.ts'
import { findCallControl, readWhole } from './readWhole.ts'
import type { EvidenceReads } from './reads.ts'
import type { LegsRead } from './legsRead.ts'

/** What an answer means for the legs that it was asked of. */
export interface Outcome {
  readonly readings: readonly EvidenceReading[]
  /** Asked again, at the times that they bear. */
  readonly saves: readonly QueuedLeg[]
  /** Asked no more. */
  readonly drops: readonly string[]
  readonly bad?: LegsRead['bad']
  /** Why one of them could not be asked further. */
  readonly error?: unknown
}

/** A run that asks second sources. */
export interface Asking
  extends LagAsking,
    Pick<
      Kernel,
      'clockAheadMs' | 'commit' | 'config' | 'db' | 'explorers' | 'firstStartAt' | 'learned' | 'stakes'
    > {
  readonly reads: EvidenceReads
  /** How many more questions about single transactions it may ask: a storm of doubts must not stop the batches. */
  readonly singles: { left: number }
  /** What the endpoints for single transactions alone denied so far, by hash. */
  readonly denials: Map<string, Absence>
}

/** So often in vain half a minute long is asked who else may say something: then what was said stands without him. */
export const neededTries = 2

/** An answer without the leg, and what else may be asked. */
export interface Doubt extends Asking {
  /** When the answer was asked for. */
  readonly at: UnixMs
  /** The endpoint for many transactions was asked in vain: this is an answer of the one for single ones. */
  readonly isAlone?: boolean
  /** Whether the answer says the status of another than this one. */
  readonly saysStatus?: (hash: string) => boolean
  /** Whether the answer held something that is known to be: else it may be throttling. */
  readonly hasControl: boolean
  /** A transaction of the same chain that is known. */
  readonly control: string | null
  /** How far the source had come before the answer was asked for; null where that was not found out. */
  readonly comeTo: UnixMs | null
}

/** Between two readings that found nothing: three of them are half a minute apart. */
const doubtMs = 15_000
/** So long before a leg of the zone may be absent it is found out whether who is asked lags: others wait for that too. */
const suspectMs = 30_000
/** By this reading another endpoint is asked, too. */
const firstAsked = 2
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
  const { word, unasked, isUnasked, isThere, isUnread, error } = isAsked
    ? await askOtherwise(doubt, next)
    : nothing
  const isDenied = word === null && !isUnasked && !isThere && !isUnread && unasked === undefined
  const denial = isDenied ? noteDenial(doubt, leg.hash) : (doubt.denials.get(leg.hash) ?? notYetAbsent)
  if (word !== null || isThere) doubt.denials.delete(leg.hash)
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
              ...(unasked && { unasked }),
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

/** Whether one more question about a single transaction may be asked now; counts it. */
export function maySpendSingle({ singles }: Asking): boolean {
  if (singles.left <= 0) return false
  singles.left -= 1
  return true
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

/** Another endpoint's word on a leg that the first one does not know. */
interface Other {
  readonly word: EvidenceReading | null
  /** Who would have had one, and could not be asked. */
  readonly unasked?: EvidenceSource
  /** Nobody was asked: others are in doubt as well. */
  readonly isUnasked?: boolean
  /** It is, and what it did is not known yet. */
  readonly isThere?: boolean
  /** A row of it was set aside. */
  readonly isUnread?: boolean
  readonly error?: unknown
}

const nothing: Other = { word: null, isUnasked: true }

async function askOtherwise(doubt: Doubt, leg: QueuedLeg): Promise<Other> {
  const { reads, signal, control, clock } = doubt
  if (!maySpendSingle(doubt)) return nothing
  const options = { priority: 'urgent', signal } as const
  const ask = (source: EvidenceSource, question: () => Promise<LegsRead>) => askOne(signal, source, question)
  if (leg.ask === 'zone') return ask('E14', () => reads.zoneLeg(leg.hash, options))
  const logs = await ask('E21', () => reads.mainLogs(leg.hash, options))
  const { word: said } = logs
  // Logs leave native currency unsaid.
  if (said !== null && (said.moves?.length === 0 || leg.ask === 'native')) {
    const parties = listParties(doubt, leg.hash)
    const mayCome = () => callsMayCome(doubt, leg)
    const calls = {
      callReads: leg.reads - firstAsked,
      callControl: findCallControl(doubt, leg.hash),
      mayCome,
    }
    const how = { ...options, ...calls, parties, known: { logs: true } }
    const whole = await readWhole(reads, leg, how, clock.now()).catch(toError(signal))
    if (whole !== 'unclear' && !(whole instanceof MonitorError)) return { word: whole }
    const error = whole === 'unclear' ? undefined : whole
    // Of a token they say all that there is to say; native currency may have moved, and it is there.
    if (leg.ask === 'native') return { word: null, isThere: true, error }
    return { word: leg.tries >= neededTries ? said : null, unasked: 'E7', error }
  }
  if (said !== null) return logs
  // An empty answer about one transaction has no control in it: a known one has to be answered too.
  const isEmpty = logs.unasked === undefined && !logs.isUnread && control !== null
  const known = isEmpty ? await ask('E21', () => reads.mainLogs(control, options)) : null
  const isSilent = known !== null && known.word === null && !known.isUnread
  const source = leg.ask === 'native' ? 'E16' : 'E2'
  const single = leg.ask === 'native' ? reads.nativeLeg : reads.mainLeg
  const other = await ask(source, () => single(leg.hash, options))
  if (other.word !== null || other.isUnread) return other
  if (logs.isUnread) return logs
  return isSilent ? { word: null, unasked: 'E21' } : { ...other, ...(logs.unasked && logs) }
}

/** What one answer about one transaction says; a row that could not be read says that there is something. */
async function askOne(
  signal: AbortSignal,
  source: EvidenceSource,
  question: () => Promise<LegsRead>,
): Promise<Other> {
  const read = await question().catch(toError(signal))
  if (read instanceof MonitorError) return { word: null, unasked: source, error: read }
  const [word = null] = read.readings
  return word === null && read.bad.length > 0 ? { word, isUnread: true } : { word }
}

function toError(signal: AbortSignal): (error: unknown) => MonitorError {
  return (error) => {
    signal.throwIfAborted()
    if (!(error instanceof MonitorError)) throw error
    return error
  }
}

/** Who answers about many transactions, and about a single one. */
const asked = {
  zone: { many: 'E9', single: 'E14' },
  main: { many: 'E13', single: 'E2' },
  native: { many: 'E15', single: 'E16' },
} as const

function toAbsent(leg: QueuedLeg, { at, isAlone = false }: Doubt): EvidenceReading {
  const { many, single } = leg.ask === 'zone' || leg.ask === 'native' ? asked[leg.ask] : asked.main
  return {
    chain: leg.ask === 'zone' ? 'zone' : 'main',
    hash: leg.hash,
    source: isAlone ? single : many,
    requestedAt: at,
    status: 'absent',
    errorMessage: '',
    moves: null,
    reads: leg.reads,
    ...(isAlone && { unasked: many }),
  }
}

function again(leg: QueuedLeg, now: UnixMs, ms: number): Outcome {
  return { readings: [], saves: [{ ...leg, readyAt: now + ms, dueAt: now + ms }], drops: [] }
}
