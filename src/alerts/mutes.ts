import type { UnixMs } from '../lib/clock.ts'
import type { AlertHead } from './store/alertRows.ts'
import type { SilenceRow } from './store/silenceRows.ts'
import { type EngineContext, parseLabels, routesFor } from './engineContext.ts'
import { createInhibitor } from './inhibition.ts'
import { isMetaKind } from './metaKinds.ts'
import { createMuteTimes } from './muteTimes.ts'
import type { Labels, Route } from './routing.ts'
import { createSilencer } from './silences.ts'

/** Why something is not said now. */
export interface Mute {
  readonly reason: string
  /** `muted`: by a silence or a mute time, which people set; what happens meanwhile is told when it ends. */
  readonly by: 'inhibited' | 'muted'
}

/** Null when it may be said. The route is null for a group that no route forms any more. */
export type MuteOf = (alert: AlertHead, route: Route | null) => Mute | null

/** What keeps conditions quiet at `now`. Cheap to make; asks the ledger at the first question only. */
export function createMute(context: EngineContext, now: UnixMs): MuteOf {
  const isHeld = !context.hold.isReleased && now < context.hold.until
  const inhibitorOf = once(() =>
    createInhibitor(context.inhibitions, context.store.listFiringLabels().map(parseLabels)),
  )
  const silenceOf = createSilenceOf(context, now)
  // Alerts share label sets: each is judged once a flush.
  const judged = new Map<string, Labels | null>()
  return (alert, route) => {
    const muted = sayMuted(silenceOf(alert.labels)) ?? sayMuteTime(context, route, alert.severity, now)
    if (muted !== null) return { reason: muted, by: 'muted' }
    if (!isFiring(alert)) return null
    if (isUnseen(context, alert)) return { reason: 'not evaluated since the start', by: 'inhibited' }
    if (isHeld && alert.severity !== 'critical')
      return { reason: 'held until sources and chains were judged once', by: 'inhibited' }
    if (context.kinds.find(alert.kind)?.isHeldAfterOutage && isJustBack(context, now))
      return { reason: 'its source has just come back', by: 'inhibited' }
    if (!judged.has(alert.labels)) judged.set(alert.labels, inhibitorOf()(parseLabels(alert.labels)))
    const source = judged.get(alert.labels)
    if (!source) return null
    return { reason: `inhibited by ${source['rule'] ?? source['kind'] ?? 'another alert'}`, by: 'inhibited' }
  }
}

/** What waited for a source that was silent gets its turn at the pace when it is back. */
const backMs = 180_000

function isJustBack({ outage }: EngineContext, now: UnixMs): boolean {
  return outage.lastAt !== null && now >= outage.lastAt && now - outage.lastAt < backMs
}

export function isFiring(alert: Pick<AlertHead, 'state'>): boolean {
  return alert.state === 'firing' || alert.state === 'recovering'
}

/** What the last process left as firing is looked at once more before anything is said of it. */
function isUnseen({ hold, looked }: EngineContext, alert: AlertHead): boolean {
  return hold.hasStarted && !looked.has(alert.rule) && !isMetaKind(alert.kind)
}

/** When a silence or a mute time begins or ends, every group is looked at: what was not said is said, or what still holds. */
export function noticeMutes(context: EngineContext, now: UnixMs): void {
  const inForce = [
    ...context.store.listSilencesAt(now).map(({ id }) => `#${id}`),
    ...context.routes.map((route) =>
      route.mutes?.length ? (muteTimesOf(context, route).find(now) ?? '-') : '',
    ),
  ].join(' ')
  if (inForce === context.mutesInForce.value) return
  context.mutesInForce.value = inForce
  context.store.touchQuietGroups(now)
}

/** The silence that holds for labels at `now`, as written by canonicalJson. */
function createSilenceOf(
  { store }: Pick<EngineContext, 'store'>,
  now: UnixMs,
): (labels: string) => SilenceRow | null {
  const silencerOf = once(() => createSilencer(store.listSilencesAt(now)))
  const judged = new Map<string, SilenceRow | null>()
  return (labels) => {
    const known = judged.get(labels)
    if (known !== undefined) return known
    const silence = silencerOf()(parseLabels(labels))
    judged.set(labels, silence)
    return silence
  }
}

function sayMuted(silence: SilenceRow | null): string | null {
  return silence && `silence #${silence.id} of ${silence.author}: ${silence.comment}`
}

function sayMuteTime(
  context: EngineContext,
  route: Route | null,
  severity: string,
  now: UnixMs,
): string | null {
  const name = route && findMuteTime(context, route, severity, now)
  return name === null ? null : `mute time ${name} of its route`
}

function findMuteTime(context: EngineContext, route: Route, severity: string, now: UnixMs): string | null {
  if (!route.mutes?.length || (severity === 'critical' && route.muteCritical !== true)) return null
  return muteTimesOf(context, route).find(now)
}

function muteTimesOf({ muteTimes }: EngineContext, route: Route) {
  let times = muteTimes.get(route.id)
  if (!times) muteTimes.set(route.id, (times = createMuteTimes(route.mutes ?? [])))
  return times
}

/** Whether an event may be told to a channel, and until when it may not. */
export interface ChannelHold {
  readonly route: Route
  readonly channel: string
  readonly hold: { readonly reason: string; readonly until: UnixMs; readonly silenceId: number | null } | null
}

/** Each channel of an event once; a channel that one route keeps quiet and another does not is told. */
export function listEventChannels(
  context: EngineContext,
  alert: Pick<AlertHead, 'labels' | 'severity'>,
  now: UnixMs,
): ChannelHold[] {
  const silence = createSilenceOf(context, now)(alert.labels)
  const found = new Map<string, ChannelHold>()
  for (const route of routesFor(context, alert.labels)) {
    const hold = silence
      ? { reason: sayMuted(silence) ?? '', until: silence.endsAt, silenceId: silence.id }
      : holdByTime(context, route, alert.severity, now)
    for (const channel of route.channels) {
      const known = found.get(channel)
      if (!known || (known.hold !== null && hold === null)) found.set(channel, { route, channel, hold })
    }
  }
  return [...found.values()]
}

function holdByTime(
  context: EngineContext,
  route: Route,
  severity: string,
  now: UnixMs,
): ChannelHold['hold'] {
  const reason = sayMuteTime(context, route, severity, now)
  if (reason === null) return null
  return { reason, until: muteTimesOf(context, route).endOf(now), silenceId: null }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => (made ??= { value: make() }).value
}
