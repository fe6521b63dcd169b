import type { Clock } from '../../lib/clock.ts'

/**
 * Asks several at a time, and each again after a rest for as long as another takes: an endpoint that takes long to answer
 * holds up no question to others. One that failed is not asked again.
 */
export function askSideBySide(
  { clock, restMs, signal }: { readonly clock: Clock; readonly restMs: number; readonly signal: AbortSignal },
  work: readonly (() => Promise<void>)[],
): Promise<PromiseSettledResult<void>[]> {
  const ending = new AbortController()
  const isOver = AbortSignal.any([ending.signal, signal])
  let left = work.length
  const asked = work.map(async (ask) => {
    await ask().finally(() => {
      left -= 1
      if (left === 0) ending.abort()
    })
    for (;;) {
      await clock.sleep(restMs, isOver)
      if (isOver.aborted) return
      await ask()
    }
  })
  return Promise.allSettled(asked)
}
