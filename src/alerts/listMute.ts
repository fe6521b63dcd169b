import type { UnixMs } from '../lib/clock.ts'

/** How a channel is doing. */
export interface ChannelState {
  readonly channel: string
  readonly circuit: 'closed' | 'open'
  /** Of what waits to be sent; null when nothing does. */
  readonly oldestAt: UnixMs | null
  readonly lastAckAt: UnixMs | null
  readonly lastErrorAt: UnixMs | null
}

/** A message that waited for longer, behind a channel that only ever fails, reaches nobody. */
const patienceMs = 5 * 60_000

/** The channels that take no messages: they refuse us, or what waits for them has failed for minutes. */
export function listMute(channels: readonly ChannelState[], now: UnixMs): string[] {
  return channels.filter((state) => isMute(state, now)).map(({ channel }) => channel)
}

/** Whether nobody can be told anything: an alert of it would reach nobody either. */
export function isVoiceless(channels: readonly ChannelState[], now: UnixMs): boolean {
  return channels.length > 0 && listMute(channels, now).length === channels.length
}

function isMute({ circuit, oldestAt, lastAckAt, lastErrorAt }: ChannelState, now: UnixMs): boolean {
  if (circuit === 'open') return true
  const isFailing = lastErrorAt !== null && lastErrorAt > (lastAckAt ?? -Infinity)
  return isFailing && oldestAt !== null && now - oldestAt > patienceMs
}
