import { addDecimals, type Decimal, isEqual, negate, noAmount, toDecimal } from '../../bridge/decimal.ts'
import type { TokenMove } from '../../bridge/transfer.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { EscrowNets } from '../../kernel/stakes.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { EvidenceReading } from '../../ledger/evidence/evidence.ts'
import type { QueuedLeg } from '../../ledger/evidence/evidenceQueue.ts'
import { listAnswers } from '../../ledger/evidence/legAnswers.ts'
import { listOfOneOrigin } from '../../meaning/findOverpayment.ts'
import { confirmMoves, isCovered } from './confirmMoves.ts'
import { type Asking, maySpendSingle, neededTries, type Outcome } from './doubt.ts'

/** An escrow's list shows by then what moved there. */
const listedMs = 45_000
/** What could not be asked is asked again after this. */
const doubtMs = 15_000
/** Questions about single transactions that a run leaves for what is in doubt. */
const forDoubts = 6
/** More calls than can be asked about wait ever longer, by their age, and not for ever: others wait behind them. */
const restShare = 0.25
const patienceMs = 86_400_000

/**
 * The list of calls of many transactions does not say whether one of them failed, or the whole transaction: as much as it
 * shows has moved when the list of an escrow shows it as well, else by the word of the list that is asked for each alone.
 */
export async function confirmCalls(asking: Asking, leg: QueuedLeg, first: EvidenceReading): Promise<Outcome> {
  const { clock, reads, signal, stakes } = asking
  const now = clock.now()
  const drops = [leg.hash]
  const listed = stakes.netOf(leg.hash, '')
  if (isShown(listed, first)) return { readings: [first], saves: [], drops }
  // What failed once by its own list does not succeed by one that leaves that out; nor is it a second payout.
  const isRival = hasRival(asking, leg.hash)
  const readings = isRival || isSaidOtherwise(asking, first) ? [] : [first]
  if (leg.time < askedSince(asking, listed) || now - leg.addedAt > patienceMs)
    return { readings, saves: [], drops }
  const wait = (at: number, tries = leg.tries): Outcome => ({
    readings,
    saves: [{ ...leg, tries, readyAt: at, dueAt: at }],
    drops: [],
  })
  if (listed !== null && readings.length > 0 && now < leg.addedAt + listedMs)
    return wait(leg.addedAt + listedMs)
  if (asking.singles.left <= forDoubts || !maySpendSingle(asking))
    return wait(now + Math.max(doubtMs, Math.round(restShare * (now - leg.addedAt))))
  const second = await reads
    .nativeLeg(leg.hash, { priority: 'evidence', signal, isKnown: true })
    .then((read) => read.readings[0] ?? null)
    .catch((error: unknown) => {
      signal.throwIfAborted()
      if (!(error instanceof MonitorError)) throw error
      return null
    })
  if (second === null || second.status === 'unknown')
    return leg.tries >= neededTries
      ? { readings: readings.map((one) => ({ ...one, unasked: 'E16' })), saves: [], drops }
      : wait(now + doubtMs, leg.tries + 1)
  const later = { ...second, requestedAt: Math.max(second.requestedAt, first.requestedAt + 1) }
  if (later.status === 'success' && isCovered(asking, later) === false)
    return confirmMoves(asking, leg, later)
  return { readings: [first, later], saves: [], drops }
}

/** Whether another payout of the same origin was made beside or before this one: whether it moved anything tells what they are. */
function hasRival({ ledger }: Asking, hash: string): boolean {
  return ledger
    .listTransfers({ hash, limit: mostRivals })
    .filter(({ direction }) => direction === 'ZoneToMain')
    .some((transfer) => {
      if (transfer.replaced !== undefined) return true
      const sharing = transfer.zone === null ? [] : ledger.listSharing('zone', transfer.zone.hash, mostRivals)
      const alike = listOfOneOrigin(transfer, sharing)
      return new Set(alike.flatMap(({ main }) => main?.hash ?? [])).size > 1
    })
}

const mostRivals = 100

/** What was over before is not asked for one by one at the first start. */
const historyMs = 900_000

/** Since when calls are asked about: since lists of escrows would show them, else since the first start. */
function askedSince({ firstStartAt }: Pick<Kernel, 'firstStartAt'>, listed: EscrowNets | null): UnixMs {
  return listed === null ? firstStartAt - historyMs : listed.since
}

/** Whether the list of each escrow shows what these calls moved there. */
function isShown(listed: EscrowNets | null, { moves }: EvidenceReading): boolean {
  if (listed === null || listed.nets.size === 0 || moves === null) return false
  return [...listed.nets].every(([escrow, net]) => isEqual(net, netOf(moves, escrow)))
}

function netOf(moves: readonly TokenMove[], escrow: string): Decimal {
  return moves.reduce((sum, { from, to, amount }) => {
    const moved = toDecimal(amount ?? '') ?? noAmount
    const came = to === escrow ? addDecimals(sum, moved) : sum
    return from === escrow ? addDecimals(came, negate(moved)) : came
  }, noAmount)
}

function isSaidOtherwise({ db }: Asking, { hash }: EvidenceReading): boolean {
  return listAnswers(db, [hash]).some(({ source }) => source === 'E16' || source === 'E7' || source === 'E6')
}
