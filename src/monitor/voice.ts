import type { AlertStore } from '../alerts/store/alertStore.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'

export interface VoiceDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Logger, 'error' | 'info'>
  readonly alerts: Pick<AlertStore, 'getChannel' | 'listDepths'>
  readonly channels: readonly { readonly name: string }[]
}

export interface Voice {
  isVoiceless(now: UnixMs): boolean
  /** Logs it when it changes: the log needs no channel. */
  note(): void
}

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
const patienceMs = 2 * 60_000

/** Whether any channel takes messages. */
export function createVoice(deps: VoiceDeps): Voice {
  let wasVoiceless = false
  const isGone = (now: number) => isVoiceless(readChannelStates(deps), now)
  return {
    isVoiceless: isGone,
    note() {
      const now = deps.clock.now()
      const states = readChannelStates(deps)
      const isNow = isVoiceless(states, now)
      if (isNow && !wasVoiceless)
        deps.log.error({ channels: listMute(states, now) }, 'no channel takes messages: nothing can be sent')
      if (!isNow && wasVoiceless) deps.log.info('a channel takes messages again')
      wasVoiceless = isNow
    },
  }
}

function readChannelStates({ alerts, channels }: Pick<VoiceDeps, 'alerts' | 'channels'>): ChannelState[] {
  const oldest = new Map(alerts.listDepths().map(({ channel, oldestAt }) => [channel, oldestAt]))
  return channels.map(({ name }) => {
    const { circuit, lastAckAt, lastErrorAt } = alerts.getChannel(name)
    return { channel: name, circuit, lastAckAt, lastErrorAt, oldestAt: oldest.get(name) ?? null }
  })
}

/** The channels that take no messages: they refuse us, or what waits for them has failed for minutes. */
export function listMute(channels: readonly ChannelState[], now: UnixMs): string[] {
  return channels.filter((state) => isMute(state, now)).map(({ channel }) => channel)
}

/** Whether no channel takes messages: an alert of it would reach nobody either. */
export function isVoiceless(channels: readonly ChannelState[], now: UnixMs): boolean {
  return channels.length > 0 && listMute(channels, now).length === channels.length
}

function isMute(state: ChannelState, now: UnixMs): boolean {
  const { circuit, oldestAt } = state
  if (circuit === 'open') return true
  return isFailing(state) && oldestAt !== null && now - oldestAt > patienceMs
}

/** Whether a channel failed and has taken nothing since. */
export function isFailing({
  lastErrorAt,
  lastAckAt,
}: Pick<ChannelState, 'lastErrorAt' | 'lastAckAt'>): boolean {
  return lastErrorAt !== null && lastErrorAt > (lastAckAt ?? -Infinity)
}
