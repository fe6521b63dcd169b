import type { UnixMs } from '../lib/clock.ts'
import type { AlertHead, AlertRow } from './store/alertRows.ts'
import type { HeldEvent } from './store/heldEvents.ts'
import { type EngineContext, expiryOf, note } from './engineContext.ts'
import { findJoined } from './findJoined.ts'
import { type ChannelHold, listEventChannels } from './mutes.ts'

type EventAlert = Pick<AlertHead, 'id' | 'rule' | 'subject' | 'severity' | 'labels' | 'episode'>

/** Keeps an event for a channel that may not hear of it now. */
export function holdEvent(
  context: EngineContext,
  alert: EventAlert,
  of: Pick<HeldEvent, 'channel' | 'what'> & { readonly hold: NonNullable<ChannelHold['hold']> },
  now: UnixMs,
): void {
  const { channel, what, hold } = of
  const { until, silenceId } = hold
  context.store.holdEvent({
    alertId: alert.id,
    episode: alert.episode,
    channel,
    what,
    heldAt: now,
    until,
    silenceId,
  })
  const reason = `${hold.reason}; listed to ${channel} when that ends`
  note(context, alert, { what: 'not told', reason }, now)
}

/** So many in one commit; the rest follows at the next look. */
const batch = 2_000

/** Lists what was silenced, once, in the channels whose silence or mute time is over. */
export function releaseHeldEvents(context: EngineContext, now: UnixMs): void {
  const { store } = context
  for (const held of store.listDueHeld(now, batch)) {
    const alert = store.getAlert(held.alertId)
    store.releaseHeld(held)
    if (!alert) continue
    const routed = listEventChannels(context, alert, now)
    const still = routed.find(({ channel }) => channel === held.channel)
    if (still?.hold) {
      const { until, silenceId } = still.hold
      store.holdEvent({ ...held, until: Math.max(until, now + 1), silenceId })
      continue
    }
    release(context, alert, held, routed.length === 0 || still ? [held.channel] : routed.map(channelOf), now)
  }
}

/** A channel that the routes no longer name may be gone: those that they name now hear of it instead. */
function release(
  context: EngineContext,
  alert: AlertRow,
  held: HeldEvent,
  channels: readonly string[],
  now: UnixMs,
): void {
  const heard = new Set(context.store.listItemsOf(alert.id).map((item) => item.channel))
  for (const channel of channels) {
    if (held.what === 'event' && channel !== held.channel && heard.has(channel)) continue
    context.store.queueItem({
      alertId: alert.id,
      channel,
      episode: held.episode,
      what: held.what === 'event' && findJoined(context, alert, channel) ? 'joined' : held.what,
      groupKey: null,
      isCritical: alert.severity === 'critical',
      createdAt: now,
      notBefore: now,
      expiresAt: expiryOf(alert.severity, now),
    })
    note(context, alert, { what: 'told', reason: `no longer muted, to ${channel}` }, now)
  }
}

function channelOf({ channel }: ChannelHold): string {
  return channel
}
