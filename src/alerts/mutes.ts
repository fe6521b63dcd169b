import type { UnixMs } from '../lib/clock.ts'
import { once } from '../lib/once.ts'
import type { AlertHead } from './store/alertRows.ts'
import type { SilenceRow } from './store/silenceRows.ts'
import { type EngineContext, parseLabels, routesFor } from './engineContext.ts'
import { createInhibitor } from './inhibition.ts'
import { isMetaKind } from './metaKinds.ts'
import { createMuteTimes } from '../lib/muteTimes.ts'
import type { Labels, Route } from './routing.ts'
import { createSilencer, type SilencedAlert } from './silences.ts'

/** Why something is not sent now. */
export interface Mute {
  readonly reason: string
  /** `muted`: by a silence or a mute time, which people set; what happens meanwhile is sent when it ends. */
  readonly by: 'inhibited' | 'muted'
}

/** Null when it may be sent. The route is null for a group that no route forms any more. */
export type MuteOf = (alert: MutedAlert, route: Route | null) => Mute | null

type MutedAlert = Pick<AlertHead, 'id' | 'kind' | 'rule' | 'severity' | 'labels' | 'transferKey' | 'state'>

/** One reason not to send a condition, made for one flush: it asks the ledger at its first question only. */
type Stage = (context: EngineContext, now: UnixMs) => MuteOf

/**
 * The reasons not to send a condition, in the order in which they are asked: the first that holds is named. Its end is
 * held back by people alone, by a silence or a mute time.
 */
const stages: readonly Stage[] = [
  silenced,
  inMuteTime,
  ofFiring(notEvaluatedYet),
  ofFiring(heldAtStart),
  ofFiring(heldAfterOutage),
  ofFiring(inhibited),
]

/** The reasons not to send conditions at `now`. */
export function createMute(context: EngineContext): MuteOf {
  const asked = stages.map((stage) => stage(context, context.now))
  return (alert, route) => {
    for (const ask of asked) {
      const mute = ask(alert, route)
      if (mute !== null) return mute
    }
    return null
  }
}

function silenced(context: EngineContext): MuteOf {
  const silencerOf = once(() => createSilencer(context.store.listSilencesAt(context.now), context))
  return (alert) => byPeople(sayMuted(silencerOf()(alert).silence))
}

function inMuteTime(context: EngineContext): MuteOf {
  return (alert, route) => byPeople(sayMuteTime(context, route, alert.severity))
}

function byPeople(reason: string | null): Mute | null {
  return reason === null ? null : { reason, by: 'muted' }
}

function ofFiring(stage: Stage): Stage {
  return (context, now) => {
    const ask = stage(context, now)
    return (alert, route) => (isFiring(alert) ? ask(alert, route) : null)
  }
}

/** What the last process left as firing is evaluated once more before anything is sent of it. */
function notEvaluatedYet({ hold, looked }: EngineContext): MuteOf {
  return (alert) =>
    hold.hasStarted && !looked.has(alert.rule) && !isMetaKind(alert.kind)
      ? { reason: 'not evaluated since the start', by: 'inhibited' }
      : null
}

function heldAtStart({ hold }: EngineContext, now: UnixMs): MuteOf {
  const isHeld = !hold.isReleased && now < hold.until
  return (alert) =>
    isHeld && alert.severity !== 'critical'
      ? { reason: 'held until sources and chains were judged once', by: 'inhibited' }
      : null
}

/** What waited for a source that was silent gets its turn at the pace when it is back. */
function heldAfterOutage({ kinds, outage }: EngineContext, now: UnixMs): MuteOf {
  const isJustBack = outage.lastAt !== null && now >= outage.lastAt && now - outage.lastAt < backMs
  return (alert) =>
    isJustBack && kinds.find(alert.kind)?.isHeldAfterOutage
      ? { reason: 'its source has just come back', by: 'inhibited' }
      : null
}

const backMs = 180_000

function inhibited({ inhibitions, store }: EngineContext): MuteOf {
  const inhibitorOf = once(() => createInhibitor(inhibitions, store.listFiringLabels().map(parseLabels)))
  // Alerts share label sets: each is judged once a flush.
  const judged = new Map<string, Labels | null>()
  return ({ labels }) => {
    if (!judged.has(labels)) judged.set(labels, inhibitorOf()(parseLabels(labels)))
    const source = judged.get(labels)
    if (!source) return null
    return { reason: `inhibited by ${source['rule'] ?? source['kind'] ?? 'another alert'}`, by: 'inhibited' }
  }
}

export function isFiring(alert: Pick<AlertHead, 'state'>): boolean {
  return alert.state === 'firing' || alert.state === 'recovering'
}

/** Whether it fired and has not ended: a raised `for` may have made it pending again. */
export function goesOn(alert: Pick<AlertHead, 'state' | 'firedAt'>): boolean {
  return isFiring(alert) || (alert.state === 'pending' && alert.firedAt !== null)
}

/** When a silence or a mute time begins or ends, every group is flushed: what was not sent is sent, or what still holds. */
export function noticeMutes(context: EngineContext): void {
  const inForce = [
    ...context.store.listSilencesAt(context.now).map(({ id }) => `#${id}`),
    ...context.routes.map((route) =>
      hasTimes(route) ? (muteTimesOf(context, route).find(context.now) ?? '-') : '',
    ),
  ].join(' ')
  if (inForce === context.mutesInForce.value) return
  context.mutesInForce.value = inForce
  context.store.touchQuietGroups(context.now)
}

function sayMuted(silence: SilenceRow | null): string | null {
  return silence && `silence #${silence.id} of ${silence.author}: ${silence.comment}`
}

function sayMuteTime(context: EngineContext, route: Route | null, severity: string): string | null {
  const name = route && findMuteTime(context, route, severity)
  return name === null ? null : `${name} of its route`
}

function findMuteTime(context: EngineContext, route: Route, severity: string): string | null {
  if (!hasTimes(route) || (severity === 'critical' && route.muteCritical !== true)) return null
  return muteTimesOf(context, route).find(context.now)
}

function hasTimes({ mutes, active }: Route): boolean {
  return (mutes?.length ?? 0) + (active?.length ?? 0) > 0
}

function muteTimesOf({ muteTimes }: EngineContext, route: Route) {
  let times = muteTimes.get(route.id)
  if (!times) muteTimes.set(route.id, (times = createMuteTimes(route)))
  return times
}

/** Whether an event may be sent to a channel, and until when it may not. */
export interface ChannelHold {
  readonly route: Route
  readonly channel: string
  readonly hold: { readonly reason: string; readonly until: UnixMs; readonly silenceId: number | null } | null
}

/** Each channel of an event once; a channel that one route mutes and another does not gets it. */
export function listEventChannels(context: EngineContext, alert: SilencedAlert): ChannelHold[] {
  const { silence } = createSilencer(context.store.listSilencesAt(context.now), context)(alert)
  const found = new Map<string, ChannelHold>()
  for (const route of routesFor(context, alert)) {
    const hold = silence
      ? { reason: sayMuted(silence) ?? '', until: silence.endsAt, silenceId: silence.id }
      : holdByTime(context, route, alert.severity)
    for (const channel of route.channels) {
      const known = found.get(channel)
      if (!known || (known.hold !== null && hold === null)) found.set(channel, { route, channel, hold })
    }
  }
  return [...found.values()]
}

/** The channels to which nothing of an alert may be said now, each with whether people want it so. */
export function listQuietChannels(
  context: EngineContext,
  alert: MutedAlert & Pick<AlertHead, 'nature'>,
): ReadonlyMap<string, Mute['by']> {
  if (alert.nature === 'event')
    return new Map(
      listEventChannels(context, alert).flatMap(({ channel, hold }) =>
        hold ? [[channel, 'muted'] as const] : [],
      ),
    )
  const mute = createMute(context)
  const asked = routesFor(context, alert).map((route) => ({ route, by: mute(alert, route)?.by ?? null }))
  const spoken = new Set(asked.flatMap(({ route, by }) => (by === null ? route.channels : [])))
  return new Map(
    asked.flatMap(({ route, by }) =>
      route.channels.flatMap((channel) =>
        by === null || spoken.has(channel) ? [] : [[channel, by] as const],
      ),
    ),
  )
}

/** Whether a route may tell of an alert now, or any of its routes: no silence holds it, and no mute time of the route. */
type Speaking = (alert: SilencedAlert, route?: Route) => boolean

export function createSpeaking(context: EngineContext): Speaking {
  const silencer = createSilencer(context.store.listSilencesAt(context.now), context)
  return (alert, route) => {
    const routes = routesFor(context, alert).filter(({ id }) => route === undefined || route.id === id)
    return (
      silencer(alert).silence === null &&
      routes.some((one) => holdByTime(context, one, alert.severity) === null)
    )
  }
}

function holdByTime(context: EngineContext, route: Route, severity: string): ChannelHold['hold'] {
  const reason = sayMuteTime(context, route, severity)
  if (reason === null) return null
  return { reason, until: muteTimesOf(context, route).endOf(context.now), silenceId: null }
}
