import { type ChannelState, isVoiceless, listMute } from '../alerts/listMute.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { AlertStore } from '../alerts/store/alertStore.ts'

export interface VoiceDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Logger, 'error' | 'info'>
  readonly alerts: Pick<AlertStore, 'getChannel' | 'listDepths'>
  readonly channels: readonly { readonly name: string }[]
}

export interface Voice {
  isVoiceless(now: UnixMs): boolean
  /** Says it where no channel is needed: in the journal, when it changes. */
  note(): void
}

/** Whether anybody can be told anything. */
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
        deps.log.error({ channels: listMute(states, now) }, 'no channel takes messages: nobody can be told')
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
