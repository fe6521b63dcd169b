import type { Message, MessageItem } from './message.ts'

/** A message about ourselves: it says one thing, which no case is about. */
export function toOwnMessage(
  of: Pick<Message, 'id' | 'attempt' | 'channel' | 'headline' | 'createdAt' | 'pageUrl'>,
  item: Omit<MessageItem, 'at' | 'joined'>,
): Message {
  return {
    ...of,
    severity: item.severity,
    items: [{ ...item, at: of.createdAt, joined: [] }],
    rest: [],
    case: null,
    changes: [],
    total: 1,
  }
}
