import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Between two looks at the loop, ms: what is shorter holds up nobody. */
const resolutionMs = 10

/** How long the loop was held beyond the time between two looks, from now until it is read. */
export function watchLoop() {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  const toMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs)
  return {
    read: () => ({
      p50: toMs(delay.percentile(50)),
      p99: toMs(delay.percentile(99)),
      most: toMs(delay.max),
    }),
    reset: () => delay.reset(),
    stop: () => delay.disable(),
  }
}
