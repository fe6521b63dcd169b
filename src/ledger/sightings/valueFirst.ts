import type { UnixMs } from '../../lib/clock.ts'

/** What is at stake in a question. */
export interface AtRisk {
  /** Of what the escrows hold of the token, or the like; 0 where it is not known. */
  readonly share: number
  /** Since when it waits. */
  readonly since: UnixMs
  /** Whether it is of a token that is known to be the bridge's: anybody can make others move. */
  readonly counts: boolean
}

/** Every so many turns go to what has waited longest. */
const oldestEvery = 10

/**
 * The order in which questions are asked: by money at risk, then by age, and each tenth one is the oldest. What is of
 * tokens that do not count comes last, and takes no more than a tenth of the turns, and no less where there is as much.
 * @param before turns that were taken already, where there are few at a time
 */
export function valueFirst<T>(
  items: readonly T[],
  riskOf: (item: T) => AtRisk,
  turns: number,
  before = 0,
): T[] {
  const known = items.map((item) => ({ item, risk: riskOf(item) }))
  const counted = known.filter(({ risk }) => risk.counts)
  const byAge = counted.toSorted((a, b) => a.risk.since - b.risk.since)
  const byValue = byAge.toSorted((a, b) => b.risk.share - a.risk.share)
  const taken = new Set<(typeof known)[number]>()
  const ordered: T[] = []
  const cursors = { age: 0, value: 0 }
  const take = (from: typeof known, of: keyof typeof cursors) => {
    while (from[cursors[of]] !== undefined) {
      const next = from[cursors[of]++]
      if (next === undefined || taken.has(next)) continue
      taken.add(next)
      ordered.push(next.item)
      return
    }
  }
  const tenth = Math.floor(turns / oldestEvery)
  const others = known
    .filter(({ risk }) => !risk.counts)
    .toSorted((a, b) => a.risk.since - b.risk.since)
    .slice(0, Math.max(1, tenth))
  const left = turns - Math.min(others.length, tenth)
  // Turns of others are in place of the most valuable, never of the oldest.
  const first = before + (counted.length > left ? turns - left : 0)
  const most = Math.min(counted.length, left)
  while (ordered.length < most) {
    if ((first + ordered.length) % oldestEvery === oldestEvery - 1) take(byAge, 'age')
    else take(byValue, 'value')
  }
  return [...ordered, ...others.map(({ item }) => item)]
}
