import type { UnixMs } from '../lib/clock.ts'

export interface GroupAlert {
  readonly id: number
  readonly episode: number
  readonly isFiring: boolean
  /** Silenced or inhibited: nothing new is said of it, but its end is, to who heard of its beginning. */
  readonly isMuted: boolean
  /** Somebody is on it: no reminders. */
  readonly isAcked: boolean
}

/** The newest that a channel was told, or is about to be told, of an alert. */
export interface Told {
  readonly episode: number
  readonly isResolved: boolean
}

export interface NotifyFacts {
  readonly alerts: readonly GroupAlert[]
  readonly told: ReadonlyMap<number, Told>
  /** When this channel last acknowledged anything of the group, and when it wants a reminder. */
  readonly repeatAt: UnixMs | null
  /** Whether the route still names this channel; others are only told the end of what they heard of. */
  readonly isRouted: boolean
}

export interface NotifyDecision {
  readonly reason: 'first' | 'new alerts' | 'all resolved' | 'resolved' | 'repeat' | 'nothing'
  readonly fire: readonly number[]
  readonly resolve: readonly number[]
  readonly repeat: readonly number[]
}

/**
 * What one channel is to hear of one group now. An alert that resolved and fired again between two looks goes on as far
 * as the channel knows; one that fired again after its end was said is new, told by its episode.
 */
export function decideNotify(facts: NotifyFacts, now: UnixMs): NotifyDecision {
  const { alerts, told } = facts
  const open = alerts.filter(({ id }) => told.get(id)?.isResolved === false)
  const firing = alerts.filter((alert) => alert.isFiring)
  const fire = facts.isRouted
    ? firing.filter((alert) => !alert.isMuted && isNew(alert, told.get(alert.id)))
    : []
  const resolve = open.filter((alert) => !alert.isFiring)
  const none = { fire: [], resolve: [], repeat: [] }
  if (fire.length > 0 || resolve.length > 0) {
    const ended = resolve.length === open.length ? 'all resolved' : 'resolved'
    const reason = fire.length === 0 ? ended : told.size === 0 ? 'first' : 'new alerts'
    return { ...none, reason, fire: fire.map(idOf), resolve: resolve.map(idOf) }
  }
  const repeat = open.filter((alert) => !alert.isMuted && !alert.isAcked)
  const isDue = facts.isRouted && facts.repeatAt !== null && now >= facts.repeatAt
  if (!isDue || repeat.length === 0) return { ...none, reason: 'nothing' }
  return { ...none, reason: 'repeat', repeat: repeat.map(idOf) }
}

function isNew(alert: GroupAlert, told: Told | undefined): boolean {
  return !told || (told.isResolved && told.episode < alert.episode)
}

function idOf(alert: GroupAlert): number {
  return alert.id
}
