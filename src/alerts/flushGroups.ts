import type { UnixMs } from '../lib/clock.ts'
import type { AlertHead } from './store/alertRows.ts'
import type { GroupRow, Member } from './store/alertGroups.ts'
import type { OutboxItem } from './store/outboxItems.ts'
import { droppedMark } from './store/outboxOperations.ts'
import { decideNotify, type GroupAlert, type Told } from './decideNotify.ts'
import { type EngineContext, note, parseLabels, routesFor } from './engineContext.ts'
import { addsNothing, findJoined } from './findJoined.ts'
import { releaseHeldEvents } from './heldEvents.ts'
import { gravity } from './joining.ts'
import { createMute, goesOn, isFiring, type Mute, type MuteOf, noticeMutes } from './mutes.ts'
import { endOverSilences } from './endOverSilences.ts'
import { closeCases, recheckCases } from './caseOf.ts'
import { escalate } from './escalation.ts'
import { withoutOthers } from './otherRoutes.ts'
import { withdrawMuted } from './withdrawMuted.ts'
import { isUnsent, queueDecision } from './queueDecision.ts'
import { groupKeyOf, isByCase, longestWaitOf, type Route } from './routing.ts'

/** How soon a muted alert is evaluated again. */
const recheckMs = 5_000
const heldRecheckMs = 500

/** Turns what changed in due groups into outbox items. Returns when the next group is due. */
export function flushGroups(context: EngineContext): UnixMs | null {
  const { store } = context
  store.clampGroups(context.now, longestWaitOf(context.routes))
  let hasFailed = false
  const attempt: Attempt = (work) => {
    const isDone = store.attempt(work) === null
    hasFailed ||= !isDone
    return isDone
  }
  // Mostly each can be read: only where that is not so, they go one by one.
  if (!attempt(() => steps.forEach((step) => step(context, attempt))))
    for (const step of steps) attempt(() => step(context, attempt))
  // What could not be done is still due, and no sooner done than at the next tick.
  if (hasFailed) return null
  const next = [
    store.nextGroupDue(),
    store.nextHeldDue(),
    store.nextEscalation(),
    store.nextCaseEnd(),
    store.nextRecheck(),
  ]
  return next.reduce(earliest)
}

/** Does a part of it; false where a row that cannot be read stops that. */
type Attempt = (work: () => void) => boolean

const steps: readonly ((context: EngineContext, attempt: Attempt) => void)[] = [
  endOverSilences,
  releaseHeldEvents,
  noticeMutes,
  escalate,
  recheckCases,
  closeCases,
  flushDue,
]

function flushDue(context: EngineContext, attempt: Attempt): void {
  const { store } = context
  const due = store.listDueGroups(context.now)
  if (due.length === 0) return
  const mute = createMute(context)
  if (!attempt(() => flushAll(context, due, mute)))
    for (const group of due) attempt(() => flushAll(context, [group], mute))
  store.deleteIdleGroups(context.now)
}

function flushAll(context: EngineContext, groups: readonly GroupRow[], mute: MuteOf): void {
  const due = groups.map((group): DueGroup => ({ group, members: context.store.listMembers(group.key) }))
  // What says the most goes first: the rest joins it.
  for (const one of due.toSorted((a, b) => gravityOf(a) - gravityOf(b))) flushGroup(context, { ...one, mute })
}

function earliest(a: UnixMs | null, b: UnixMs | null): UnixMs | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b)
}

interface DueGroup {
  readonly group: GroupRow
  readonly members: readonly Member[]
}

function gravityOf({ members }: DueGroup): number {
  return Math.min(...members.map(({ severity }) => gravity[severity]))
}

function flushGroup(context: EngineContext, { group, members, mute }: DueGroup & { mute: MuteOf }): void {
  const channels = new Map(context.store.listGroupChannels(group.key).map((entry) => [entry.channel, entry]))
  const route = routeOf(context, group, members)
  const muted = new Map(members.map((member) => [member.id, mute(member, route)]))
  const toldItems = withdrawMuted(context, { group, muted })
  const alerts = members.map(
    (member): Omit<GroupAlert, 'joins'> => ({
      id: member.id,
      episode: member.episode,
      isFiring: isFiring(member),
      isMuted: muted.get(member.id) !== null,
      isEndHeld: muted.get(member.id)?.by === 'muted' || goesOn(member),
      wasMuted: member.withheld === 'muted',
      isAcked: member.ackedAt !== null || member.isTaken,
    }),
  )
  const heard = withoutOthers(context, { group, route, members, toldItems })
  let hasSpoken = false
  let isCovered = false
  const visited = new Set([...(route?.channels ?? []), ...heard.map((item) => item.channel)])
  for (const channel of visited) {
    const told = readTold(heard.filter((item) => item.channel === channel))
    const repeatAt = channels.get(channel)?.repeatAt ?? null
    const isRouted = route?.channels.includes(channel) ?? false
    const sendsResolved = route?.sendResolved ?? true
    const isReminding = repeatAt !== null && repeatAt <= context.now
    const joined = findAllJoined(context, members, { told, channel, isReminding })
    isCovered ||= [...joined.values()].includes('nothing')
    const isReminded = isRouted || (isReminding && standsIn(context, { route, channel, told: visited }))
    const facts = { told, repeatAt, isRouted, isReminded, sendsResolved }
    const decision = decideNotify(
      { ...facts, alerts: alerts.map((alert) => ({ ...alert, joins: joined.get(alert.id) ?? null })) },
      context.now,
    )
    queueDecision(context, {
      group,
      channel,
      members,
      toldItems,
      decision,
      isByCase: route !== null && isByCase(route),
    })
    hasSpoken ||= decision.reason !== 'nothing'
    if (decision.reason === 'nothing' && repeatAt !== null && repeatAt <= context.now) {
      const isInhibited = members.some((member) => muted.get(member.id)?.by === 'inhibited')
      postpone(context, { group, channel, isOpen: members.some(goesOn), isInhibited })
    }
  }
  // Carried along with an alert that went on before anything was told here: there is nothing to remind of.
  for (const { channel, repeatAt } of channels.values())
    if (!visited.has(channel) && repeatAt <= context.now) context.store.deleteGroupChannel(group.key, channel)
  noteMutes(context, { members, muted, toldItems })
  finish(context, { group, members, muted, toldItems, hasSpoken, isCovered })
}

/** Whether a channel was told in the place of one that the route names and that refuses us: the fallback, or where that does too another. */
function standsIn(
  { store, fallback, channels }: EngineContext,
  of: { readonly route: Route | null; readonly channel: string; readonly told: ReadonlySet<string> },
): boolean {
  const refuses = (name: string) => store.getChannel(name).circuit === 'open'
  if (fallback === null || of.route?.channels.some(refuses) !== true) return false
  return [fallback, ...channels].find((name) => of.told.has(name) && !refuses(name)) === of.channel
}

/** Of what fires and was not sent in full, what joins an alert that was sent to this channel. */
function findAllJoined(
  context: EngineContext,
  members: readonly Member[],
  of: {
    readonly told: ReadonlyMap<number, Told>
    readonly channel: string
    readonly isReminding: boolean
  },
): Map<number, 'news' | 'nothing'> {
  const joined = new Map<number, 'news' | 'nothing'>()
  for (const member of members) {
    const before = of.told.get(member.id)
    const isTold = before?.episode === member.episode && !before.isResolved && !before.isJoined
    if (
      !isFiring(member) ||
      context.kinds.find(member.kind)?.joins === undefined ||
      (isTold && !of.isReminding)
    )
      continue
    const above = findJoined(context, member, of.channel)
    if (!above) continue
    const isCovered = addsNothing(context, member, above)
    joined.set(member.id, isCovered ? 'nothing' : 'news')
    if (isCovered) noteOnce(context, member, `${above.rule} said it to ${of.channel}`)
  }
  return joined
}

/** Noted once an episode, not at each flush. */
function noteOnce(context: EngineContext, alert: AlertHead, reason: string): void {
  const key = `${alert.id} ${alert.episode} ${reason}`
  if (context.mutedNoted.has(key)) return
  if (context.mutedNoted.size >= 10_000) context.mutedNoted.clear()
  context.mutedNoted.add(key)
  note(context, alert, { what: 'not told', reason }, context.now)
}

/** The route that formed the group, as it is configured now; null once no route does. */
function routeOf(context: EngineContext, group: GroupRow, members: readonly AlertHead[]): Route | null {
  for (const member of members) {
    const labels = parseLabels(member.labels)
    const caseId = context.store.findCaseOf(member.id)
    const route = routesFor(context, member).find(
      (candidate) => groupKeyOf(candidate, labels, caseId) === group.key,
    )
    if (route) return route
  }
  return null
}

/** By alert, the newest item that was sent to one channel or is queued for it. What could not be sent to it, it does not know. */
function readTold(items: readonly OutboxItem[]): Map<number, Told> {
  const told = new Map<number, Told>()
  for (const item of items) {
    if (
      item.state === 'dead' &&
      (item.what === 'firing' || item.what === 'joined') &&
      item.messageId !== droppedMark
    )
      continue
    const isJoined = item.what === 'joined'
    told.set(item.alertId, {
      episode: item.episode,
      isResolved: item.what !== 'firing' && !isJoined,
      isJoined,
      isWaiting: isUnsent(item),
    })
  }
  return told
}

/** A reminder that was due and had nothing to send: it comes as soon as nothing inhibits it, else an interval later. */
function postpone(
  context: EngineContext,
  of: { group: GroupRow; channel: string; isOpen: boolean; isInhibited: boolean },
): void {
  if (!of.isOpen) return context.store.deleteGroupChannel(of.group.key, of.channel)
  const repeatAt = context.now + (of.isInhibited ? recheckMs : Math.max(of.group.intervalMs, recheckMs))
  context.store.saveGroupChannel(of.group.key, { channel: of.channel, ackedAt: context.now, repeatAt })
}

function noteMutes(
  context: EngineContext,
  of: {
    members: readonly Member[]
    muted: ReadonlyMap<number, Mute | null>
    toldItems: readonly OutboxItem[]
  },
): void {
  const told = new Set(of.toldItems.map((item) => item.alertId))
  for (const member of of.members) {
    if (!goesOn(member) && !told.has(member.id)) {
      noteUntold(context, member, of.muted.get(member.id) ?? null)
      continue
    }
    const reason = of.muted.get(member.id)?.reason ?? null
    if (reason !== null) noteOnce(context, member, reason)
  }
}

/** Began and ended without a message: `muted over` is what the daily report counts. */
function noteUntold(context: EngineContext, member: Member, mute: Mute | null): void {
  const isMuted = mute?.by === 'muted' || member.withheld === 'muted'
  const reason = `fired and resolved while muted: ${mute?.reason ?? 'over by now'}`
  if (isMuted) note(context, member, { what: 'muted over', reason }, context.now)
  else note(context, member, { what: 'not told', reason: 'over before it was told' }, context.now)
}

function finish(
  context: EngineContext,
  of: {
    group: GroupRow
    members: readonly Member[]
    muted: ReadonlyMap<number, Mute | null>
    toldItems: readonly OutboxItem[]
    hasSpoken: boolean
    /** Something is not sent because another alert says it. */
    isCovered: boolean
  },
): void {
  const { group } = of
  const told = new Set(of.toldItems.map((item) => item.alertId))
  let isWaiting = of.isCovered
  for (const member of of.members) {
    const mute = of.muted.get(member.id) ?? null
    // After this flush the end is queued for every channel that got their beginning, but those for which it is muted.
    const isLeft = goesOn(member) || (mute?.by === 'muted' && told.has(member.id))
    if (!isLeft) {
      context.store.removeMember(group.key, member.id)
      continue
    }
    isWaiting ||= mute !== null
    const withheld = withheldBy(mute, member)
    if (withheld !== member.withheld) context.store.setWithheld(group.key, member.id, withheld)
  }
  const flushAt = isWaiting ? recheckAt(context, context.now) : context.now + group.intervalMs
  // A flush that queued nothing must not delay what follows.
  const flushedAt = of.hasSpoken ? context.now : (group.flushedAt ?? (isWaiting ? null : context.now))
  context.store.saveGroup({ ...group, isDirty: isWaiting, flushAt, flushedAt })
}

/** What happened in a silence that is over is still to be sent where something else holds it back since. */
function withheldBy(mute: Mute | null, { withheld }: Member): Member['withheld'] {
  if (mute === null) return 'nothing'
  return mute.by === 'inhibited' && withheld === 'muted' ? 'muted' : mute.by
}

/** The start hold may end at any moment, an outage takes longer. */
function recheckAt({ hold }: EngineContext, now: UnixMs): UnixMs {
  return !hold.isReleased && now < hold.until ? Math.min(now + heldRecheckMs, hold.until) : now + recheckMs
}
