import type { Clock, UnixMs } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import { cleanText } from '../lib/text.ts'
import type { AlertRow } from './store/alertRows.ts'
import type { AlertStore } from './store/alertStore.ts'
import type { OutboxItem } from './store/outboxItems.ts'
import type { SilenceRow } from './store/silenceRows.ts'
import { expiryOf, note } from './engineContext.ts'
import { alertIdOf } from './fingerprint.ts'
import { checkSilence, type SilenceInput } from './silences.ts'

/** What people change while the monitor runs. Each call is one commit. */
export interface Operations {
  /** Acknowledges an alert: no reminders; its end and what is new are still sent. `id` as printed, with or without `#`. */
  ackAlert(id: string, by: string): Acked
  addSilence(input: SilenceInput): SilenceRow
  expireSilence(id: number): SilenceRow
  /** Puts what was set aside back into the queue, and retries what waits at once; `dead` is all that was set aside. */
  retryOutbox(id: number | 'dead'): { readonly count: number }
  /** Sets an unsent item aside for good. */
  dropOutbox(id: number): { readonly count: number }
}

export interface Acked {
  readonly id: string
  readonly rule: string
  readonly ackedBy: string
  readonly ackedAt: UnixMs
}

export interface OperationsDeps {
  readonly store: AlertStore
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly clock: Pick<Clock, 'now'>
  /** After each commit. */
  onChanged(): void
}

/** @throws MonitorError (in each call) `usage` for what cannot be meant, `not_found` for what is not there */
export function createOperations(deps: OperationsDeps): Operations {
  const commit = <T>(work: (now: UnixMs) => T): T => {
    const result = deps.store.transaction(() => work(deps.clock.now()))
    deps.onChanged()
    return result
  }
  return {
    ackAlert: (id, by) => commit((now) => ackAlert(deps, { id, by }, now)),
    addSilence: (input) => commit((now) => addSilence(deps, input, now)),
    expireSilence: (id) => commit((now) => expireSilence(deps, id, now)),
    retryOutbox: (id) => commit((now) => retryOutbox(deps, id, now)),
    dropOutbox: (id) => commit((now) => dropOutbox(deps, id, now)),
  }
}

function ackAlert(deps: OperationsDeps, of: { id: string; by: string }, now: UnixMs): Acked {
  const by = cleanText(of.by, 100).trim()
  if (by === '') throw new MonitorError('usage', 'expected who acknowledges it: --by NAME')
  const alert = findAlert(deps.store, of.id)
  const id = alertIdOf(alert.fingerprint)
  if (alert.state === 'resolved' || alert.state === 'inactive')
    throw new MonitorError('usage', `Alert #${id} is over: there is nothing to acknowledge.`)
  deps.store.ackAlert(alert.id, by, now)
  note(deps, alert, { what: 'acknowledged', reason: `by ${by}: no reminders until it fires anew` }, now)
  return { id, rule: alert.rule, ackedBy: by, ackedAt: now }
}

/** @throws MonitorError `not_found`, or `usage` when several begin like that */
export function findAlert(store: Pick<AlertStore, 'findAlertsByPrefix'>, id: string): AlertRow {
  const found = store.findAlertsByPrefix(id)
  const [alert] = found
  if (!alert)
    throw new MonitorError(
      'not_found',
      `There is no alert ${id}: spanwatch alerts list shows their ids${/^#?[0-9a-f]{6}$/.test(id) ? '; a message prints the ids of its alerts, beside its own' : ''}.`,
    )
  if (found.length === 1) return alert
  const ids = found.slice(0, 5).map(({ fingerprint }) => `#${fingerprint.slice(0, 16)}`)
  throw new MonitorError('usage', `Several alerts begin with ${id}: ${ids.join(', ')}`)
}

function addSilence(deps: OperationsDeps, input: SilenceInput, now: UnixMs): SilenceRow {
  const checked = checkSilence(input, now)
  if (!checked.ok) throw new MonitorError('usage', `This silence is refused: ${checked.problems.join('; ')}`)
  const id = deps.store.insertSilence(checked.silence)
  const silence = { ...checked.silence, id, expiredAt: null }
  const until = new Date(silence.endsAt).toISOString()
  const reason = `${silence.matchers.join(' ')} until ${until}, by ${silence.author}: ${silence.comment}`
  noteSilence(deps, id, { what: 'silence added', reason }, now)
  return silence
}

function expireSilence(deps: OperationsDeps, id: number, now: UnixMs): SilenceRow {
  const silence = deps.store.getSilence(id)
  if (!silence) throw new MonitorError('not_found', `There is no silence ${id}: spanwatch silences list`)
  if (silence.endsAt <= now) throw new MonitorError('usage', `Silence ${id} is over already.`)
  deps.store.endSilence(id, now)
  deps.store.hastenHeld(id, now)
  noteSilence(deps, id, { what: 'silence ended', reason: 'before its time' }, now)
  return deps.store.getSilence(id) ?? silence
}

function noteSilence(
  { store, log }: OperationsDeps,
  id: number,
  entry: { readonly what: string; readonly reason: string },
  now: UnixMs,
): void {
  const subject = `silence #${id}`
  log.info({ subject, ...entry }, 'decision')
  store.recordDecision({ at: now, alertId: null, rule: '', subject, ...entry })
}

/** How many are retried in one call at most; the answer says how many were. */
const mostRetried = 5_000

function retryOutbox(deps: OperationsDeps, id: number | 'dead', now: UnixMs): { count: number } {
  const items = id === 'dead' ? deps.store.listDead(mostRetried) : [getItem(deps.store, id)]
  for (const item of items) retry(deps, item, now)
  return { count: items.length }
}

function retry({ store, log }: OperationsDeps, item: OutboxItem, now: UnixMs): void {
  if (item.state === 'sent') throw new MonitorError('usage', `Outbox item ${item.id} was sent already.`)
  const alert = store.getAlert(item.alertId)
  if (!alert) throw new MonitorError('not_found', `The alert of outbox item ${item.id} is forgotten.`)
  if (item.state === 'dead') store.reviveItem(item.id, expiryOf(alert.severity, now), now)
  const delivery = item.deliveryId === null ? null : store.getDelivery(item.deliveryId)
  if (delivery?.state === 'waiting') store.saveDelivery({ ...delivery, nextAt: now })
  store.probeNow(item.channel, now)
  note({ store, log }, alert, { what: 'retried', reason: `by hand, to ${item.channel}` }, now)
}

function dropOutbox({ store, log }: OperationsDeps, id: number, now: UnixMs): { count: number } {
  const item = getItem(store, id)
  if (item.state !== 'queued') throw new MonitorError('usage', `Outbox item ${id} does not wait any more.`)
  const delivery = item.deliveryId === null ? null : store.getDelivery(item.deliveryId)
  if (delivery?.state === 'sending')
    throw new MonitorError('usage', `Outbox item ${id} is being sent at this moment.`)
  store.dropItem(id, now)
  if (delivery && store.countItemsOf(delivery.id) === 0) store.deleteDelivery(delivery.id)
  const alert = store.getAlert(item.alertId)
  if (alert) note({ store, log }, alert, { what: 'dropped', reason: `by hand, not to ${item.channel}` }, now)
  return { count: 1 }
}

function getItem(store: AlertStore, id: number): OutboxItem {
  const item = store.getOutboxItem(id)
  if (!item) throw new MonitorError('not_found', `There is no outbox item ${id}: spanwatch outbox list`)
  return item
}
