import type { Channel, DeliveryOptions, DeliveryResult, Message, MessageItem } from './channels/message.ts'

/** Whether a message leaves: as it is, with why it may come twice, or not at all. */
export type Leave =
  | { readonly may: true; readonly mark: string | null }
  | { readonly may: false; readonly reason: string }

/** What decides when a message may leave, where others could send the same one. */
export interface LeavingGate {
  mayLeave(of: { readonly isCritical: boolean }): Promise<Leave>
}

/** A channel whose messages leave when they may, and say so where they may come twice. */
export function gateChannel(channel: Channel, gate: LeavingGate): Channel {
  const leave = async (
    isCritical: boolean,
    { signal }: Pick<DeliveryOptions, 'signal'>,
    send: (mark: string | null) => Promise<DeliveryResult>,
  ): Promise<DeliveryResult> => {
    const leaves = await gate.mayLeave({ isCritical })
    if (signal.aborted) return { result: 'transient', reason: 'interrupted by the stop' }
    return leaves.may ? await send(leaves.mark) : { result: 'transient', reason: leaves.reason }
  }
  const deliverReport = channel.deliverReport?.bind(channel)
  const { refresh } = channel
  return {
    ...channel,
    deliver: (message, options) =>
      leave(message.severity === 'critical', options, (mark) =>
        channel.deliver(mark === null ? message : markMessage(message, mark), options),
      ),
    // What stands here another node may have ended: told again after that, it would stand for a day.
    ...(refresh && {
      refresh: { ...refresh, mayTell: async () => (await gate.mayLeave({ isCritical: false })).may },
    }),
    ...(deliverReport && {
      deliverReport: (report, options) =>
        leave(false, options, (mark) =>
          deliverReport(
            mark === null ? report : { ...report, subject: `${report.subject} (may come twice)` },
            options,
          ),
        ),
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
