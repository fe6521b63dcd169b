import { createChannel } from '../delivery/channels/createChannel.ts'
import type { Channel, Message } from '../delivery/channels/message.ts'
import type { AppConfig } from '../kernel/settings.ts'
import { errorText } from '../lib/errors.ts'
import type { AppDeps } from '../monitor/options.ts'

const patienceMs = 15_000
const triesOfChannel = 3
const pauseMs = 2_000

/** What is sent, and what the log calls it. */
export interface DirectMessage {
  readonly what: string
  /** The message for one channel. */
  readonly compose: (channel: string) => Message
}

/**
 * Sends one message straight through every channel, where there is no outbox to stand on. Ends in seconds, whatever the
 * channels do.
 */
export async function sendDirectly(
  deps: Pick<AppDeps, 'clock' | 'log' | 'write'>,
  channels: AppConfig['channels'],
  message: DirectMessage,
): Promise<void> {
  const { clock, log } = deps
  const ending = new AbortController()
  const sent = Promise.all(
    channels.map(async (settings) => {
      const channel = createChannel({ clock, write: deps.write, color: false }, settings)
      try {
        await send(deps, channel, message, ending.signal)
      } catch (error) {
        log.warn({ channel: channel.name, error: errorText(error) }, `${message.what} could not be sent`)
      } finally {
        await channel.close()
      }
    }),
  ).finally(() => ending.abort())
  await clock.sleep(patienceMs, ending.signal)
  ending.abort()
  await sent
}

async function send(
  { clock, log }: Pick<AppDeps, 'clock' | 'log'>,
  channel: Channel,
  { what, compose }: DirectMessage,
  signal: AbortSignal,
): Promise<void> {
  const message = compose(channel.name)
  for (let attempt = 1; attempt <= triesOfChannel && !signal.aborted; attempt += 1) {
    const options = { signal, degraded: attempt === triesOfChannel, recipients: null }
    const { result } = await channel.deliver({ ...message, attempt }, options)
    if (result === 'ack' || result === 'partial') return
    log.warn({ channel: channel.name, result }, `${what} is not sent yet`)
    if (attempt < triesOfChannel) await clock.sleep(pauseMs, signal)
  }
}
