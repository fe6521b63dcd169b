import type { UnixMs } from '../../lib/clock.ts'
import type { QueuedLeg } from '../../ledger/evidenceQueue.ts'
import type { Asking } from './decideDoubt.ts'
import { mostLagMs, readComeTo } from './indexLag.ts'

/** One endpoint may show a block so much later than the head does: before, nothing is absent from it. */
const lateMs = 65_000
/** An endpoint that lags has passed a leg once it has come so much farther: its servers are not equally far. */
const beyondMs = 30_000

type When = Pick<QueuedLeg, 'time' | 'addedAt'>

/** By the service's clock, whatever ours says; and a service that gives a wrong time cannot put it off. */
export function settledAt({ serviceAheadMs }: Asking, { time, addedAt }: When): UnixMs {
  return Math.min(time - serviceAheadMs, addedAt) + lateMs
}

/**
 * Whether the endpoint for many has not come so far beyond a leg: for a quarter of an hour at most. Found out once a run,
 * however many legs wait for it.
 */
export async function isBehind(asking: Asking, ask: QueuedLeg['ask'], leg: When): Promise<boolean> {
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
export async function callsMayCome(asking: Asking, leg: When): Promise<boolean> {
  return asking.clock.now() < settledAt(asking, leg) || (await isBehind(asking, 'native', leg))
}
