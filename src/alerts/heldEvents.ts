import type { AlertHead, AlertRow } from './store/alertRows.ts'
import type { HeldEvent } from './store/heldEvents.ts'
import { isUrgent } from './caseOf.ts'
import { noteKnown } from './caseWindows.ts'
import { type EngineContext, expiryOf, note } from './engineContext.ts'
import { findJoined } from './findJoined.ts'
import { type ChannelHold, listEventChannels } from './mutes.ts'
import { isByCase, type Route } from './routing.ts'

type EventAlert = Pick<AlertHead, 'id' | 'rule' | 'subject' | 'severity' | 'labels' | 'episode'>

/** Holds an event for a channel that it may not be sent to now. */
export function holdEvent(
  context: EngineContext,
  alert: EventAlert,
  of: Pick<HeldEvent, 'channel' | 'what'> & { readonly hold: NonNullable<ChannelHold['hold']> },
): void {
  const { channel, what, hold } = of
  const { until, silenceId } = hold
  context.store.holdEvent({
    alertId: alert.id,
    episode: alert.episode,
    channel,
    what,
    heldAt: context.now,
    until,
    silenceId,
  })
  const reason = `${hold.reason}; listed to ${channel} when that ends`
  note(context, alert, { what: 'not told', reason }, context.now)
}

/** How many in one commit; the rest follows at the next flush. */
const batch = 2_000

/** Lists what was silenced, once, in the channels whose silence or mute time is over. */
export function releaseHeldEvents(context: EngineContext): void {
  const { store } = context
  for (const held of store.listDueHeld(context.now, batch)) {
    const alert = store.getAlert(held.alertId)
    store.releaseHeld(held)
    if (!alert) continue
    const routed = listEventChannels(context, alert)
    const still = routed.find(({ channel }) => channel === held.channel)
    if (still?.hold) {
      const { until, silenceId } = still.hold
      store.holdEvent({ ...held, until: Math.max(until, context.now + 1), silenceId })
      continue
    }
    const unrouted = { channel: held.channel, route: null }
    release(context, alert, held, still ? [still] : routed.length === 0 ? [unrouted] : routed)
  }
}

/** A channel that the routes no longer name may be gone: those that they name now get it instead, each once. */
function release(
  context: EngineContext,
  alert: AlertRow,
  held: HeldEvent,
  channels: readonly { readonly channel: string; readonly route: Route | null }[],
): void {
  const heard = new Set(
    context.store
      .listItemsOf(alert.id)
      .flatMap((item) => (item.episode === held.episode && item.state !== 'dead' ? [item.channel] : [])),
  )
  for (const { channel, route } of channels) {
    if (held.what === 'event' && heard.has(channel)) continue
    const caseId = route === null || isByCase(route) ? context.store.findCaseOf(alert.id) : null
    if (caseId !== null) noteKnown(context, caseId, { channel, kind: alert.kind })
    context.store.queueItem({
      alertId: alert.id,
      channel,
      episode: held.episode,
      what: held.what === 'event' && findJoined(context, alert, channel) ? 'joined' : held.what,
      groupKey: null,
      isCritical: isUrgent(context, alert, caseId),
      createdAt: context.now,
      notBefore: context.now,
      expiresAt: expiryOf(alert.severity, context.now),
      caseId,
      change: null,
    })
    note(context, alert, { what: 'told', reason: `no longer held, to ${channel}` }, context.now)
  }
}
