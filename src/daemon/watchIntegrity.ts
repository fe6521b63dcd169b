import { createSystemClock } from '../lib/clock.ts'
import { errorText } from '../lib/errors.ts'
import type { AppDeps } from '../monitor/options.ts'
import type { State } from '../store/openState.ts'

const everyMs = 30_000

/** A large ledger is looked through this seldom, ms: it takes seconds and wears the disk's cache. */
const largeMs = 3_600_000

/**
 * Looks the ledger's file through, again and again, until `signal`. What this process remembers of a damaged page hides it for
 * days; it has to be found before somebody needs what is gone. A disk lives in real time, whatever the speed of the
 * world that is watched.
 */
export async function watchIntegrity(
  { log }: Pick<AppDeps, 'log'>,
  { integrity, isSmall }: Pick<State, 'integrity' | 'isSmall'>,
  signal: AbortSignal,
): Promise<void> {
  const clock = createSystemClock()
  let lookedAtMs = -Infinity
  let said: string | null = null
  while (!signal.aborted) {
    const isDue = isSmall() || integrity.pending() !== null || clock.monotonicMs() - lookedAtMs >= largeMs
    if (isDue) {
      try {
        await integrity.look()
        lookedAtMs = clock.monotonicMs()
        said = null
      } catch (error) {
        // One line for each new trouble, not for each repetition of it.
        if (said !== errorText(error)) log.warn({ err: error }, errorText(error))
        said = errorText(error)
      }
    }
    await clock.sleep(everyMs, signal)
  }
}
