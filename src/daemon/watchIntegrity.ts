import { createSystemClock } from '../lib/clock.ts'
import { errorText } from '../lib/errors.ts'
import type { AppDeps } from '../monitor/options.ts'
import type { State } from '../store/state.ts'

const leastMs = 30_000

/** Between two looks passes a hundred times what the last one took: a large ledger costs no more than a small one. */
const restPerLook = 100

/**
 * Looks the ledger's file through, again and again, until `signal`. What this process remembers of a damaged page hides it for
 * days; it has to be found before somebody needs what is gone. A disk lives in real time, whatever the speed of the
 * world that is watched.
 */
export async function watchIntegrity(
  { log }: Pick<AppDeps, 'log'>,
  { integrity }: Pick<State, 'integrity'>,
  signal: AbortSignal,
): Promise<void> {
  const clock = createSystemClock()
  let said: string | null = null
  while (!signal.aborted) {
    const begunMs = clock.monotonicMs()
    try {
      await integrity.look()
      said = null
    } catch (error) {
      // One line for each new trouble, not for each repetition of it.
      if (said !== errorText(error)) log.warn({ err: error }, errorText(error))
      said = errorText(error)
    }
    await clock.sleep(Math.max(leastMs, (clock.monotonicMs() - begunMs) * restPerLook), signal)
  }
}
