import type { Kernel } from '../../kernel/kernel.ts'
import { destinationLeg, type Leg, type Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import { movesNative } from '../../meaning/showsMoney.ts'
import type { EvidenceReads } from './reads.ts'

/** An endpoint that lags for longer is believed. */
export const mostLagMs = 900_000
/** So many of the newest have to be unknown: one may be so for a reason of its own. */
const neededUnknown = 2
const mostLooked = 50
/** How far it has come is looked for at so many places: all fit into one question. */
const looks = 17
const lookMs = Math.ceil(mostLagMs / looks)

interface Asking extends Pick<Kernel, 'ledger'> {
  readonly reads: Pick<EvidenceReads, 'zoneLegs' | 'mainLegs' | 'nativeLegs'>
  readonly signal: AbortSignal
}

type Ask = 'zone' | 'main' | 'native'

/**
 * How far the endpoint for many transactions has come, where it lags behind the head of their chain: of what arrived on that
 * chain it knows what is older, and none of the newest, whose origins are proven. Nobody can make these for himself: whoever
 * forges a payout would have to pay in for each, and that would be shown. Infinity where it does not lag.
 * @param until what happened later need not be known yet
 */
export async function readComeTo(of: Asking, ask: Ask, until: UnixMs): Promise<UnixMs> {
  const since = until - mostLagMs
  const newest = listArrived(of, ask, { from: since, until }, (one) => one.originProof === 'proven')
  const older = listArrived(of, ask, { from: 0, until: since }, () => true)[0]
  const asked = newest.slice(0, neededUnknown)
  if (asked.length < neededUnknown || older === undefined) return Infinity
  const between = Array.from({ length: looks }, (_, n) => until - n * lookMs).flatMap((at) =>
    listArrived(of, ask, { from: at - lookMs, until: at }, () => true).slice(0, 1),
  )
  const { zoneLegs, mainLegs, nativeLegs } = of.reads
  const askMany = { zone: zoneLegs, main: mainLegs, native: nativeLegs }[ask]
  const questions = [...new Set([...asked, older, ...between])]
  const read = await askMany(questions, { priority: 'urgent', signal: of.signal, isKnown: false }).catch(
    (error: unknown) => {
      of.signal.throwIfAborted()
      if (!(error instanceof MonitorError)) throw error
      return null
    },
  )
  // Whoever does not answer is told of as that: what others say is not kept back by him.
  if (read === null) return Infinity
  const { readings } = read
  const known = new Set(readings.map(({ hash }) => hash))
  if (!known.has(older) || asked.some((hash) => known.has(hash))) return Infinity
  return Math.max(...readings.map(({ time }) => time ?? -Infinity))
}

/** Hashes of what arrived in a time on the chain of a leg, the newest first. */
function listArrived(
  { ledger }: Asking,
  ask: Ask,
  { from, until }: { readonly from: UnixMs; readonly until: UnixMs },
  counts: (transfer: Transfer) => boolean,
): string[] {
  const isIn = (leg: Leg) => leg.time !== null && leg.time >= from && leg.time <= until
  const legs = ledger
    .listTransfers({
      direction: ask === 'zone' ? 'MainToZone' : 'ZoneToMain',
      state: 'completed',
      originAtOrBefore: until,
      limit: mostLooked,
    })
    // Native currency is in answers of its own.
    .filter(({ token }) => ask === 'zone' || movesNative(token) === (ask === 'native'))
    .filter(counts)
    .flatMap((transfer) => destinationLeg(transfer) ?? [])
    .filter(isIn)
    .toSorted((a, b) => (b.time ?? 0) - (a.time ?? 0))
  return [...new Set(legs.map((leg) => leg.hash))]
}
