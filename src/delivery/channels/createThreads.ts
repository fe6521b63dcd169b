import type { DeliveryOptions, DeliveryResult, Message } from './message.ts'

/** Threads that were made a while ago stand in the ledger. */
const kept = 1_000

type Send = (thread: string | null) => Promise<DeliveryResult>

/**
 * The threads that a channel makes. What is critical and what is not may be sent at the same time, also of one case: of
 * each case one message goes after the other, so that the second one knows the thread of the first.
 */
export function createThreads() {
  const newest = new Map<string, string>()
  const last = new Map<string, Promise<unknown>>()
  async function send(id: string, options: Pick<DeliveryOptions, 'thread'>, deliver: Send) {
    const result = await deliver(newest.get(id) ?? options.thread ?? null)
    if (!('thread' in result) || result.thread === undefined) return result
    newest.delete(id)
    newest.set(id, result.thread)
    const [oldest] = newest.keys()
    if (newest.size > kept && oldest !== undefined) newest.delete(oldest)
    return result
  }
  async function inThread(
    message: Pick<Message, 'case'>,
    options: Pick<DeliveryOptions, 'thread'>,
    deliver: Send,
  ): Promise<DeliveryResult> {
    const of = message.case
    if (of === null) return deliver(null)
    const sending = (last.get(of.id) ?? Promise.resolve()).then(() => send(of.id, options, deliver))
    const done = sending.catch(() => undefined)
    last.set(of.id, done)
    try {
      return await sending
    } finally {
      if (last.get(of.id) === done) last.delete(of.id)
    }
  }
  return {
    inThread,
    /** The newest of a case, when the ledger knows the one that is given; null while a message of it is under way. */
    newestOf: (id: string, given: string): string | null => (last.has(id) ? null : (newest.get(id) ?? given)),
  }
}
