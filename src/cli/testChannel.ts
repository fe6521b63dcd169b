import { MonitorError } from '../lib/errors.ts'
import { createChannel } from '../delivery/channels/createChannel.ts'
import type { DeliveryResult } from '../delivery/channels/message.ts'
import { toTestMessage } from '../delivery/channels/toTestMessage.ts'
import { suggest } from '../lib/nearest.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'

export interface TestChannelCommand {
  readonly config: string
  readonly json?: boolean
}

/** `spanwatch channels test NAME`: one message that says that it is a test, and what came back. */
export async function testChannel(io: Io, name: string, options: TestChannelCommand): Promise<number> {
  const { config } = readConfig(io, options.config, { needs: ['channels'] })
  const settings = config.channels.find((channel) => channel.name === name)
  if (!settings) {
    const names = config.channels.map((channel) => channel.name)
    throw new MonitorError(
      'not_found',
      `no channel is named ${name}${suggest(name, names) || `: there is ${names.join(', ')}`}`,
    )
  }
  const channel = createChannel({ clock: io.clock, write: io.out, color: false }, settings)
  try {
    const message = toTestMessage({
      channel: name,
      now: io.clock.now(),
      pageUrl: config.http?.publicUrl ?? null,
      sentBy: `spanwatch channels test ${name}`,
    })
    const startedAt = io.clock.monotonicMs()
    const result = await channel.deliver(message, { signal: io.stop, degraded: false, recipients: null })
    const tookMs = Math.round(io.clock.monotonicMs() - startedAt)
    if (options.json) io.out(`${JSON.stringify({ channel: name, ...result, tookMs }, null, 2)}\n`)
    else io.out(`${name} (${settings.type}): ${say(result)} (${tookMs} ms, message #${message.id})\n`)
    return result.result === 'ack' ? exitCodes.fine : exitCodes.unreachable
  } finally {
    await channel.close()
  }
}

function say(result: DeliveryResult): string {
  switch (result.result) {
    case 'ack':
      return 'it took the test message'
    case 'partial':
      return `only some recipients took it: ${[
        ...result.refused.map(({ recipient, reason }) => `${recipient} refused (${reason})`),
        ...result.retry.map((recipient) => `${recipient} deferred`),
      ].join(', ')}`
    case 'throttled':
      return `it asks to wait ${Math.ceil(result.retryAfterMs / 1_000)} s: ${result.reason}`
    case 'transient':
      return `not delivered, a retry may help: ${result.reason}`
    case 'suspicious':
      return `it answered, but not that it took the message: ${result.reason}`
    case 'bad_message':
      return `it refused the message itself: ${result.reason}`
    case 'dead':
      return `it refuses us: ${result.reason}`
  }
}
