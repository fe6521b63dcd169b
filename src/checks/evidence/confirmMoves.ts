import { notYetAbsent } from '../../clients/explorer/absence.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EvidenceReading } from '../../ledger/evidence.ts'
import type { QueuedLeg } from '../../ledger/evidenceQueue.ts'
import { type DoubtContext, decideDoubt, type Outcome } from './decideDoubt.ts'
import type { EvidenceReads } from './reads.ts'
import { addOwnValue, readWhole, type Whole } from './readWhole.ts'

export interface ConfirmDeps {
  readonly clock: Clock
  readonly reads: EvidenceReads
  /** Whether what moved is what the records of this transaction say; null when that cannot be told. */
  isCovered(reading: EvidenceReading): boolean | null
  /** Whether the record's token is not among what moved at all: then native currency may have. */
  wantsNative(reading: EvidenceReading): boolean
}

/** What could not be asked is asked again after this. */
const retryMs = 5_000
/** Between readings that have to agree: three of them are half a minute apart. */
const doubtMs = 15_000

/** A second answer was asked for in vain as often before, half a minute long: the first, asked for anew each time, stands alone. */
const neededTries = 2

function secondOf({ source }: EvidenceReading): EvidenceReading['source'] {
  return source === 'E15' ? 'E16' : 'E21'
}

/**
 * A second answer about movements that do not fit the record: the logs of the transaction itself, exact to the last
 * unit; where there are none, the endpoint for single transactions. Native currency needs what the transaction itself
 * carried as well.
 */
export async function confirmMoves(
  deps: ConfirmDeps,
  leg: QueuedLeg,
  first: EvidenceReading,
  signal: AbortSignal,
): Promise<Outcome> {
  const { reads } = deps
  const options = { priority: 'urgent', signal } as const
  const own = leg.ask === 'native' ? await addOwnValue(reads, leg, first, options, deps.clock.now()) : null
  if (own === 'unclear') return again(deps, leg)
  if (own !== null && deps.isCovered(own) !== false) return take(leg, [own])
  // What one list shows is there for the other one, too.
  const known = { logs: first.source === 'E13', calls: first.source === 'E15' }
  let second: Whole = null
  let error: unknown
  try {
    second = deps.wantsNative(first)
      ? await readWhole(reads, leg, { ...options, known, callReads: leg.tries }, deps.clock.now())
      : await readAgain(reads, leg, options)
  } catch (thrown) {
    signal.throwIfAborted()
    error = thrown
  }
  if (second === null && leg.tries >= neededTries) return take(leg, [{ ...first, unasked: secondOf(first) }])
  if (second === null || second === 'unclear')
    // It is there: what answers without it counted is over. Its tries are not when it is missed again, or neither ends.
    return { ...again(deps, { ...leg, ...notYetAbsent, tries: leg.tries + 1 }, doubtMs), error }
  const later = { ...second, requestedAt: Math.max(second.requestedAt, first.requestedAt + 1) }
  return take(leg, [first, later])
}

/**
 * A leg that the list of internal transactions does not hold: a plain payment is in its block's list alone. A whole
 * list of the block without it is an answer too.
 */
export async function findNative(
  deps: ConfirmDeps,
  context: DoubtContext,
  leg: QueuedLeg,
): Promise<Outcome | null> {
  if (leg.ask !== 'native' || leg.height === null || !context.hasPassed(leg) || !context.mayAskSingly())
    return null
  const own = await deps.reads.ownValue(leg.hash, leg.height, {
    priority: 'evidence',
    signal: context.signal,
  })
  if (own === 'unclear') return null
  if (own === null) return decideDoubt({ ...context, hasControl: true }, leg)
  if (own.status === 'unknown') return again(deps, leg)
  if (own.status === 'failed' || deps.isCovered(own) !== false) return take(leg, [own])
  return confirmMoves(deps, leg, own, context.signal)
}

async function readAgain(
  reads: EvidenceReads,
  leg: QueuedLeg,
  options: Parameters<EvidenceReads['mainLogs']>[1],
): Promise<EvidenceReading | null> {
  const [logs] = (await reads.mainLogs(leg.hash, options)).readings
  if (logs?.moves) return logs
  return (await reads.mainLeg(leg.hash, options)).readings[0] ?? null
}

function take(leg: QueuedLeg, readings: readonly EvidenceReading[]): Outcome {
  return { readings, saves: [], drops: [leg.hash] }
}

function again({ clock }: ConfirmDeps, leg: QueuedLeg, ms = retryMs): Outcome {
  const at = clock.now() + ms
  return { readings: [], saves: [{ ...leg, readyAt: at, dueAt: at }], drops: [] }
}
