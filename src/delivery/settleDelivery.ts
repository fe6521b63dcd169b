import type { UnixMs } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { Channel, DeliveryResult } from './channels/message.ts'
import type { AlertStore } from '../alerts/store/alertStore.ts'
import type { OutboxItem } from '../alerts/store/outboxItems.ts'
import type { ChannelRow, Delivery } from '../alerts/store/outboxDeliveries.ts'
import type { AlertEngine } from '../alerts/alertEngine.ts'
import { messageIdOf } from '../alerts/fingerprint.ts'
import {
  longestThrottleMs,
  mostSuspicious,
  planDelivery,
  probeMs,
  type DeliveryStep,
} from './planDelivery.ts'
import { growRepeat } from '../alerts/routing.ts'

export interface SettleDeps {
  readonly store: AlertStore
  readonly engine: Pick<AlertEngine, 'judgeChannels' | 'flush'>
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly channels: readonly Pick<Channel, 'name' | 'type'>[]
  readonly fallback: string | null
  readonly random: () => number
}

export interface Settled {
  readonly delivery: Delivery
  readonly channel: Pick<Channel, 'name' | 'type'>
  readonly result: DeliveryResult
  /** For how long a channel that asks to wait has done so, taking nothing. */
  readonly heldMs?: number
}

/** A retry after a channel's recovery waits at most this long per attempt it failed. */
const hastenStepMs = 1_000
const longestHastenMs = 32_000

/** Writes down what a channel answered and all that follows from it, in one commit. */
export function settleDelivery(deps: SettleDeps, settled: Settled, now: UnixMs): DeliveryStep {
  const { delivery, channel } = settled
  const result = interpret(deps, settled, now)
  const said = sayOfChannel(deps, { ...settled, result }, now)
  const answer = {
    delivery,
    result,
    channelType: channel.type,
    random: deps.random(),
    canSplit: canSplit(deps, delivery),
    tookOthers: tookOthers(deps, delivery, now),
    isOnly: deps.store.listDeliveries(delivery).length === 1,
    probeAt: said.result === 'dead' ? now + (said.probeAfterMs ?? probeMs) : null,
  }
  const step = planDelivery(answer, now)
  deps.store.transaction(() => {
    apply(deps, { delivery, step }, now)
    const thread = 'thread' in result ? result.thread : undefined
    if (thread !== undefined && delivery.caseId !== null)
      deps.store.setThread(delivery.caseId, { channel: channel.name, thread })
    noteAnswer(deps, { channel: channel.name, result: said, isToAll: delivery.recipients === null }, now)
  })
  logStep(deps, settled, step)
  return step
}

/** A channel that took something so lately works. */
const worksMs = 60_000

/** What an answer says, by what else is known of the channel. */
function interpret(deps: SettleDeps, { delivery, result }: Settled, now: UnixMs): DeliveryResult {
  const { circuit } = deps.store.getChannel(delivery.channel)
  const lastAckAt = deps.store.readLastAck(delivery.channel, now)
  const works = lastAckAt !== null && now - lastAckAt < worksMs
  // What was refused with everything once, and is again just after the channel took something else, is refused for itself.
  if (result.result === 'dead' && works && deps.store.wasReleased(delivery.id, lastAckAt))
    return { result: 'bad_message', reason: result.reason }
  if (result.result === 'bad_message' && delivery.isDegraded && takesNothing(deps, delivery.channel, now))
    return { result: 'dead', reason: result.reason }
  if (result.result !== 'suspicious') return result
  // Of a channel that took nothing else meanwhile it is no fault of the message: the channel refuses us, until it takes something.
  const isLast = delivery.suspicious >= mostSuspicious && !canSplit(deps, delivery)
  const isChannel = circuit === 'open' || (isLast && !tookOthers(deps, delivery, now))
  return isChannel ? { result: 'dead', reason: result.reason } : result
}

/** Who has taken nothing for so long is as good as one that refuses us: what waits for it is told elsewhere as well. */
export const awayMs = 600_000
/** As often as a message is tried again at most. */
const awayProbeMs = 300_000

/** What was sent for ten minutes passed in no form: it is no fault of these messages. */
function takesNothing(deps: SettleDeps, channel: string, now: UnixMs): boolean {
  const since = deps.store.readRefusedSince(channel, deps.store.readLastAck(channel, now))
  return since !== null && now - since >= awayMs && chooseFallback(deps, channel) !== null
}

/**
 * What an answer says of the channel: one that could not be reached all the while that a message was tried is away, and so is
 * one that had us wait for as long.
 */
function sayOfChannel(
  deps: SettleDeps,
  { delivery, result, heldMs = 0 }: Omit<Settled, 'channel'>,
  now: UnixMs,
): DeliveryResult {
  if (result.result !== 'transient' && result.result !== 'throttled') return result
  const { channel, createdAt } = delivery
  const isOpen = deps.store.getChannel(channel).circuit === 'open'
  const isAway =
    result.result === 'throttled'
      ? heldMs >= awayMs
      : now - createdAt >= awayMs && !tookOthers(deps, delivery, now)
  // Where nobody else can be told it goes on being tried as often as before.
  if (!isOpen && (!isAway || chooseFallback(deps, channel) === null)) return result
  const waitMs = result.result === 'throttled' ? Math.min(result.retryAfterMs, longestThrottleMs) : 0
  return { result: 'dead', reason: result.reason, probeAfterMs: Math.max(awayProbeMs, waitMs) }
}

/** What an answer says of the channel as a whole, whatever was sent. Inside a transaction. */
export function noteAnswer(deps: SettleDeps, answer: ChannelAnswer, now: UnixMs): void {
  if (answer.result.result === 'ack' && answer.result.isMoot) return
  const before = deps.store.getChannel(answer.channel)
  const after = nextChannel(before, answer, now)
  deps.store.saveChannel(after)
  if (after.circuit === 'open') coverDeadChannel(deps, answer.channel, now)
  // What was set aside meanwhile and still holds is told now.
  if (before.circuit === 'open' && after.circuit === 'closed') deps.store.touchQuietGroups(now)
  if (after.circuit === before.circuit && after.refused === before.refused) return
  deps.engine.judgeChannels(now)
  deps.engine.flush(now)
}

interface ChannelAnswer {
  readonly channel: string
  readonly result: DeliveryResult
  /** Not only those recipients who had yet to get it. */
  readonly isToAll: boolean
}

function apply(
  deps: SettleDeps,
  { delivery, step }: { delivery: Delivery; step: DeliveryStep },
  now: UnixMs,
): void {
  const { store } = deps
  switch (step.do) {
    case 'ack':
      acknowledge(store, delivery, 'sent', now)
      store.hastenDeliveries(
        delivery.channel,
        now + Math.min(hastenStepMs * 2 ** delivery.attempt, longestHastenMs),
      )
      return
    case 'retry':
      return store.saveDelivery(step.delivery)
    case 'release':
      store.releaseItems(delivery.id, now)
      return store.deleteDelivery(delivery.id)
    case 'split':
      return store.splitDelivery(delivery, now)
    case 'bury':
      for (const one of listBuried(deps, delivery, now)) buryDelivery(deps, one, now)
  }
}

type StoreOnly = Pick<SettleDeps, 'store'>

/** Into no more parts at a time: a channel that refuses everything is not asked for each item. */
const mostParts = 8

function canSplit(deps: StoreOnly, delivery: Delivery): boolean {
  // Some have this message already.
  if (delivery.recipients !== null) return false
  return deps.store.countAlertsOf(delivery.id) > 1 && listParts(deps, delivery).length < mostParts
}

/** The messages that one was split into, which are as old as it was. */
function listParts({ store }: StoreOnly, { createdAt, ...lane }: Delivery): Delivery[] {
  return store.listDeliveries(lane).filter((one) => one.createdAt === createdAt)
}

function tookOthers({ store }: StoreOnly, { channel, createdAt }: Delivery, now: UnixMs): boolean {
  const lastAckAt = store.readLastAck(channel, now)
  return lastAckAt !== null && lastAckAt > createdAt
}

/** A message that is given up; with all other parts where so many were refused and none was taken. */
function listBuried(deps: StoreOnly, delivery: Delivery, now: UnixMs): readonly Delivery[] {
  const parts = listParts(deps, delivery)
  return parts.length >= mostParts && !tookOthers(deps, delivery, now) ? parts : [delivery]
}

/** Sets a message aside for good; the fallback channel gets its items instead. Where some recipients have it, the others are missed. */
function buryDelivery(deps: FallbackDeps, delivery: Delivery, now: UnixMs): void {
  const { channel, id, recipients } = delivery
  const fallback = chooseFallback(deps, channel)
  if (fallback !== null) deps.store.copyToFallback({ channel, scope: { deliveryId: id }, fallback }, now)
  acknowledge(deps.store, delivery, recipients === null ? 'dead' : 'sent', now)
  if (recipients === null) return
  const row = deps.store.getChannel(channel)
  const missed = recipients.map((recipient) => ({
    recipient,
    reason: 'it deferred a mail until that was given up',
  }))
  deps.store.saveChannel({ ...row, refused: mergeRefused(row.refused, missed, now) })
}

/** Another node sent what is queued here, and its channel acknowledged that as a message of a name. Inside a transaction. */
export function acknowledgeElsewhere(
  store: AlertStore,
  item: OutboxItem,
  of: { readonly at: UnixMs; readonly messageId: string },
): void {
  const { channel, isCritical, expiresAt, caseId } = item
  const id = store.insertDelivery({ channel, isCritical, expiresAt, caseId }, of.at)
  store.carryItem(item.id, id)
  const delivery = store.getDelivery(id)
  if (delivery !== null) acknowledge(store, delivery, 'sent', of.at, of.messageId)
}

/** Suppression is recorded here and nowhere before: reminders count from the channel's own word. */
function acknowledge(
  store: AlertStore,
  delivery: Delivery,
  state: 'sent' | 'dead',
  now: UnixMs,
  messageId = messageIdOf(delivery.id, store.generation),
): void {
  store.finishItems(delivery.id, { state, at: now, messageId })
  for (const key of store.listGroupKeysOf(delivery.id)) remind(store, key, delivery.channel, now)
  store.deleteDelivery(delivery.id)
}

/** The group's next reminder to a channel counts from now; what could not be told to it is told then. */
function remind(store: AlertStore, key: string, channel: string, now: UnixMs): void {
  const group = store.getGroup(key)
  if (!group) return
  const repeatAt = now + growRepeat(group, store.countRepeats(key, channel))
  store.addGroupChannel(key, { channel, ackedAt: now, repeatAt })
}

function nextChannel(row: ChannelRow, { result, isToAll }: ChannelAnswer, now: UnixMs): ChannelRow {
  if (result.result === 'ack' || result.result === 'partial') {
    return {
      ...row,
      circuit: 'closed',
      openedAt: null,
      probeAt: null,
      reason: null,
      lastAckAt: now,
      refused:
        result.result === 'partial'
          ? mergeRefused(row.refused, result.refused, now)
          : clearRefused(row, isToAll),
    }
  }
  const failed = { ...row, lastError: result.reason, lastErrorAt: now }
  if (result.result !== 'dead') return failed
  return {
    ...failed,
    circuit: 'open',
    openedAt: row.circuit === 'open' ? row.openedAt : now,
    probeAt: now + (result.probeAfterMs ?? probeMs),
    reason: result.reason,
  }
}

type Refused = ChannelRow['refused']

/** The same array when nothing is new, so that the change can be seen. */
function mergeRefused(
  before: Refused,
  more: readonly Omit<Refused[number], 'since'>[],
  now: UnixMs,
): Refused {
  const fresh = more.filter(({ recipient }) => !before.some((known) => known.recipient === recipient))
  return fresh.length === 0 ? before : [...before, ...fresh.map((one) => ({ ...one, since: now }))]
}

/** Everybody took it, those who were refused before included. */
function clearRefused(row: ChannelRow, isToAll: boolean): Refused {
  return isToAll && row.refused.length > 0 ? [] : row.refused
}

/** While a channel refuses us its items go to the fallback channel as well; the originals wait to be its probe. */
export function coverDeadChannel(deps: FallbackDeps, channel: string, now: UnixMs): number {
  const fallback = chooseFallback(deps, channel)
  return fallback === null ? 0 : deps.store.copyToFallback({ channel, scope: 'all', fallback }, now)
}

/** Sets aside what could not be sent in time: the fallback channel gets it instead. Returns how many by channel. */
export function buryExpired(deps: FallbackDeps, now: UnixMs): ReturnType<AlertStore['expireItems']> {
  const { store } = deps
  for (const channel of store.listExpiring(now)) {
    const fallback = chooseFallback(deps, channel)
    if (fallback !== null) store.copyToFallback({ channel, scope: 'expired', fallback }, now)
  }
  for (const { groupKey, channel } of store.listExpiringGroups(now)) remind(store, groupKey, channel, now)
  return store.expireItems(now)
}

type FallbackDeps = Pick<SettleDeps, 'store' | 'fallback'> & {
  readonly channels: readonly Pick<Channel, 'name'>[]
}

/** The fallback channel, and while that one refuses us itself the next one that does not. */
function chooseFallback(deps: FallbackDeps, channel: string): string | null {
  if (deps.fallback === null) return null
  const names = [deps.fallback, ...deps.channels.map(({ name }) => name)]
  const healthy = (name: string) => name !== channel && deps.store.getChannel(name).circuit === 'closed'
  return names.find(healthy) ?? null
}

function logStep(deps: SettleDeps, { delivery, result }: Settled, step: DeliveryStep): void {
  const facts = {
    channel: delivery.channel,
    message: messageIdOf(delivery.id, deps.store.generation),
    attempt: delivery.attempt,
    result: result.result,
  }
  if (step.do === 'ack') deps.log.info(facts, 'message delivered')
  else if (step.do === 'bury') deps.log.error({ ...facts, reason: step.reason }, 'message set aside')
  else deps.log.warn({ ...facts, reason: step.reason }, 'message not delivered yet')
}
