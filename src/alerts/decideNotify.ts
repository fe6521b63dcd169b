import type { UnixMs } from '../lib/clock.ts'

export interface GroupAlert {
  readonly id: number
  readonly episode: number
  readonly isFiring: boolean
  /** Silenced, in a mute time or inhibited: nothing new is sent of it. */
  readonly isMuted: boolean
  /** Its end is not sent yet: it is silenced or in a mute time, or no end of it was seen. */
  readonly isEndHeld: boolean
  /** It was silenced or in a mute time until now: what still holds is sent again, what fired again is new. */
  readonly wasMuted: boolean
  /** Acknowledged, or somebody has its case: no reminders. */
  readonly isAcked: boolean
  /** An alert that says more of the same thing was sent to this channel: an update of that one, or nothing to add to it. */
  readonly joins: 'news' | 'nothing' | null
}

/** The newest that was sent, or is queued, to a channel of an alert. */
export interface Told {
  readonly episode: number
  readonly isResolved: boolean
  /** As an update of another alert. */
  readonly isJoined: boolean
  /** It is rendered yet: it says then what is known by then. */
  readonly isWaiting: boolean
}

export interface NotifyFacts {
  readonly alerts: readonly GroupAlert[]
  readonly told: ReadonlyMap<number, Told>
  /** When this channel last acknowledged anything of the group, and when it wants a reminder. */
  readonly repeatAt: UnixMs | null
  /** Whether the route still names this channel; others only get the end of what was sent to them. */
  readonly isRouted: boolean
  /** Whether it is reminded: the route names it, or it stands in for one of those while that refuses us. */
  readonly isReminded: boolean
  /** Whether this route sends ends at all. */
  readonly sendsResolved: boolean
}

export interface NotifyDecision {
  readonly reason:
    | 'first'
    | 'new alerts'
    | 'joined'
    | 'all resolved'
    | 'resolved'
    | 'repeat'
    | 'unmuted'
    | 'nothing'
  readonly fire: readonly number[]
  readonly join: readonly number[]
  readonly resolve: readonly number[]
  readonly repeat: readonly number[]
  /** Something that was told holds and is not in this message: its reminder comes when it would have come. */
  readonly leavesSome: boolean
}

/**
 * What is sent to one channel of one group now. An alert that resolved and fired again between two flushes goes on as far
 * as the channel knows; one that fired again after its end was sent, or while it was muted, is new, known by its episode.
 */
export function decideNotify(facts: NotifyFacts, now: UnixMs): NotifyDecision {
  const { alerts, told } = facts
  const open = alerts.filter(({ id }) => told.get(id)?.isResolved === false)
  const audible = alerts.filter((alert) => alert.isFiring && !alert.isMuted)
  const isUntold = (alert: GroupAlert) => isNew(alert, told.get(alert.id), facts.sendsResolved)
  const fresh = facts.isRouted ? audible.filter(isUntold) : []
  const fire = fresh.filter(({ joins }) => joins === null).map(idOf)
  const join = fresh.filter(({ joins }) => joins === 'news').map(idOf)
  const ended = open.filter((alert) => !alert.isFiring && !alert.isEndHeld)
  const resolve = facts.sendsResolved ? ended.map(idOf) : []
  const again = audible.filter(({ id, isAcked, joins }) => {
    const last = told.get(id)
    return last !== undefined && !last.isResolved && !last.isWaiting && !isAcked && joins !== 'nothing'
  })
  const unmuted = facts.isRouted
    ? again.filter((alert) => alert.wasMuted && !fire.includes(alert.id)).map(idOf)
    : []
  if (fire.length > 0 || join.length > 0 || resolve.length > 0 || unmuted.length > 0) {
    const reason = reasonOf({ fire, join, resolve }, told.size, open.length)
    const said = new Set([...fire, ...join, ...unmuted])
    const leavesSome = again.some(({ id }) => !said.has(id))
    return { reason, fire, join, resolve, repeat: unmuted, leavesSome }
  }
  const isDue = facts.isReminded && facts.repeatAt !== null && now >= facts.repeatAt
  const reminder = { fire, join, resolve, leavesSome: false }
  if (!isDue || again.length === 0) return { ...reminder, repeat: [], reason: 'nothing' }
  return { ...reminder, repeat: again.map(idOf), reason: 'repeat' }
}

function reasonOf(
  of: Pick<NotifyDecision, 'fire' | 'join' | 'resolve'>,
  toldCount: number,
  openCount: number,
): NotifyDecision['reason'] {
  if (of.fire.length > 0) return toldCount === 0 ? 'first' : 'new alerts'
  if (of.join.length > 0) return 'joined'
  if (of.resolve.length === 0) return 'unmuted'
  return of.resolve.length === openCount ? 'all resolved' : 'resolved'
}

function isNew(alert: GroupAlert, told: Told | undefined, sendsResolved: boolean): boolean {
  if (!told) return true
  // What was an update of another alert stands by itself once that one is taken back.
  if (told.isJoined && !told.isResolved && alert.joins === null) return true
  const isLater = told.episode < alert.episode
  return isLater && (told.isResolved || alert.wasMuted || !sendsResolved)
}

function idOf(alert: GroupAlert): number {
  return alert.id
}
