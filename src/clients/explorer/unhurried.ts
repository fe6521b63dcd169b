import type { Clock } from '../../lib/clock.ts'
import type { Explorer } from './createExplorer.ts'

/** The same explorer for somebody who takes no more than one turn in so many ms: it rests after each answer. */
export function unhurried(
  explorer: Pick<Explorer, 'call' | 'walk'>,
  clock: Pick<Clock, 'sleep'>,
  restMs: number,
): Pick<Explorer, 'call' | 'walk'> {
  return {
    async call(endpoint, params, options) {
      const answer = await explorer.call(endpoint, params, options)
      await clock.sleep(restMs, options.signal)
      return answer
    },
    walk: (endpoint, params, options) =>
      explorer.walk(endpoint, params, {
        ...options,
        async onPage(answer) {
          await options.onPage?.(answer)
          await clock.sleep(restMs, options.signal)
        },
      }),
  }
}
