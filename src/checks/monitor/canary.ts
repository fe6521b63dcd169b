import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { Channel, DeliveryResult } from '../../delivery/channels/message.ts'
import { toTestMessage } from '../../delivery/channels/toTestMessage.ts'

export interface CanaryDeps {
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly channels: readonly Channel[]
  readonly pageUrl: string | null
  /** When the newest one went out, kept over restarts; null before the first. */
  readLastAt(): UnixMs | null
  saveLastAt(at: UnixMs): void
  /** The first time after an instant at which the schedule comes due. */
  dueAfter(at: UnixMs): UnixMs
  /** What the channel made of it, as of any other message. */
  onAnswer(channel: string, answer: DeliveryResult, now: UnixMs): void
}

/**
 * A real message a day down each channel: the only proof that a channel which has had nothing to say still works. Due
 * times are compared, not rung for: neither a restart nor a changed clock sends two.
 */
export function createCanary(deps: CanaryDeps): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    const now = deps.clock.now()
    const last = deps.readLastAt()
    if (last === null) return deps.saveLastAt(now)
    if (deps.dueAfter(last) > now) return
    deps.saveLastAt(now)
    await Promise.all(deps.channels.map((channel) => send(deps, channel, signal)))
  }
}

async function send(deps: CanaryDeps, channel: Channel, signal: AbortSignal): Promise<void> {
  const { clock, log, pageUrl } = deps
  const message = toTestMessage({
    channel: channel.name,
    now: clock.now(),
    pageUrl,
    sentBy: 'the daily canary',
  })
  const answer = await channel.deliver(message, { signal, degraded: false, recipients: null })
  if (signal.aborted) return
  deps.onAnswer(channel.name, answer, clock.now())
  const facts = { channel: channel.name, result: answer.result }
  if (answer.result === 'ack') log.info(facts, 'canary delivered')
  else log.warn(facts, 'canary not delivered')
}
