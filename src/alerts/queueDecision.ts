import type { AlertHead } from './store/alertRows.ts'
import type { GroupRow, Member } from './store/alertGroups.ts'
import type { OutboxItem, OutboxWhat } from './store/outboxItems.ts'
import { isUrgent } from './caseOf.ts'
import { noteKnown } from './caseWindows.ts'
import type { NotifyDecision } from './decideNotify.ts'
import { type EngineContext, expiryOf, note } from './engineContext.ts'
import { moveGone } from './moveQueued.ts'

/** What is to be sent to one channel of one group. */
interface Decided {
  readonly isByCase: boolean
  readonly group: GroupRow
  readonly channel: string
  readonly members: readonly Member[]
  readonly toldItems: readonly OutboxItem[]
  readonly decision: NotifyDecision
}

/** Puts it into the outbox. */
export function queueDecision(context: EngineContext, decided: Decided): void {
  const { decision, channel } = decided
  if (decision.reason === 'nothing') return
  const members = new Map(decided.members.map((member) => [member.id, member]))
  const queue = (ids: readonly number[], what: OutboxWhat) => {
    for (const id of ids) {
      const alert = members.get(id)
      if (!alert) continue
      if (what === 'repeat') context.store.deleteRepeats(id, channel)
      queueItem(context, { ...decided, alert, what })
      note(context, alert, { what: `told ${what}`, reason: `${decision.reason}, to ${channel}` }, context.now)
    }
  }
  queue(decision.fire, 'firing')
  queue(decision.join, 'joined')
  queue(decision.resolve, 'resolved')
  queue(decision.repeat, 'repeat')
  moveGone(context, channel)
  countRepeats(context, decided)
  // The next reminder counts from the acknowledgement of this message, that of what it does not name from before.
  if (!decision.leavesSome) context.store.deleteGroupChannel(decided.group.key, channel)
}

/** Reminders grow from one to the next; something new begins them anew. */
function countRepeats({ store }: EngineContext, { group, channel, decision }: Decided): void {
  if (group.maxRepeatMs === null) return
  const before = store.countRepeats(group.key, channel)
  if (decision.fire.length > 0) store.saveRepeats(group.key, channel, 0)
  else if (decision.reason === 'repeat') store.saveRepeats(group.key, channel, before + 1)
}

function queueItem(
  context: EngineContext,
  { group, channel, toldItems, alert, what, isByCase }: Decided & { alert: AlertHead; what: OutboxWhat },
): void {
  const open = toldItems.findLast((item) => item.alertId === alert.id && item.channel === channel)
  if (what === 'resolved') context.store.deleteUnsentRepeats(alert.id, channel)
  if (open && isUnsent(open) && what === 'resolved' && (open.what === 'firing' || open.what === 'joined'))
    return context.store.setItemWhat(open.id, 'both')
  if (open && isUnsent(open) && what === 'firing' && open.what === 'joined' && open.episode === alert.episode)
    return context.store.setItemWhat(open.id, 'firing')
  const caseId = isByCase ? context.store.findCaseOf(alert.id) : null
  if (caseId !== null) noteKnown(context, caseId, { channel, kind: alert.kind })
  context.store.queueItem({
    alertId: alert.id,
    channel,
    episode: what === 'resolved' ? (open?.episode ?? alert.episode) : alert.episode,
    what,
    groupKey: group.key,
    isCritical: isUrgent(context, alert, caseId),
    createdAt: context.now,
    notBefore: context.now,
    expiresAt: expiryOf(alert.severity, context.now),
    caseId,
    change: null,
  })
}

/** It waits yet: what is said is what is known when it leaves. */
export function isUnsent({ state, deliveryId }: OutboxItem): boolean {
  return state === 'queued' && deliveryId === null
}
