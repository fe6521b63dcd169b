import type { Clock } from '../lib/clock.ts'
import { errorText } from '../lib/errors.ts'
import type { DeliveryResult } from './channels/message.ts'

/** Channels end their sendings themselves, well before this. */
const longestSendMs = 90_000

/** One sending, which ends in time whatever becomes of it. */
export async function attemptSending(
  clock: Clock,
  stopped: AbortSignal,
  sending: (signal: AbortSignal) => Promise<DeliveryResult>,
): Promise<DeliveryResult> {
  const done = new AbortController()
  const signal = AbortSignal.any([stopped, done.signal])
  try {
    return await Promise.race([sending(signal), giveUp(clock, signal)])
  } catch (error) {
    return { result: 'transient', reason: errorText(error) }
  } finally {
    done.abort()
  }
}

/** A channel that forgets its own time limit must not hold its lane for ever. */
async function giveUp(clock: Clock, signal: AbortSignal): Promise<DeliveryResult> {
  await clock.sleep(longestSendMs, signal)
  return { result: 'transient', reason: signal.aborted ? 'interrupted by the stop' : 'no answer in time' }
}
