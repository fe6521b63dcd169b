import type { UnixMs } from '../../lib/clock.ts'

/** What an operator's balance lost in an hour, by its readings. */
export interface BurnHour {
  /** When the hour began. */
  readonly at: UnixMs
  /** Wei. */
  readonly spent: bigint
  /** Of how much of the hour that is known. */
  readonly coveredMs: number
  /** The newest decrease, wei; 0 where there was none, or it was taken back. */
  readonly lastDrop: bigint
  /** The least that was held, wei. */
  readonly least: bigint
}

interface Reading {
  readonly balance: bigint
  readonly at: UnixMs
}

/** Wei a day, and by how much of a time it was measured. */
interface Burn {
  readonly perDay: bigint
  readonly measuredMs: number
}

export const burnHourMs = 3_600_000
const dayMs = 24 * burnHourMs
/** Two readings further apart hide what came and went between them. */
const maxGapMs = 900_000
/** Gas is spent by day and by night: less than nearly a day of it says nothing. */
const leastMeasuredMs = 20 * burnHourMs

export function toBurnHour(at: UnixMs): UnixMs {
  return Math.floor(at / burnHourMs) * burnHourMs
}

/**
 * The hour after one more reading. An increase is a top-up, which hides what was spent meanwhile: that time is not
 * measured. One that is just the decrease before takes it back: a node that lags showed an older block.
 */
export function noteBurn(hour: BurnHour | null, before: Reading, reading: Reading): BurnHour {
  const { at, balance } = reading
  const known = hour ?? { at: toBurnHour(at), spent: 0n, coveredMs: 0, lastDrop: 0n, least: balance }
  const next = { ...known, least: balance < known.least ? balance : known.least }
  const passedMs = at - before.at
  const drop = before.balance - balance
  if (passedMs <= 0 || passedMs > maxGapMs) return next
  const covered = { ...next, coveredMs: next.coveredMs + passedMs }
  if (drop === 0n) return covered
  if (drop > 0n) return { ...covered, spent: next.spent + drop, lastDrop: drop }
  return -drop === next.lastDrop ? { ...covered, spent: next.spent - next.lastDrop, lastDrop: 0n } : next
}

/**
 * The burn since a time; null until it was measured for nearly a day. Gas is spent again and again: one hour that had more
 * than all others together is money that was sent elsewhere, and is left out.
 */
export function measureBurn(
  hours: readonly Pick<BurnHour, 'at' | 'spent' | 'coveredMs'>[],
  since: UnixMs,
): Burn | null {
  const within = hours.filter(({ at }) => at >= toBurnHour(since))
  const measuredMs = within.reduce((sum, { coveredMs }) => sum + coveredMs, 0)
  if (measuredMs < leastMeasuredMs) return null
  const all = within.reduce((sum, { spent }) => sum + spent, 0n)
  const most = within.reduce((best, { spent }) => (spent > best ? spent : best), 0n)
  const spent = 2n * most > all ? all - most : all
  return { perDay: (spent * BigInt(dayMs)) / BigInt(measuredMs), measuredMs }
}

/** For how long a balance is enough, ms; null when nothing is spent. */
export function enoughForMs(balance: bigint, perDay: bigint): number | null {
  return perDay <= 0n ? null : Number((balance * BigInt(dayMs)) / perDay)
}
