import type { UnixMs } from '../../lib/clock.ts'
import type { EvidenceReading } from '../../ledger/evidence/evidence.ts'
import type { QueuedLeg } from '../../ledger/evidence/evidenceQueue.ts'
import type { EvidenceSource } from '../../bridge/transfer.ts'
import { MonitorError } from '../../lib/errors.ts'
import { callsMayCome } from './legLag.ts'
import { listParties } from './listParties.ts'
import { findCallControl, readWhole } from './readWhole.ts'
import type { LegsRead } from './legsRead.ts'
import { type Doubt, type Outcome, firstAsked, maySpendSingle, neededTries } from './doubt.ts'

/** Another endpoint's word on a leg that the first one does not know. */
interface Other {
  readonly word: EvidenceReading | null
  /** Who would have had one, and could not be asked. */
  readonly unasked?: EvidenceSource
  /** Nobody was asked: others are in doubt as well. */
  readonly isUnasked?: boolean
  /** It is, and what it did is not known yet. */
  readonly isThere?: boolean
  /** It is, though nobody whose word that would be could be asked yet. */
  readonly isShown?: boolean
  /** A row of it was set aside. */
  readonly isUnread?: boolean
  readonly error?: unknown
}

export const nothing: Other = { word: null, isUnasked: true }

export async function askOtherwise(doubt: Doubt, leg: QueuedLeg): Promise<Other> {
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
    return { word: leg.tries >= neededTries ? said : null, unasked: 'E7', isShown: true, error }
  }
  if (said !== null) return logs
  // An empty answer about one transaction has no control in it: a known one has to be answered too.
  const isEmpty =
    (logs.unasked === undefined || isForgotten(logs.error)) && !logs.isUnread && control !== null
  const known = isEmpty ? await ask('E21', () => reads.mainLogs(control, options)) : null
  const isSilent = known !== null && known.word === null && !known.isUnread
  const source = leg.ask === 'native' ? 'E16' : 'E2'
  const single = leg.ask === 'native' ? reads.nativeLeg : reads.mainLeg
  const other = await ask(source, () => single(leg.hash, options))
  if (other.word !== null || other.isUnread) return other
  if (logs.isUnread) return logs
  return isSilent ? { word: null, unasked: 'E21' } : { ...other, ...(logs.unasked && logs) }
}

/** It had an answer before: what a reorganisation took is believed to be gone only where a known one is answered in between. */
function isForgotten(error: unknown): boolean {
  return error instanceof MonitorError && error.code === 'source.empty'
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

export function toAbsent(leg: QueuedLeg, { at, isAlone = false }: Doubt): EvidenceReading {
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

export function again(leg: QueuedLeg, now: UnixMs, ms: number): Outcome {
  return { readings: [], saves: [{ ...leg, readyAt: now + ms, dueAt: now + ms }], drops: [] }
}
