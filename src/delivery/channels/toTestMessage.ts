import type { UnixMs } from '../../lib/clock.ts'
import type { Message } from './message.ts'
import { toOwnMessage } from './ownMessage.ts'

/** A message that shows that a channel works, and says that it is nothing else. */
export function toTestMessage(of: {
  readonly channel: string
  readonly now: UnixMs
  readonly pageUrl: string | null
  readonly sentBy: string
}): Message {
  const { channel, now, pageUrl, sentBy } = of
  const summary = 'Test message of spanwatch: nothing has happened, nobody needs to do anything'
  const id = (now % 0x1000000).toString(16).padStart(6, '0')
  return toOwnMessage(
    { id, attempt: 1, channel, headline: `INFO: ${summary}`, createdAt: now, pageUrl },
    {
      alertId: '00000000',
      rule: 'test',
      kind: 'monitor.test',
      severity: 'info',
      status: 'event',
      summary,
      subject: `channel ${channel}`,
      fields: [{ label: 'Sent by', value: sentBy, href: null }],
      facts: {},
      labels: { rule: 'test', severity: 'info', test: 'true' },
      runbook: null,
      since: now,
      lastedMs: null,
      remedy: null,
    },
  )
}
