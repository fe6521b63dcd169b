import type { Clock } from '../../lib/clock.ts'

/** Runs the poller so many milliseconds from now, where its schedule would be too coarse. The newest call counts. */
export function createWaker(
  { clock, trigger }: { readonly clock: Clock; readonly trigger: (poller: string) => void },
  poller: string,
): (ms: number, stop: AbortSignal) => void {
  let pending = new AbortController()
  return (ms, stop) => {
    pending.abort()
    pending = new AbortController()
    const ended = AbortSignal.any([pending.signal, stop])
    void clock.sleep(ms, ended).then(() => {
      if (!ended.aborted) trigger(poller)
    })
  }
}
