import { movedToken } from '../../bridge/movedToken.ts'
import type { TokenMove } from '../../bridge/transfer.ts'
import { notYetAbsent } from '../../clients/explorer/absence.ts'
import type { EvidenceReading } from '../../ledger/evidence/evidence.ts'
import type { QueuedLeg } from '../../ledger/evidence/evidenceQueue.ts'
import { coverMoney } from '../../meaning/coverMoney.ts'
import { showsMoney } from '../../meaning/showsMoney.ts'
import { toMoneySettings } from '../../meaning/toMoneySettings.ts'
import { decideDoubt, hasPassed } from './decideDoubt.ts'
import { type Asking, type Doubt, maySpendSingle, neededTries, type Outcome } from './doubt.ts'
import { callsMayCome } from './legLag.ts'
import { listParties } from './listParties.ts'
import type { EvidenceReads } from './reads.ts'
import { addOwnValue, findCallControl, readWhole, type Whole } from './readWhole.ts'

/** Transactions that share one main transaction, at most. */
export const maxSharing = 100
/** Payouts of one main transaction that are set beside its movements: more would hold up everything else. */
const mostCovered = 1_000
/** What could not be asked is asked again after this. */
const retryMs = 5_000
/** Between readings that have to agree: three of them are half a minute apart. */
const doubtMs = 15_000

function secondOf({ source }: EvidenceReading): EvidenceReading['source'] {
  return source === 'E15' ? 'E16' : 'E21'
}

/**
 * A second answer about movements that do not fit the record: the logs of the transaction itself, exact to the last
 * unit; where there are none, the endpoint for single transactions. Native currency needs what the transaction itself
 * carried as well.
 */
export async function confirmMoves(asking: Asking, leg: QueuedLeg, first: EvidenceReading): Promise<Outcome> {
  const { clock, reads, signal } = asking
  const options = {
    priority: 'urgent',
    signal,
    parties: listParties(asking, leg.hash),
    callReads: leg.tries,
    callControl: findCallControl(asking, leg.hash),
    // Of a token that moved as another one calls say nothing, and how tokens pair is learned from such answers.
    ...(leg.ask === 'native' && { mayCome: () => callsMayCome(asking, leg) }),
  } as const
  const own = leg.ask === 'native' ? await addOwnValue(reads, leg, first, options, clock.now()) : null
  if (own === 'unclear') return again(asking, { ...leg, tries: leg.tries + 1 }, doubtMs)
  if (own !== null && isCovered(asking, own) !== false) return take(leg, [own])
  // What one list shows is there for the other one, too.
  const known = { logs: first.source === 'E13', calls: first.source === 'E15' }
  let second: Whole = null
  let error: unknown
  try {
    second = wantsNative(asking, first)
      ? await readWhole(reads, leg, { ...options, known }, clock.now())
      : await readAgain(reads, leg, options)
  } catch (thrown) {
    signal.throwIfAborted()
    error = thrown
  }
  if (second === null && leg.tries >= neededTries) return take(leg, [{ ...first, unasked: secondOf(first) }])
  if (second === null || second === 'unclear')
    // It is there: what answers without it counted is over. Its tries are not when it is missed again, or neither ends.
    return { ...again(asking, { ...leg, ...notYetAbsent, tries: leg.tries + 1 }, doubtMs), error }
  const later = { ...second, requestedAt: Math.max(second.requestedAt, first.requestedAt + 1) }
  return take(leg, [first, later])
}

/**
 * A leg that the list of internal transactions does not hold: a plain payment is in its block's list alone. A whole
 * list of the block without it is an answer too.
 */
export async function findNative(doubt: Doubt, leg: QueuedLeg): Promise<Outcome | null> {
  const { reads, signal } = doubt
  if (leg.ask !== 'native' || leg.height === null || !hasPassed(doubt, leg) || !maySpendSingle(doubt))
    return null
  const options = { priority: 'evidence', signal, parties: listParties(doubt, leg.hash) } as const
  const own = await reads.ownValue(leg.hash, leg.height, options)
  if (own === 'unclear' || own === 'others') return null
  if (own === null) return decideDoubt({ ...doubt, hasControl: true }, leg)
  if (own.status === 'unknown') return again(doubt, leg)
  if (own.status === 'failed' || isCovered(doubt, own) !== false) return take(leg, [own])
  return confirmMoves(doubt, leg, own)
}

/** Whether what moved is what the records of this transaction say; null when that is not known. */
export function isCovered({ config, learned, ledger }: Asking, reading: EvidenceReading): boolean | null {
  const { hash, moves } = reading
  if (moves === null) return null
  const money = toMoneySettings(config.bridge, learned)
  const sharing = ledger.listSharing('main', hash, mostCovered).filter((one) => one.isListed)
  // Of the others it says nothing: they are asked for by another list.
  const shown = sharing.filter(({ token }) => showsMoney(token, reading))
  return shown.every((transfer) => {
    const covered = coverMoney(transfer, sharing, moves, money)
    return covered === null || covered === 'covered'
  })
}

/** Whether the record's token is not among what moved at all: then native currency may have. */
function wantsNative({ ledger }: Asking, { hash, moves }: EvidenceReading): boolean {
  return ledger
    .listSharing('main', hash, mostCovered)
    .some(({ token }) => !moves?.some((move) => move.token !== '' && move.token === movedToken(token)))
}

async function readAgain(
  reads: EvidenceReads,
  leg: QueuedLeg,
  options: Parameters<EvidenceReads['mainLogs']>[1],
): Promise<EvidenceReading | null> {
  const [logs] = (await reads.mainLogs(leg.hash, options)).readings
  const isKnown = ({ amountRaw }: TokenMove) => amountRaw !== null
  if (logs?.moves?.every(isKnown)) return logs
  return (await reads.mainLeg(leg.hash, options)).readings[0] ?? null
}

function take(leg: QueuedLeg, readings: readonly EvidenceReading[]): Outcome {
  return { readings, saves: [], drops: [leg.hash] }
}

function again({ clock }: Asking, leg: QueuedLeg, ms = retryMs): Outcome {
  const at = clock.now() + ms
  return { readings: [], saves: [{ ...leg, readyAt: at, dueAt: at }], drops: [] }
}
