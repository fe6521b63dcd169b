import { putNewest } from '../../../lib/putNewest.ts'
import { createTurns, type Turns } from '../../../lib/turns.ts'

/** Where a case is told: a channel, and the time stamp of its first message there. */
export interface Thread {
  readonly channel: string
  readonly ts: string
  /** Its first message is text alone: an edit would take the text away. */
  readonly isPlain: boolean
}

export interface Threads extends Turns {
  /** The thread of a case: made by this process, or given back by the outbox; null while there is none. */
  find(caseId: string, ref: string | null | undefined): Thread | null
  remember(caseId: string, thread: Thread): void
  /** It cannot be replied to: the case gets another one. */
  forget(caseId: string, thread: Thread): void
}

/** Threads of cases that were told long ago come back with the outbox. */
const mostKnown = 1_000

const channelId = /^[A-Z][A-Z0-9]{6,20}$/
const timeStamp = /^\d{1,12}\.\d{1,9}$/

/** The threads of one channel; what is done alone of a case makes no second thread. `channel` as it is configured: a name, or an id. */
export function createThreads(channel: string): Threads {
  const known = new Map<string, Thread>()
  const lost = new Set<string>()
  return {
    ...createTurns(),
    find(caseId, ref) {
      const own = known.get(caseId)
      if (own) return own
      const given = typeof ref === 'string' ? parseThread(ref, channel) : null
      return given && !lost.has(nameOf(given)) ? given : null
    },
    remember: (caseId, thread) => putNewest(known, caseId, thread, mostKnown),
    forget(caseId, thread) {
      lost.add(nameOf(thread))
      known.delete(caseId)
    },
  }
}

function nameOf({ channel, ts }: Thread): string {
  return `${channel} ${ts}`
}

/** @example formatThread({ channel: 'C012AB3CD', ts: '1700000000.000100', isPlain: false }, 'ops') // 'C012AB3CD 1700000000.000100 ops' */
export function formatThread({ channel, ts, isPlain }: Thread, configured: string): string {
  return [channel, ts, configured, ...(isPlain ? ['plain'] : [])].join(' ')
}

/** null where it is unreadable, or in another channel than the one that is configured now. */
function parseThread(ref: string, configured: string): Thread | null {
  const [channel = '', ts = '', name = '', form] = ref.split(' ')
  if (!channelId.test(channel) || !timeStamp.test(ts)) return null
  if (configured !== name && configured !== channel) return null
  return { channel, ts, isPlain: form === 'plain' }
}

/** Whether a channel is configured by its id, which the methods that read messages ask for. */
export function isChannelId(channel: string): boolean {
  return channelId.test(channel)
}

export function isTimeStamp(text: unknown): text is string {
  return typeof text === 'string' && timeStamp.test(text)
}
