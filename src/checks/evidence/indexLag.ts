import type { Kernel } from '../../kernel/kernel.ts'
import { destinationLeg, type Leg, type Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { EvidenceReads } from './reads.ts'

/** An endpoint that lags for longer is believed. */
export const mostLagMs = 900_000
/** So many of the newest have to be unknown: one may be so for a reason of its own. */
const neededUnknown = 2
const mostLooked = 50

interface Asking extends Pick<Kernel, 'ledger'> {
  readonly reads: Pick<EvidenceReads, 'zoneLegs' | 'mainLegs'>
  readonly signal: AbortSignal
}

type Ask = 'zone' | 'main'

/**
 * Whether the endpoint for many transactions lags behind the head of their chain: of what arrived on that chain it knows
 * what is older, and none of the newest, whose origins are proven. Nobody can make these for himself: whoever forges a payout would
 * have to pay in for each, and that would be shown.
 * @param until what happened later need not be known yet
 */
export async function lagsBehind(of: Asking, ask: Ask, until: UnixMs): Promise<boolean> {
  const since = until - mostLagMs
  const newest = listArrived(of, ask, { from: since, until }, (one) => one.originProof === 'proven')
  const older = listArrived(of, ask, { from: 0, until: since }, () => true)[0]
  const asked = newest.slice(0, neededUnknown)
  if (asked.length < neededUnknown || older === undefined) return false
  const askMany = ask === 'zone' ? of.reads.zoneLegs : of.reads.mainLegs
  const { readings } = await askMany([...asked, older], {
    priority: 'urgent',
    signal: of.signal,
    isKnown: false,
  })
  const known = new Set(readings.map(({ hash }) => hash))
  return known.has(older) && !asked.some((hash) => known.has(hash))
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
    // Native currency is in other answers.
    .filter((transfer) => (ask === 'zone' || transfer.token.address !== '') && counts(transfer))
    .flatMap((transfer) => destinationLeg(transfer) ?? [])
    .filter(isIn)
    .toSorted((a, b) => (b.time ?? 0) - (a.time ?? 0))
  return [...new Set(legs.map((leg) => leg.hash))]
}
