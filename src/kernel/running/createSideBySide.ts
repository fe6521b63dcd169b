import type { Clock } from '../../lib/clock.ts'

type Ask = () => Promise<void>

/**
 * Asks several at a time, and each again after a rest until all were asked: an endpoint that takes long to answer holds up no
 * question to others. What was asked again and is under way by then is waited for by the next run, and not asked twice at once.
 * @returns one run, of as many each time: how the newest asking of each ended
 */
export function createSideBySide(clock: Pick<Clock, 'sleep'>, restMs: number) {
  const underWay = new Map<number, Promise<PromiseSettledResult<void>>>()
  function begin(place: number, ask: Ask): Promise<PromiseSettledResult<void>> {
    const asking = Promise.allSettled([ask()]).then(([result]) => {
      underWay.delete(place)
      return result
    })
    underWay.set(place, asking)
    return asking
  }
  return async (signal: AbortSignal, work: readonly Ask[]): Promise<PromiseSettledResult<void>[]> => {
    const ending = new AbortController()
    const isOver = AbortSignal.any([ending.signal, signal])
    const results: PromiseSettledResult<void>[] = []
    const askOn = async (place: number, ask: Ask) => {
      for (;;) {
        await clock.sleep(restMs, isOver)
        if (isOver.aborted) return
        const result = await begin(place, ask)
        if (!isOver.aborted) results[place] = result
      }
    }
    await Promise.all(
      work.map(async (ask, place) => {
        results[place] = await (underWay.get(place) ?? begin(place, ask))
        void askOn(place, ask)
      }),
    )
    ending.abort()
    // Whoever stops waits for all.
    if (signal.aborted) await Promise.all(underWay.values())
    return results
  }
}
