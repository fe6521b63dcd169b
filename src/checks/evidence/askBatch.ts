import type { Kernel } from '../../kernel/kernel.ts'
import { isAnswer } from '../../kernel/reads/askInParts.ts'
import { mayBeUnread } from '../../kernel/reads/unreadRows.ts'
import { type EvidenceReading, listKnownHashes } from '../../ledger/evidence/evidence.ts'
import type { QueuedLeg } from '../../ledger/evidence/evidenceQueue.ts'
import type { TokenMove } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import { confirmCalls } from './confirmCalls.ts'
import { confirmMoves, findNative, isCovered } from './confirmMoves.ts'
import { decideDoubt, keepAsking, maxRestMs, measureBefore, restLonger, toUnread } from './decideDoubt.ts'
import { type Asking, type Doubt, maySpendSingle, neededTries, type Outcome } from './doubt.ts'
import { type LegAsk, sources } from './indexLag.ts'
import type { EvidenceReads } from './reads.ts'
import type { LegsRead } from './legsRead.ts'
import { findLack, noteShown } from './noteShown.ts'

export interface Evidence
  extends Pick<
    Kernel,
    | 'clock'
    | 'clockAheadMs'
    | 'commit'
    | 'config'
    | 'cursors'
    | 'db'
    | 'endpointLags'
    | 'explorer'
    | 'explorers'
    | 'firstStartAt'
    | 'horizons'
    | 'learned'
    | 'ledger'
    | 'stakes'
    | 'startedAt'
    | 'trigger'
  > {
  readonly reads: EvidenceReads
}

/** A poller of its own: of what happens now, or of what was long over when it was first seen. */
export interface Part {
  readonly name: string
  readonly isLate: boolean
  /** Questions that other parts ask in the same run. */
  readonly others: readonly ((signal: AbortSignal) => Promise<void>)[]
}

export interface Run extends Evidence, Asking, Pick<Part, 'isLate'> {
  readonly lastShown: Map<LegAsk, readonly string[]>
}

/** E9, E13 and E15 take this many hashes. */
export const batchSize = 20
/** Beside a batch a known one is asked about, and one that lacked. */
const besides = 2
/** So many of the newest are kept of what an endpoint showed: one may be in question itself, another gone. */
const keptShown = 3
/** What could not be asked is asked again after this. */
export const retryMs = 5_000
/** What an answer did not show that was not whole is asked again after this. */
const doubtMs = 15_000

/** Hashes that the explorer knew lately, by the same endpoint. */
function knownHashes({ db }: Run, ask: LegAsk): readonly string[] {
  return listKnownHashes(db, ask === 'zone' ? 'zone' : 'main', sources[ask])
}

/**
 * Before others one that the endpoint showed lately, never the same twice where there is another: to whoever answers the
 * same whatever is asked it would be the question that he answers.
 */
function findControl(
  shown: readonly string[],
  known: readonly string[],
  asked: readonly string[],
): string | null {
  const others = known.filter((hash) => !shown.includes(hash))
  const inTurn = shown.length > 1 ? [...shown, ...others] : [...others, ...shown]
  return inTurn.find((hash) => !asked.includes(hash)) ?? null
}

/** The newest first, but for the one that was just asked beside a batch: where it was shown again another one has its turn before. */
function keepShown(
  all: readonly string[],
  control: string | null,
  isShown: { has(hash: string): boolean },
): readonly string[] {
  const kept = [...new Set(all)].filter((hash) => hash !== control)
  if (control !== null && isShown.has(control)) kept.splice(1, 0, control)
  return kept.slice(0, keptShown)
}

export async function askBatch(run: Run, ask: LegAsk, batch: readonly QueuedLeg[]): Promise<Outcome> {
  const { reads, signal } = run
  const hashes = batch.map(({ hash }) => hash)
  const shown = run.lastShown.get(ask) ?? []
  const known = findControl(shown, knownHashes(run, ask), hashes)
  const control = batch.length < batchSize ? known : null
  const priority = run.isLate ? 'bulk' : batch.some((leg) => leg.reads > 0) ? 'urgent' : 'evidence'
  const options = { priority, signal, isKnown: control !== null } as const
  const own = control === null ? hashes : [...hashes, control]
  const lack = own.length < batchSize ? findLack(run, ask) : null
  const asked = lack === null ? own : [...new Set([...own, lack])]
  const comeTo = await measureBefore(run, ask, batch)
  const read = await ofMany(reads, ask)(asked, options)
  const byHash = new Map(read.readings.map((reading) => [reading.hash, reading]))
  const isWhole = read.bad.length === 0
  run.lastShown.set(ask, keepShown([...byHash.keys(), ...shown], control, byHash))
  if (byHash.size === 0 && isWhole && control === null && known !== null) {
    // Nothing of all this is known, or the service shows nothing at all: a known one in its midst decides which.
    const last = batch.slice(-besides).map((leg) => dueIn(leg, run.clock.now(), retryMs))
    const outcome = await askBatch(run, ask, batch.slice(0, -besides))
    return { ...outcome, saves: [...outcome.saves, ...last] }
  }
  const doubt: Doubt = {
    ...run,
    saysStatus: (hash) => read.readings.some((one) => one.hash !== hash && one.status !== 'unknown'),
    control: known,
    comeTo,
    hasControl: control === null ? byHash.size > 0 : byHash.has(control),
    at: read.requestedAt,
  }
  const isUnread = mayBeUnread(read.bad, asked)
  const judged = await judgeEach(run, batch, (leg) => {
    const reading = byHash.get(leg.hash) ?? null
    if (reading === null && isUnread(leg.hash)) return askAlone(doubt, ask, leg)
    return judgeLeg(doubt, leg, { reading, isWhole })
  })
  noteShown(run, ask, { read, said: judged.readings, isLackAsked: lack !== null })
  return { ...judged, bad: [...read.bad, ...(judged.bad ?? [])] }
}

/** One leg that cannot be asked further holds up none of the others. */
async function judgeEach(
  { clock, signal }: Run,
  batch: readonly QueuedLeg[],
  judge: (leg: QueuedLeg) => Promise<Outcome>,
): Promise<Outcome> {
  const outcomes: Outcome[] = []
  for (const leg of batch) {
    try {
      outcomes.push(await judge(leg))
    } catch (error) {
      signal.throwIfAborted()
      outcomes.push({ readings: [], saves: [dueIn(leg, clock.now(), retryMs)], drops: [], error })
    }
  }
  return {
    error: outcomes.find(({ error }) => error !== undefined)?.error,
    readings: outcomes.flatMap(({ readings }) => readings),
    saves: outcomes.flatMap(({ saves }) => saves),
    drops: outcomes.flatMap(({ drops }) => drops),
    bad: outcomes.flatMap(({ bad }) => bad ?? []),
  }
}

/**
 * Where the endpoint for many gives no answer to a question, the one for single transactions is asked of each, if it
 * answers for one that is known: one of them may be why.
 */
export async function askSingly(
  run: Run,
  { ask, batch }: { readonly ask: LegAsk; readonly batch: readonly QueuedLeg[] },
  error: unknown,
): Promise<Outcome> {
  const { reads, signal } = run
  signal.throwIfAborted()
  const single = ofOne(reads, ask)
  const options = { priority: 'urgent', signal } as const
  const [control = null] = isAnswer(error) ? knownHashes(run, ask) : []
  if (control === null) throw error
  // The next question may be minutes away: until then one that it stumbles over would make it look silent.
  await ofMany(reads, ask)([control], options).catch(() => signal.throwIfAborted())
  const [known] = (await single(control, options)).readings
  if (known === undefined) throw error
  const comeTo = await measureBefore(run, ask, batch)
  const common = {
    ...run,
    control,
    comeTo,
    hasControl: true,
    isAlone: true,
    saysStatus: () => known.status !== 'unknown',
  }
  return judgeEach(run, batch, async (leg) => {
    if (!maySpendSingle(run)) throw error
    const read = await single(leg.hash, options).catch((failure: unknown) => {
      if (!isAnswer(failure)) throw failure
      return null
    })
    // Both endpoints stumble over this one: asked as often as others it would fail each of their questions.
    if (read === null) {
      await single(control, options)
      return putOff(leg, run.clock.now(), error)
    }
    return judgeAlone({ ...common, at: read.requestedAt }, leg, read)
  })
}

/** A row that was set aside may be the leg's own: the endpoint for single transactions is asked, and a known one beside it. */
async function askAlone(doubt: Doubt, ask: LegAsk, leg: QueuedLeg): Promise<Outcome> {
  const { clock, control, reads, signal } = doubt
  if (control === null || !maySpendSingle(doubt)) return wait(leg, clock.now(), doubtMs)
  const single = ofOne(reads, ask)
  const options = { priority: 'evidence', signal } as const
  try {
    const read = await single(leg.hash, options)
    const says = read.readings.length > 0 || read.bad.length > 0
    const hasControl = says || (await single(control, options)).readings.length > 0
    return await judgeAlone({ ...doubt, at: read.requestedAt, hasControl, isAlone: true }, leg, read)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof MonitorError)) throw error
    // The endpoint for many works: what it goes on to answer waits for nothing.
    return wait(leg, clock.now(), doubtMs)
  }
}

async function judgeAlone(
  doubt: Doubt,
  leg: QueuedLeg,
  { readings, bad }: Pick<LegsRead, 'readings' | 'bad'>,
): Promise<Outcome> {
  const reading = readings[0] ?? null
  // A row that was set aside is the leg's own.
  if (reading === null && bad.length > 0) return { ...keepAsking(doubt, leg, toUnread(leg, doubt.at)), bad }
  return judgeLeg(doubt, leg, { reading, isWhole: bad.length === 0 })
}

async function judgeLeg(
  doubt: Doubt,
  leg: QueuedLeg,
  { reading, isWhole }: { readonly reading: EvidenceReading | null; readonly isWhole: boolean },
): Promise<Outcome> {
  if (reading === null) return (await findNative(doubt, leg)) ?? (await decideDoubt(doubt, leg))
  if (reading.status === 'unknown') return keepAsking(doubt, leg, reading)
  // A row that could not be read hides what moved, and one that is given twice says it twice; the logs say it as well, and
  // whoever makes such a row writes no other's.
  const isTwice = reading.source === 'E13' && hasEquals(reading.moves ?? [])
  const isHidden = leg.ask === 'main' && reading.moves === null && !isWhole
  if (isTwice || isHidden) {
    const isAsked = maySpendSingle(doubt)
    const logs = isAsked ? await readLogs(doubt, leg.hash) : null
    if (!(logs instanceof MonitorError) && logs?.moves)
      return judgeLeg(doubt, leg, { reading: logs, isWhole: true })
    if (isTwice && leg.tries < neededTries)
      return wait({ ...leg, tries: leg.tries + Number(isAsked) }, doubt.clock.now(), doubtMs)
    if (isHidden && logs instanceof MonitorError) throw logs
  }
  // What does not fit the record is said only when a second answer agrees.
  if (leg.ask !== 'zone' && isCovered(doubt, reading) === false) return confirmMoves(doubt, leg, reading)
  if (reading.source === 'E15') return confirmCalls(doubt, leg, reading)
  return { readings: [reading], saves: [], drops: [leg.hash] }
}

async function readLogs(
  { reads, signal }: Doubt,
  hash: string,
): Promise<EvidenceReading | MonitorError | null> {
  try {
    return (await reads.mainLogs(hash, { priority: 'urgent', signal })).readings[0] ?? null
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof MonitorError)) throw error
    return error
  }
}

function hasEquals(moves: readonly TokenMove[]): boolean {
  return new Set(moves.map((move) => Object.values(move).join(' '))).size < moves.length
}

/** It stays unasked, and is asked again ever more rarely, however often that was. */
function putOff(leg: QueuedLeg, now: UnixMs, error: unknown): Outcome {
  return { readings: [], saves: [restLonger(leg, now) ?? dueIn(leg, now, maxRestMs)], drops: [], error }
}

function wait(leg: QueuedLeg, now: UnixMs, ms: number): Outcome {
  return { readings: [], saves: [dueIn(leg, now, ms)], drops: [] }
}

export function dueIn(leg: QueuedLeg, now: UnixMs, ms: number): QueuedLeg {
  return { ...leg, readyAt: now + ms, dueAt: now + ms }
}

function ofMany(reads: EvidenceReads, ask: LegAsk): EvidenceReads['zoneLegs'] {
  return { zone: reads.zoneLegs, main: reads.mainLegs, native: reads.nativeLegs }[ask]
}

function ofOne(reads: EvidenceReads, ask: LegAsk): EvidenceReads['zoneLeg'] {
  return { zone: reads.zoneLeg, main: reads.mainLeg, native: reads.nativeLeg }[ask]
}
