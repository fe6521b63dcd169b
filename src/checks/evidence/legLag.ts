import type { UnixMs } from '../../lib/clock.ts'
import type { QueuedLeg } from '../../ledger/evidence/evidenceQueue.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type IndexAsking, type LegAsk, mostLagMs, readAloneComeTo, readComeTo } from './indexLag.ts'

/** One endpoint may show a block so much later than the head does: before, nothing is absent from it. */
const lateMs = 65_000
/** An endpoint that lags has passed a leg once it has come so much farther: its servers are not equally far. */
const beyondMs = 30_000
/** How far an endpoint has come is found out again after this: it has come farther since. */
const [againMs, aloneAgainMs] = [5_000, 15_000]

/** Who asks about legs, as far as endpoints that lag concern him. */
export interface LagAsking extends IndexAsking, Pick<Kernel, 'clock' | 'horizons'> {
  /** How far endpoints that lag behind have come, and when that was found out: by what is asked. */
  readonly lags: Map<LegAsk, ComeTo>
  /** The same of those for single transactions. */
  readonly aloneLags: Map<LegAsk, ComeTo>
  /** By how much the service's clock is ahead of ours; negative: behind it. */
  readonly serviceAheadMs: number
}

interface ComeTo {
  readonly at: UnixMs
  readonly to: Promise<UnixMs>
}

type When = Pick<QueuedLeg, 'time' | 'addedAt'>

/** By the service's clock, whatever ours says; and a service that gives a wrong time cannot put it off. */
export function settledAt(
  { serviceAheadMs }: Pick<LagAsking, 'serviceAheadMs'>,
  { time, addedAt }: When,
): UnixMs {
  return Math.min(time - serviceAheadMs, addedAt) + lateMs
}

/**
 * How far the endpoint for many has come: an answer that was asked for earlier may lack more. Found out once in a
 * while, however many legs wait for it.
 */
export async function measure(asking: LagAsking, ask: LegAsk): Promise<UnixMs> {
  const { clock, horizons, lags, serviceAheadMs } = asking
  const now = clock.now()
  const read = () => readComeTo(asking, ask, now + serviceAheadMs - lateMs)
  const comeTo = await findComeTo(lags, { ask, now, againMs, read })
  if (ask === 'zone') horizons.noteZoneShown(comeTo === Infinity ? null : comeTo)
  return comeTo
}

/** Whether the endpoint for single transactions has come so far beyond a leg, where the one for many lags. */
export async function hasAlonePassed(
  asking: LagAsking,
  leg: Pick<QueuedLeg, 'ask'> & When,
): Promise<boolean> {
  const { horizons } = asking
  const { ask } = leg
  if (ask !== 'zone' && ask !== 'main' && ask !== 'native') return false
  const comeTo = await measureAlone(asking, ask)
  if (ask === 'zone') horizons.noteZoneShown(Math.max(await measure(asking, ask), comeTo))
  return !isBehind(asking, comeTo, leg)
}

function measureAlone(asking: LagAsking, ask: LegAsk): Promise<UnixMs> {
  const { aloneLags, clock, serviceAheadMs } = asking
  const now = clock.now()
  const read = () => readAloneComeTo(asking, ask, now + serviceAheadMs - lateMs)
  return findComeTo(aloneLags, { ask, now, againMs: aloneAgainMs, read })
}

interface Finding {
  readonly ask: LegAsk
  readonly now: UnixMs
  readonly againMs: number
  readonly read: () => Promise<UnixMs>
}

function findComeTo(found: Map<LegAsk, ComeTo>, { ask, now, read, ...how }: Finding): Promise<UnixMs> {
  const known = found.get(ask)
  if (known !== undefined && Math.abs(now - known.at) < how.againMs) return known.to
  const to = read()
  found.set(ask, { at: now, to })
  // What could not be found out is asked again at once.
  to.catch(() => found.delete(ask))
  return to
}

/** Whether an endpoint that lags is still waited for: for a quarter of an hour at most. */
export function isAwaited({ clock }: Pick<LagAsking, 'clock'>, { addedAt }: When): boolean {
  return clock.now() < addedAt + mostLagMs
}

/** Whether an endpoint that has come so far may not show a leg yet; null: it is not known how far. */
export function isBehind(
  asking: Pick<LagAsking, 'clock' | 'serviceAheadMs'>,
  comeTo: UnixMs | null,
  leg: When,
): boolean {
  if (!isAwaited(asking, leg)) return false
  return comeTo === null || comeTo - asking.serviceAheadMs < settledAt(asking, leg) - lateMs + beyondMs
}

/** Whether lists of calls that are asked for from now on may lack some of a leg. */
export async function callsMayCome(asking: LagAsking, leg: When): Promise<boolean> {
  if (asking.clock.now() < settledAt(asking, leg)) return true
  if (!isAwaited(asking, leg) || !isBehind(asking, await measure(asking, 'native'), leg)) return false
  return !(await hasAlonePassed(asking, { ...leg, ask: 'native' }))
}
