import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from './clock.ts'

export interface LoopLag {
  /** How much later than they should 99 of 100 timers run at most, within the last minute or two, ms. */
  read(): number
}

/** What is counted of the time between two looks at the loop, ns: that time, and how much later the second one came. */
type Delays = Pick<ReturnType<typeof monitorEventLoopDelay>, 'enable' | 'percentile' | 'reset'>

/** Between two looks, ms. */
const resolutionMs = 20
/** What lies longer ago says nothing of now: a process runs for months. */
const windowMs = 60_000

export function watchLoopLag(
  { monotonicMs }: Pick<Clock, 'monotonicMs'>,
  delays: Delays = monitorEventLoopDelay({ resolution: resolutionMs }),
): LoopLag {
  let begunAt = monotonicMs()
  let before = 0
  delays.enable()
  return {
    read() {
      const held = delays.percentile(99) / 1e6 - resolutionMs
      const lag = Number.isNaN(held) ? 0 : Math.max(0, held)
      const ageMs = monotonicMs() - begunAt
      if (ageMs < windowMs) return Math.max(lag, before)
      before = lag
      begunAt = monotonicMs()
      delays.reset()
      return lag
    },
  }
}
