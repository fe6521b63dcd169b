import type { UnixMs } from '../../lib/clock.ts'
import type { FlowPast, FlowTotalFact } from './facts.ts'

/** A window of the past: what it held, and whether the list was read all through it. */
export interface PastWindow {
  readonly at: UnixMs
  readonly isObserved: boolean
  readonly totals: readonly FlowTotalFact[]
}

/** What windows of one length say together. What was not observed counts as nothing seen, not as nothing there. */
export function summarizePast(windows: readonly PastWindow[], lengthMs: number): FlowPast {
  const most = new Map<string, { count: number; sum: bigint; firstAt: UnixMs }>()
  const started = new Map<string, { least: number; total: number; windows: number; newestAt: UnixMs }>()
  const tokens = new Set<string>()
  const observed = windows.filter(({ isObserved }) => isObserved)
  for (const { at, totals } of windows) {
    for (const { token, direction, side, count, sum } of totals) {
      const name = `${token}|${direction}|${side}`
      const known = most.get(name) ?? { count: 0, sum: 0n, firstAt: at }
      most.set(name, {
        count: Math.max(known.count, count),
        sum: known.sum > sum ? known.sum : sum,
        firstAt: Math.min(known.firstAt, at),
      })
      if (side === 'started') tokens.add(token)
    }
  }
  for (const { at, totals } of observed) {
    const counts = new Map<string, number>()
    for (const { token, direction, side, count } of totals) {
      if (side !== 'started') continue
      for (const name of new Set([`${token}|${direction}`, `|${direction}`])) {
        counts.set(name, (counts.get(name) ?? 0) + count)
      }
    }
    for (const [name, count] of counts) {
      const known = started.get(name) ?? { least: count, total: 0, windows: 0, newestAt: at }
      const least = Math.min(known.least, count)
      const newestAt = Math.max(known.newestAt, at)
      started.set(name, { least, total: known.total + count, windows: known.windows + 1, newestAt })
    }
  }
  return {
    observedMs: observed.length * lengthMs,
    tokens: [...tokens],
    most: ({ token, direction, side }) => most.get(`${token}|${direction}|${side}`) ?? null,
    usual({ token, direction }) {
      const known = started.get(`${token}|${direction}`)
      if (!known) return { least: 0, mean: 0 }
      // A silence that goes on must not become what is usual.
      const before = observed.filter(({ at }) => at <= known.newestAt).length
      // A window without any is not among those counted.
      return { least: known.windows < before ? 0 : known.least, mean: known.total / before }
    },
  }
}
