import type { UnixMs } from '../../lib/clock.ts'
import type { QueuedLeg } from '../../ledger/evidenceQueue.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type IndexAsking, type LegAsk, mostLagMs, readComeTo } from './indexLag.ts'

/** One endpoint may show a block so much later than the head does: before, nothing is absent from it. */
const lateMs = 65_000
/** An endpoint that lags has passed a leg once it has come so much farther: its servers are not equally far. */
const beyondMs = 30_000

/** Who asks about legs, as far as endpoints that lag concern him. */
export interface LagAsking extends IndexAsking, Pick<Kernel, 'clock' | 'horizons'> {
  /** How far endpoints that lag behind have come, as this run found out: by what is asked. */
  readonly lags: Map<LegAsk, Promise<UnixMs>>
  /** By how much the service's clock is ahead of ours; negative: behind it. */
  readonly serviceAheadMs: number
}

type When = Pick<QueuedLeg, 'time' | 'addedAt'>

/** By the service's clock, whatever ours says; and a service that gives a wrong time cannot put it off. */
export function settledAt({ serviceAheadMs }: LagAsking, { time, addedAt }: When): UnixMs {
  return Math.min(time - serviceAheadMs, addedAt) + lateMs
}

/**
 * Whether the endpoint for many has not come so far beyond a leg: for a quarter of an hour at most. Found out once a run,
 * however many legs wait for it.
 */
export async function isBehind(asking: LagAsking, ask: QueuedLeg['ask'], leg: When): Promise<boolean> {
  const { clock, horizons, lags, serviceAheadMs } = asking
  const now = clock.now()
  if (now >= leg.addedAt + mostLagMs || (ask !== 'zone' && ask !== 'main' && ask !== 'native')) return false
  const known = lags.get(ask) ?? readComeTo(asking, ask, now + serviceAheadMs - lateMs)
  lags.set(ask, known)
  const comeTo = await known
  if (ask === 'zone') horizons.noteZoneShown(comeTo === Infinity ? null : comeTo)
  return comeTo - serviceAheadMs < settledAt(asking, leg) - lateMs + beyondMs
}

/** Whether lists of calls may show some of a leg yet. */
export async function callsMayCome(asking: LagAsking, leg: When): Promise<boolean> {
  return asking.clock.now() < settledAt(asking, leg) || (await isBehind(asking, 'native', leg))
}
