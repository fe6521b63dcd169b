import type { UnixMs } from '../../lib/clock.ts'
import type { QueuedLeg } from '../../ledger/evidenceQueue.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type IndexAsking, type LegAsk, mostLagMs, readAloneComeTo, readComeTo } from './indexLag.ts'

/** One endpoint may show a block so much later than the head does: before, nothing is absent from it. */
const lateMs = 65_000
/** An endpoint that lags has passed a leg once it has come so much farther: its servers are not equally far. */
const beyondMs = 30_000

/** Who asks about legs, as far as endpoints that lag concern him. */
export interface LagAsking extends IndexAsking, Pick<Kernel, 'clock' | 'horizons'> {
  /** How far endpoints that lag behind have come, as this run found out: by what is asked. */
  readonly lags: Map<LegAsk | `${LegAsk} alone`, Promise<UnixMs>>
  /** By how much the service's clock is ahead of ours; negative: behind it. */
  readonly serviceAheadMs: number
}

type When = Pick<QueuedLeg, 'time' | 'addedAt'>

/** By the service's clock, whatever ours says; and a service that gives a wrong time cannot put it off. */
export function settledAt({ serviceAheadMs }: LagAsking, { time, addedAt }: When): UnixMs {
  return Math.min(time - serviceAheadMs, addedAt) + lateMs
}

/**
 * Who has come so far beyond a leg that it is not there when he does not know it: the endpoint for many transactions, or
 * where that lags the one for single ones. Nobody for a quarter of an hour at most; found out once a run, however many legs
 * wait for it.
 */
export async function findPassed(
  asking: LagAsking,
  ask: QueuedLeg['ask'],
  leg: When,
): Promise<'many' | 'single' | 'nobody'> {
  const { clock, horizons, serviceAheadMs } = asking
  const now = clock.now()
  if (now >= leg.addedAt + mostLagMs || (ask !== 'zone' && ask !== 'main' && ask !== 'native')) return 'many'
  const until = now + serviceAheadMs - lateMs
  const needed = settledAt(asking, leg) - lateMs + beyondMs + serviceAheadMs
  const comeTo = await once(asking, ask, () => readComeTo(asking, ask, until))
  if (ask === 'zone') horizons.noteZoneShown(comeTo === Infinity ? null : comeTo)
  if (comeTo >= needed) return 'many'
  const aloneTo = await once(asking, `${ask} alone`, () => readAloneComeTo(asking, ask, until))
  if (ask === 'zone') horizons.noteZoneShown(Math.max(comeTo, aloneTo))
  return aloneTo >= needed ? 'single' : 'nobody'
}

function once(
  { lags }: LagAsking,
  what: LegAsk | `${LegAsk} alone`,
  read: () => Promise<UnixMs>,
): Promise<UnixMs> {
  const known = lags.get(what) ?? read()
  lags.set(what, known)
  return known
}

/** Whether lists of calls may show some of a leg yet. */
export async function callsMayCome(asking: LagAsking, leg: When): Promise<boolean> {
  return asking.clock.now() < settledAt(asking, leg) || (await findPassed(asking, 'native', leg)) === 'nobody'
}
