import type { UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { EvidenceReading } from '../../ledger/evidence.ts'
import type { Ask, QueuedLeg } from '../../ledger/evidenceQueue.ts'
import { type ConfirmDeps, confirmMoves, findNative } from './confirmMoves.ts'
import { decideDoubt, type DoubtContext, type LegAsk, type Outcome, restLonger } from './decideDoubt.ts'
import type { EvidenceReads } from './reads.ts'
import type { Commit } from '../../kernel/reads.ts'

export interface EvidenceDeps extends ConfirmDeps {
  readonly commit: Commit
  /** Legs that may be asked, most urgent first. */
  listQueued(ask: Ask, limit: number): QueuedLeg[]
  saveQueued(leg: QueuedLeg): void
  dropQueued(ask: Ask, hash: string): void
  nextDueAt(): UnixMs | null
  /** Hashes that the explorer knew lately, by the same endpoint. */
  knownHashes(ask: LegAsk): readonly string[]
  /** Whether the chain's head, as last read, has passed what it would have to hold. */
  readonly hasPassed: (leg: QueuedLeg) => boolean
  /** By how much the service's clock is ahead of ours, negative when it is behind. */
  readonly clockAheadMs: () => number
  /** Runs the poller again after so long. */
  wakeIn(ms: number, stop: AbortSignal): void
  /** Questions that other parts ask in the same run, e.g. of the canonical RPC. */
  readonly others: readonly ((signal: AbortSignal) => Promise<void>)[]
}

/** E9, E13 and E15 take this many hashes. */
const batchSize = 20
/** What a run has not asked by then comes first in the next one. */
const runMs = 10_000
/** Questions about single transactions in one run: a storm of doubts must not stop the batches. */
const maxSingles = 12
/** What could not be asked is asked again after this. */
const retryMs = 5_000
/** What an answer did not show that was not whole is asked again after this. */
const doubtMs = 15_000

/**
 * Asks second sources of legs, in twenties across transfers and as seldom as possible: an ordinary leg waits a while
 * for others to share its request. A leg that an answer does not hold is asked again until the rules of absence have
 * been met; one empty answer says nothing.
 */
export function createEvidencePoll(deps: EvidenceDeps): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    const singles = { left: maxSingles }
    const work = [
      ...(['zone', 'main', 'native'] as const).map((ask) => askAll(deps, ask, singles, signal)),
      ...deps.others.map((ask) => ask(signal)),
    ]
    // One kind that cannot be asked holds up no other.
    const results = await Promise.allSettled(work)
    const next = deps.nextDueAt()
    if (next !== null) deps.wakeIn(Math.max(next - deps.clock.now(), 500), signal)
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  }
}

interface Singles {
  left: number
}

async function askAll(deps: EvidenceDeps, ask: LegAsk, singles: Singles, signal: AbortSignal): Promise<void> {
  const startedAt = deps.clock.now()
  // The queue is looked at anew for each request: what became urgent meanwhile goes before what only waits.
  while (!signal.aborted && deps.clock.now() - startedAt < runMs) {
    const batch = chooseBatch(deps.listQueued(ask, 3 * batchSize), deps.clock.now())
    if (batch === null) return
    let outcome: Outcome
    try {
      outcome = await askBatch(deps, ask, batch, singles, signal).catch((error: unknown) =>
        askSingly(deps, ask, batch, singles, { signal, error }),
      )
    } catch (error) {
      const now = deps.clock.now()
      save(deps, ask, { readings: [], saves: batch.map((leg) => dueIn(leg, now, retryMs)), drops: [] })
      throw error
    }
    save(deps, ask, outcome)
    if (outcome.error !== undefined) throw outcome.error
  }
}

/**
 * The next twenty of the legs that may be asked, most urgent first; fewer only when one of them has to be asked now,
 * and then with all that may come along. Null when all can wait.
 */
export function chooseBatch(legs: readonly QueuedLeg[], now: UnixMs): QueuedLeg[] | null {
  const batch = legs.slice(0, batchSize)
  return batch.length === batchSize || batch.some((leg) => leg.dueAt <= now) ? batch : null
}

function save(deps: EvidenceDeps, ask: Ask, { readings, saves, drops, bad }: Outcome): void {
  deps.commit({
    evidence: readings,
    bad: bad ?? [],
    apply: () => {
      for (const hash of drops) deps.dropQueued(ask, hash)
      for (const leg of saves) deps.saveQueued(leg)
      return []
    },
  })
}

async function askBatch(
  deps: EvidenceDeps,
  ask: LegAsk,
  batch: readonly QueuedLeg[],
  singles: Singles,
  signal: AbortSignal,
): Promise<Outcome> {
  const hashes = batch.map(({ hash }) => hash)
  const known = deps.knownHashes(ask).find((hash) => !hashes.includes(hash)) ?? null
  const control = batch.length < batchSize ? known : null
  const { isLate } = batch[0] as QueuedLeg
  const priority = isLate ? 'bulk' : batch.some((leg) => leg.reads > 0) ? 'urgent' : 'evidence'
  const options = { priority, signal, isKnown: control !== null } as const
  const read = await ofMany(deps.reads, ask)(control === null ? hashes : [...hashes, control], options)
  const byHash = new Map(read.readings.map((reading) => [reading.hash, reading]))
  const isWhole = read.bad.length === 0
  if (byHash.size === 0 && isWhole && control === null && known !== null) {
    // Nothing of all this is known, or nothing is told at all: a known one in its midst tells which.
    const last = batch.slice(-1).map((leg) => dueIn(leg, deps.clock.now(), retryMs))
    const outcome = await askBatch(deps, ask, batch.slice(0, -1), singles, signal)
    return { ...outcome, saves: [...outcome.saves, ...last] }
  }
  const context = {
    ...toContext(deps, singles, signal),
    control: known,
    hasControl: control === null ? byHash.size > 0 : byHash.has(control),
    at: read.requestedAt,
  }
  const judged = await judgeEach(deps, batch, signal, (leg) =>
    judgeLeg(deps, context, leg, byHash.get(leg.hash) ?? null, isWhole),
  )
  return { ...judged, bad: [...read.bad, ...(judged.bad ?? [])] }
}

/** One leg that cannot be asked further holds up none of the others. */
async function judgeEach(
  deps: EvidenceDeps,
  batch: readonly QueuedLeg[],
  signal: AbortSignal,
  judge: (leg: QueuedLeg) => Promise<Outcome>,
): Promise<Outcome> {
  const outcomes: Outcome[] = []
  for (const leg of batch) {
    try {
      outcomes.push(await judge(leg))
    } catch (error) {
      signal.throwIfAborted()
      outcomes.push({ readings: [], saves: [dueIn(leg, deps.clock.now(), retryMs)], drops: [], error })
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
async function askSingly(
  deps: EvidenceDeps,
  ask: LegAsk,
  batch: readonly QueuedLeg[],
  singles: Singles,
  { signal, error }: { readonly signal: AbortSignal; readonly error: unknown },
): Promise<Outcome> {
  signal.throwIfAborted()
  const single = ofOne(deps.reads, ask)
  const options = { priority: 'urgent', signal } as const
  const [control = null] = isOfQuestion(error) ? deps.knownHashes(ask) : []
  if (control === null || (await single(control, options)).readings.length === 0) throw error
  const context = { ...toContext(deps, singles, signal), control, hasControl: true, isAlone: true }
  return judgeEach(deps, batch, signal, async (leg) => {
    if (!context.mayAskSingly()) throw error
    const { requestedAt: at, readings, bad } = await single(leg.hash, options)
    return judgeLeg(deps, { ...context, at }, leg, readings[0] ?? null, bad.length === 0)
  })
}

/** Whether a question was answered, in a way that says nothing: not that the source is away, or wants to be asked less. */
function isOfQuestion(error: unknown): boolean {
  if (!(error instanceof MonitorError)) return false
  return ['source.empty', 'source.mismatched', 'source.invalid', 'source.refused'].includes(error.code)
}

function toContext(deps: EvidenceDeps, singles: Singles, signal: AbortSignal) {
  return {
    reads: deps.reads,
    now: () => deps.clock.now(),
    signal,
    hasPassed: deps.hasPassed,
    clockAheadMs: deps.clockAheadMs(),
    mayAskSingly: () => singles.left > 0 && (singles.left -= 1) >= 0,
  }
}

async function judgeLeg(
  deps: EvidenceDeps,
  context: DoubtContext,
  leg: QueuedLeg,
  reading: EvidenceReading | null,
  isWhole: boolean,
): Promise<Outcome> {
  // A row that was set aside may be the leg's own.
  if (reading === null && !isWhole)
    return { readings: [], saves: [dueIn(leg, deps.clock.now(), doubtMs)], drops: [] }
  if (reading === null) return (await findNative(deps, context, leg)) ?? (await decideDoubt(context, leg))
  if (reading.status === 'unknown') return keepAsking(leg, reading, deps.clock.now())
  // What does not fit the record is said only when a second answer agrees.
  if (leg.ask !== 'zone' && deps.isCovered(reading) === false)
    return confirmMoves(deps, leg, reading, context.signal)
  return { readings: [reading], saves: [], drops: [leg.hash] }
}

/** An empty status says neither: it is asked again, ever more rarely. */
function keepAsking(leg: QueuedLeg, reading: EvidenceReading, now: UnixMs): Outcome {
  const rest = restLonger(leg, now)
  return rest === null
    ? { readings: [reading], saves: [], drops: [leg.hash] }
    : { readings: [reading], saves: [rest], drops: [] }
}

function dueIn(leg: QueuedLeg, now: UnixMs, ms: number): QueuedLeg {
  return { ...leg, readyAt: now + ms, dueAt: now + ms }
}

function ofMany(reads: EvidenceReads, ask: LegAsk): EvidenceReads['zoneLegs'] {
  return { zone: reads.zoneLegs, main: reads.mainLegs, native: reads.nativeLegs }[ask]
}

function ofOne(reads: EvidenceReads, ask: LegAsk): EvidenceReads['zoneLeg'] {
  return { zone: reads.zoneLeg, main: reads.mainLeg, native: reads.nativeLeg }[ask]
}
