import { performance } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** So much of a second at work is more than watching takes: history is read, a storm is told, a report is made. */
const busyShare = 0.5
/** Beyond this, more room saves hardly any time. */
const mostBytes = 8 * 1024 * 1024
const lookMs = 1_000

/** Whether there should be more room for new objects. */
export function wantsRoom(of: { readonly share: number; readonly bytes: number }): boolean {
  return of.share > busyShare && of.bytes < mostBytes
}

/**
 * Lets the room for new objects grow while the process has much to do, where collecting a full one a hundred times a second
 * takes a quarter of the time, and lets V8 give it back afterwards: it does so by itself once little is made.
 * @returns what ends it
 */
export function giveRoom(): () => void {
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization: share } = performance.eventLoopUtilization(now, before)
    before = now
    setFlagsFromString(`--semi-space-growth-factor=${wantsRoom({ share, bytes: roomBytes() }) ? 2 : 1}`)
  }, lookMs)
  timer.unref()
  return () => clearInterval(timer)
}

function roomBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
}
