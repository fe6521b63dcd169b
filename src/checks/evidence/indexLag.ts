import type { Kernel } from '../../kernel/kernel.ts'
import { destinationLeg, type Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import { movesNative } from '../../meaning/showsMoney.ts'
import type { ZoneShown } from '../../kernel/reads/zoneTransactionBy.ts'
import type { EvidenceReads } from './reads.ts'
import type { LegsRead } from './legsRead.ts'

/** An endpoint that lags for longer is believed. */
export const mostLagMs = 900_000
/** So many of the newest have to be unknown: one may be so for a reason of its own. */
const neededUnknown = 2
const mostLooked = 50
/** How far it has come is looked for at so many places: all fit into one question. */
const looks = 16
const lookMs = Math.ceil(mostLagMs / looks)

export interface IndexAsking extends Pick<Kernel, 'endpointLags' | 'ledger'> {
  readonly reads: Pick<
    EvidenceReads,
    | 'zoneLegs'
    | 'zoneLeg'
    | 'mainLegs'
    | 'mainLeg'
    | 'mainLogs'
    | 'nativeLegs'
    | 'nativeLeg'
    | 'zoneTransactionBy'
  >
  readonly signal: AbortSignal
  /** What each endpoint for many transactions showed last itself: what others know it may lack for as long as it lags. */
  readonly lastShown: ReadonlyMap<LegAsk, readonly string[]>
  /** What blocks of the zone showed when that was looked for, oldest first: a memory of a quarter of an hour. */
  readonly zoneShown: ZoneShown[]
}

export type LegAsk = 'zone' | 'main' | 'native'

/** The endpoints that answer each question, about many transactions and about one. */
export const sources = { zone: ['E9', 'E14'], main: ['E13', 'E2'], native: ['E15', 'E16'] } as const

/**
 * How far the endpoint for many transactions has come, where it lags behind the head of their chain; Infinity where it does
 * not. On the zone that is what its blocks hold; elsewhere, or where they cannot be asked, what arrived on the chain.
 * @param until what happened later need not be known yet
 */
export async function readComeTo(of: IndexAsking, ask: LegAsk, until: UnixMs): Promise<UnixMs> {
  try {
    const byBlocks = ask === 'zone' ? await readByBlocks(of, until) : null
    return byBlocks ?? (await readByArrivals(of, ask, until))
  } catch (error) {
    of.signal.throwIfAborted()
    // Whoever does not answer is told of as that: what others say is not kept back by him.
    if (error instanceof MonitorError) return Infinity
    throw error
  }
}

/**
 * How far an endpoint for single transactions has come: to the newest that is known to be there, if it shows that; else, or
 * where it does not answer, nobody knows.
 */
export async function readAloneComeTo(of: IndexAsking, ask: LegAsk, until: UnixMs): Promise<UnixMs> {
  const { reads, signal, zoneShown } = of
  const [arrived] = listProven(of, ask, until)
  const newest = (ask === 'zone' ? zoneShown.at(-1) : undefined) ?? arrived
  if (newest === undefined) return -Infinity
  const singles = {
    zone: [reads.zoneLeg],
    main: [reads.mainLogs, reads.mainLeg],
    native: [reads.nativeLeg],
  }[ask]
  for (const single of singles) {
    const read = await single(newest.hash, { priority: 'urgent', signal }).catch((error: unknown) => {
      signal.throwIfAborted()
      if (!(error instanceof MonitorError)) throw error
      return null
    })
    if (read?.readings.some(({ hash }) => hash === newest.hash) === true) return newest.time
  }
  return -Infinity
}

/** Blocks are asked for of so much later: what decides of the first leg that may be judged came a while after it. */
const blocksAheadMs = 35_000
const mostShown = 18
/** So long before the first block that was asked for it may have stood still already. */
const unknownMs = 120_000

/** Null where no block was found, or what blocks hold is no measure. */
async function readByBlocks(of: IndexAsking, until: UnixMs): Promise<UnixMs | null> {
  const { reads, signal, zoneShown } = of
  const options = { priority: 'urgent', signal, isKnown: false } as const
  const byBlocks = (time: UnixMs) =>
    reads.zoneTransactionBy(time, options).catch((error: unknown) => {
      signal.throwIfAborted()
      if (!(error instanceof MonitorError)) throw error
      return null
    })
  const newest = await byBlocks(until + blocksAheadMs)
  if (newest === null) return null
  const kept = zoneShown.filter(({ hash, time }) => hash !== newest.hash && time > until - mostLagMs)
  zoneShown.splice(0, Infinity, ...kept, newest)
  const step = Math.ceil(zoneShown.length / mostShown)
  const asked = zoneShown.filter((_, at) => (zoneShown.length - 1 - at) % step === 0)
  const older = listArrived(of, 'zone', { from: 0, until: until - mostLagMs }, () => true).slice(0, 1)
  const { readings } = await askBesideKnown(
    of,
    'zone',
    [...asked, ...older].map(({ hash }) => hash),
  )
  const known = new Set(readings.map(({ hash }) => hash))
  // Without anything in it that is known it is no answer.
  if (known.size === 0 || known.has(newest.hash)) return Infinity
  const times = asked.filter(({ hash }) => known.has(hash)).map(({ time }) => time)
  // Of an endpoint that knows no such transaction however old they say nothing.
  const past = times.length > 0 ? null : await byBlocks(until - mostLagMs)
  const isMeasure =
    past === null ? times.length > 0 : (await reads.zoneLegs([past.hash], options)).readings.length > 0
  if (!isMeasure) return null
  noteLacks(
    of,
    'zone',
    asked.filter(({ hash }) => !known.has(hash)),
  )
  return Math.max((asked[0]?.time ?? until) - unknownMs, ...times)
}

/**
 * It lags where of what arrived it knows what is older, and none of the newest, whose origins are proven. Nobody can make
 * these for himself: whoever forges a payout would have to pay in for each, and that would be shown.
 */
async function readByArrivals(of: IndexAsking, ask: LegAsk, until: UnixMs): Promise<UnixMs> {
  const since = until - mostLagMs
  const newest = listProven(of, ask, until)
  const older = listArrived(of, ask, { from: 0, until: since }, () => true)[0]
  const asked = newest.slice(0, neededUnknown)
  if (asked.length < neededUnknown || older === undefined) return Infinity
  const between = Array.from({ length: looks }, (_, n) => until - n * lookMs).flatMap((at) =>
    listArrived(of, ask, { from: at - lookMs, until: at }, () => true).slice(0, 1),
  )
  const { readings } = await askBesideKnown(
    of,
    ask,
    [...asked, older, ...between].map(({ hash }) => hash),
  )
  const known = new Set(readings.map(({ hash }) => hash))
  if (!known.has(older.hash) || asked.some(({ hash }) => known.has(hash))) return Infinity
  noteLacks(of, ask, asked)
  return Math.max(...readings.map(({ time }) => time ?? -Infinity))
}

/** Throttled it would look as if it knew none of them, and so as if they were no measure. */
function askBesideKnown(
  { lastShown, reads, signal }: IndexAsking,
  ask: LegAsk,
  hashes: readonly string[],
): Promise<LegsRead> {
  const many = { zone: reads.zoneLegs, main: reads.mainLegs, native: reads.nativeLegs }[ask]
  const control = (lastShown.get(ask) ?? []).slice(0, 1)
  const options = { priority: 'urgent', signal, isKnown: control.length > 0 } as const
  return many([...new Set([...hashes, ...control])], options)
}

/** What arrived lately, and its origin is proven. */
function listProven(of: IndexAsking, ask: LegAsk, until: UnixMs): Arrived[] {
  return listArrived(of, ask, { from: until - mostLagMs, until }, (one) => one.originProof === 'proven')
}

function noteLacks({ endpointLags }: IndexAsking, ask: LegAsk, lacking: readonly Arrived[]): void {
  const [endpoint] = sources[ask]
  for (const { hash, height, time } of lacking)
    if (height !== null) endpointLags.noteHappened({ endpoint, list: '' }, { hash, height, time })
}

interface Arrived {
  readonly hash: string
  readonly height: number | null
  readonly time: UnixMs
}

/** What arrived in a time on the chain of a leg, the newest first. */
function listArrived(
  { ledger }: IndexAsking,
  ask: LegAsk,
  { from, until }: { readonly from: UnixMs; readonly until: UnixMs },
  counts: (transfer: Transfer) => boolean,
): Arrived[] {
  const legs = ledger
    .listArrived({
      direction: ask === 'zone' ? 'MainToZone' : 'ZoneToMain',
      from,
      until,
      limit: mostLooked,
    })
    // Native currency is in answers of its own.
    .filter(({ token }) => ask === 'zone' || movesNative(token) === (ask === 'native'))
    .filter(counts)
    .flatMap((transfer) => destinationLeg(transfer) ?? [])
  return [
    ...new Map(legs.map(({ hash, height, time }) => [hash, { hash, height, time: time ?? 0 }])).values(),
  ]
}
