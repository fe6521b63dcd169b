import type { Channel, Message, MessageItem } from './channels/message.ts'

/** What decides whether a message may leave now, where others could send the same one. */
export interface LeavingGate {
  /** Returns when it may: null, or why it may come twice. */
  mayLeave(of: { readonly isCritical: boolean }): Promise<string | null>
}

/** A channel whose messages leave when they may, and say so where they may come twice. */
export function gateChannel(channel: Channel, { mayLeave }: LeavingGate): Channel {
  const { deliver, deliverReport } = channel
  return {
    ...channel,
    async deliver(message, options) {
      const mark = await mayLeave({ isCritical: message.severity === 'critical' })
      return await deliver(mark === null ? message : markMessage(message, mark), options)
    },
    ...(deliverReport && {
      async deliverReport(report, options) {
        const mark = await mayLeave({ isCritical: false })
        const marked = mark === null ? report : { ...report, subject: `${report.subject} (may come twice)` }
        return await deliverReport(marked, options)
      },
    }),
  }
}

function markMessage(message: Message, mark: string): Message {
  return {
    ...message,
    headline: `${message.headline} (may come twice)`,
    items: message.items.map((item) => markItem(item, mark)),
    rest: message.rest.map((item) => markItem(item, mark)),
  }
}

function markItem(item: MessageItem, value: string): MessageItem {
  return {
    ...item,
    fields: [{ label: 'Perhaps a repeat', value, href: null, place: 'fact' }, ...item.fields],
  }
}
