import { putNewest } from '../../lib/putNewest.ts'
import { createTurns } from '../../lib/turns.ts'
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
  const turns = createTurns()
  async function send(id: string, options: Pick<DeliveryOptions, 'thread'>, deliver: Send) {
    const result = await deliver(newest.get(id) ?? options.thread ?? null)
    if (!('thread' in result) || result.thread === undefined) return result
    putNewest(newest, id, result.thread, kept)
    return result
  }
  return {
    inThread: (
      { case: of }: Pick<Message, 'case'>,
      options: Pick<DeliveryOptions, 'thread'>,
      deliver: Send,
    ): Promise<DeliveryResult> =>
      of === null ? deliver(null) : turns.alone(of.id, () => send(of.id, options, deliver)),
    /** The newest of a case, when the ledger knows the one that is given; null while a message of it is under way. */
    newestOf: (id: string, given: string): string | null =>
      turns.isBusy(id) ? null : (newest.get(id) ?? given),
  }
}
