import type { Channel } from '../../delivery/channels/message.ts'
import { toTestMessage } from '../../delivery/channels/toTestMessage.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { nextDueIn } from '../../lib/nextDueIn.ts'
import { readMetaNumber, saveMeta } from '../../store/meta.ts'

/** A real message a day down each channel: the only proof that a channel which has had nothing to say still works. */
export interface Canary extends Pick<Kernel, 'channels' | 'clock' | 'db' | 'log' | 'noteAnswer'> {
  readonly schedule: { readonly cron: string; readonly timezone: string }
  readonly pageUrl: string | null
}

/** When the newest one went out, kept over restarts. */
const lastName = 'canary_at'

/** Sends them when they are due. Due times are compared, not rung for: neither a restart nor a clock that is set ahead sends two. */
export async function pollCanary(canary: Canary, signal: AbortSignal): Promise<void> {
  const { channels, clock, db, schedule } = canary
  const now = clock.now()
  const noted = readMetaNumber(db, lastName)
  // One to come was noted by a clock that was ahead: until then no channel would be tried.
  const last = noted !== null && noted <= now ? noted : null
  if (last !== null && nextDueIn(schedule, last) > now) return
  db.transaction(() => saveMeta(db, lastName, String(now)))
  // Nothing at a first start: that is no proof of a day.
  if (last !== null) await Promise.all(channels.map((channel) => send(canary, channel, signal)))
}

async function send(canary: Canary, channel: Channel, signal: AbortSignal): Promise<void> {
  const { clock, log, pageUrl } = canary
  const message = toTestMessage({
    channel: channel.name,
    now: clock.now(),
    pageUrl,
    sentBy: 'the daily canary',
  })
  const answer = await channel.deliver(message, { signal, degraded: false, recipients: null })
  if (signal.aborted) return
  canary.noteAnswer(channel.name, answer, clock.now())
  const facts = { channel: channel.name, result: answer.result }
  if (answer.result === 'ack') log.info(facts, 'canary delivered')
  else log.warn(facts, 'canary not delivered')
}
