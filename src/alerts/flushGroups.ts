import type { UnixMs } from '../lib/clock.ts'
import type { AlertHead } from '../store/alertRows.ts'
import type { GroupRow } from '../store/alertGroups.ts'
import type { OutboxItem, OutboxWhat } from '../store/outboxItems.ts'
import { decideNotify, type GroupAlert, type NotifyDecision, type Told } from './decideNotify.ts'
import { type EngineContext, expiryOf, note, parseLabels, routesFor } from './engineContext.ts'
import { createInhibitor } from './inhibition.ts'
import { isMetaKind } from './metaRules.ts'
import { groupKeyOf, type Labels, type Route } from './routing.ts'

/** How soon a muted alert is looked at again. */
const recheckMs = 5_000
const heldRecheckMs = 500
/** Written group waits beyond this are cut when the wall clock goes back. */
const longestWaitMs = 3_600_000

/** Why something new is not said now; null when it may be. */
type Mute = (alert: AlertHead) => string | null

/** Turns what changed in due groups into outbox items. Returns when the next group is due. */
export function flushGroups(context: EngineContext, now: UnixMs): UnixMs | null {
  const { store } = context
  store.clampGroups(now, longestWaitMs)
  const due = store.listDueGroups(now)
  if (due.length > 0) {
    const mute = createMute(context, now)
    for (const group of due) flushGroup(context, { group, mute }, now)
    store.deleteIdleGroups(now)
  }
  return store.nextGroupDue()
}

function createMute(context: EngineContext, now: UnixMs): Mute {
  const isHeld = !context.hold.isReleased && now < context.hold.until
  const inhibitorOf = once(() =>
    createInhibitor(context.inhibitions, context.store.listFiringLabels().map(parseLabels)),
  )
  // Alerts share label sets: each is judged once a flush.
  const judged = new Map<string, Labels | null>()
  return (alert) => {
    if (isUnseen(context, alert)) return 'not evaluated since the start'
    if (isHeld && alert.severity !== 'critical') return 'held until sources and chains were judged once'
    if (!judged.has(alert.labels)) judged.set(alert.labels, inhibitorOf()(parseLabels(alert.labels)))
    const source = judged.get(alert.labels)
    return source ? `inhibited by ${source['rule'] ?? source['kind'] ?? 'another alert'}` : null
  }
}

/** What the last process left as firing is looked at once more before anything is said of it. */
function isUnseen({ hold, looked }: EngineContext, alert: AlertHead): boolean {
  return hold.hasStarted && !looked.has(alert.rule) && !isMetaKind(alert.kind)
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => (made ??= { value: make() }).value
}

function flushGroup(
  context: EngineContext,
  { group, mute }: { group: GroupRow; mute: Mute },
  now: UnixMs,
): void {
  const members = context.store.listMembers(group.key)
  const toldItems = context.store.listToldOfGroup(group.key)
  const channels = new Map(context.store.listGroupChannels(group.key).map((entry) => [entry.channel, entry]))
  const route = routeOf(context, group, members)
  const muted = new Map(members.map((member) => [member.id, isFiring(member) ? mute(member) : null]))
  const alerts = members.map(
    (member): GroupAlert => ({
      id: member.id,
      episode: member.episode,
      isFiring: isFiring(member),
      isMuted: muted.get(member.id) !== null,
      isAcked: member.ackedAt !== null,
    }),
  )
  const toldChannels = toldItems.map((item) => item.channel)
  let hasSpoken = false
  for (const channel of new Set([...(route?.channels ?? []), ...toldChannels])) {
    const told = readTold(toldItems.filter((item) => item.channel === channel))
    const repeatAt = channels.get(channel)?.repeatAt ?? null
    const isRouted = route?.channels.includes(channel) ?? false
    const decision = decideNotify({ alerts, told, repeatAt, isRouted }, now)
    queueDecision(context, { group, channel, members, toldItems, decision }, now)
    hasSpoken ||= decision.reason !== 'nothing'
    if (decision.reason === 'nothing' && repeatAt !== null && repeatAt <= now) {
      postpone(context, { group, channel, isOpen: alerts.some((alert) => alert.isFiring) }, now)
    }
  }
  noteMutes(context, { members, muted, toldItems }, now)
  const isWaiting = [...muted.values()].some((reason) => reason !== null)
  finish(context, { group, members, isWaiting, hasSpoken }, now)
}

function isFiring(alert: AlertHead): boolean {
  return alert.state === 'firing' || alert.state === 'recovering'
}

/** The route that formed the group, as it is configured now; null once no route does. */
function routeOf(context: EngineContext, group: GroupRow, members: readonly AlertHead[]): Route | null {
  for (const member of members) {
    const labels = parseLabels(member.labels)
    const route = routesFor(context, member.labels).find(
      (candidate) => groupKeyOf(candidate, labels) === group.key,
    )
    if (route) return route
  }
  return null
}

/** By alert, the newest that one channel was told or will be. What it could not be told, it does not know. */
function readTold(items: readonly OutboxItem[]): Map<number, Told> {
  const told = new Map<number, Told>()
  for (const item of items) {
    if (item.state === 'dead' && item.what === 'firing') continue
    told.set(item.alertId, { episode: item.episode, isResolved: item.what !== 'firing' })
  }
  return told
}

interface Decided {
  readonly group: GroupRow
  readonly channel: string
  readonly members: readonly AlertHead[]
  readonly toldItems: readonly OutboxItem[]
  readonly decision: NotifyDecision
}

function queueDecision(context: EngineContext, decided: Decided, now: UnixMs): void {
  const { decision, channel } = decided
  if (decision.reason === 'nothing') return
  const members = new Map(decided.members.map((member) => [member.id, member]))
  const queue = (ids: readonly number[], what: OutboxWhat) => {
    for (const id of ids) {
      const alert = members.get(id)
      if (!alert) continue
      if (what === 'repeat') context.store.deleteRepeats(id, channel)
      queueItem(context, { ...decided, alert, what }, now)
      note(context, alert, { what: `told ${what}`, reason: `${decision.reason}, to ${channel}` }, now)
    }
  }
  queue(decision.fire, 'firing')
  queue(decision.resolve, 'resolved')
  queue(decision.repeat, 'repeat')
  // The next reminder counts from the acknowledgement of this message.
  context.store.deleteGroupChannel(decided.group.key, channel)
}

function queueItem(
  context: EngineContext,
  { group, channel, toldItems, alert, what }: Decided & { alert: AlertHead; what: OutboxWhat },
  now: UnixMs,
): void {
  const open = toldItems.findLast((item) => item.alertId === alert.id && item.channel === channel)
  if (what === 'resolved') context.store.deleteUnsentRepeats(alert.id, channel)
  if (what === 'resolved' && open?.state === 'queued' && open.deliveryId === null && open.what === 'firing') {
    return context.store.setItemWhat(open.id, 'both')
  }
  context.store.queueItem({
    alertId: alert.id,
    channel,
    episode: what === 'resolved' ? (open?.episode ?? alert.episode) : alert.episode,
    what,
    groupKey: group.key,
    isCritical: alert.severity === 'critical',
    createdAt: now,
    notBefore: now,
    expiresAt: expiryOf(alert.severity, now),
  })
}

/** A reminder that was due and had nothing to say. */
function postpone(
  context: EngineContext,
  of: { group: GroupRow; channel: string; isOpen: boolean },
  now: UnixMs,
): void {
  if (!of.isOpen) return context.store.deleteGroupChannel(of.group.key, of.channel)
  const repeatAt = now + Math.max(of.group.intervalMs, recheckMs)
  context.store.saveGroupChannel(of.group.key, { channel: of.channel, ackedAt: now, repeatAt })
}

function noteMutes(
  context: EngineContext,
  of: {
    members: readonly AlertHead[]
    muted: ReadonlyMap<number, string | null>
    toldItems: readonly OutboxItem[]
  },
  now: UnixMs,
): void {
  const told = new Set(of.toldItems.map((item) => item.alertId))
  for (const member of of.members) {
    const reason =
      of.muted.get(member.id) ?? (isFiring(member) || told.has(member.id) ? null : 'over before it was told')
    const key = `${member.id} ${member.episode} ${reason}`
    if (reason === null || context.mutedNoted.has(key)) continue
    if (context.mutedNoted.size >= 10_000) context.mutedNoted.clear()
    context.mutedNoted.add(key)
    note(context, member, { what: 'not told', reason }, now)
  }
}

function finish(
  context: EngineContext,
  of: { group: GroupRow; members: readonly AlertHead[]; isWaiting: boolean; hasSpoken: boolean },
  now: UnixMs,
): void {
  const { group, members, isWaiting } = of
  // After this flush every channel that heard of them is told the end.
  for (const member of members) if (!isFiring(member)) context.store.removeMember(group.key, member.id)
  const flushAt = isWaiting ? recheckAt(context, now) : now + group.intervalMs
  // A look that said nothing must not delay what follows.
  const flushedAt = of.hasSpoken ? now : (group.flushedAt ?? (isWaiting ? null : now))
  context.store.saveGroup({ ...group, isDirty: isWaiting, flushAt, flushedAt })
}

/** The start hold may end at any moment, an outage takes longer. */
function recheckAt({ hold }: EngineContext, now: UnixMs): UnixMs {
  return !hold.isReleased && now < hold.until ? Math.min(now + heldRecheckMs, hold.until) : now + recheckMs
}
