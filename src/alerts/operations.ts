import type { UnixMs } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import { type Actor, cleanActor } from '../store/actor.ts'
import { recordChange } from '../store/auditLog.ts'
import type { Database } from '../store/database.ts'
import type { AlertRow } from './store/alertRows.ts'
import type { AlertStore } from './store/alertStore.ts'
import type { OutboxItem } from './store/outboxItems.ts'
import type { SilenceRow } from './store/silenceRows.ts'
import type { ByHand, OperationsDeps } from './byHand.ts'
import { type CaseCommand, changeCase } from './caseOperations.ts'
import type { CaseRow } from '../cases/store/caseRows.ts'
import { expiryOf, note } from './engineContext.ts'
import { alertIdOf } from './fingerprint.ts'
import { formatMatcher, type Matcher } from './matchers.ts'
import { checkSilence, type SilenceInput, untilOverMs } from './silences.ts'
import { previewSilence, type SilencePreview } from './previewSilence.ts'
import { readTransferSilence, sayScope } from './transferSilence.ts'
import { findUnknown, listVocabulary, type Vocabulary } from './vocabulary.ts'

/** What people change while the monitor runs. Each call is one commit, and an entry of the audit log is part of it. */
export interface Operations {
  /** Acknowledges an alert: no reminders; its end and what is new are still sent. `id` as printed, with or without `#`. */
  ackAlert(id: string, actor: Actor): Acked
  addSilence(input: SilenceInput, actor: Actor): SilenceRow
  expireSilence(id: number, actor: Actor): SilenceRow
  /** Acknowledges a case, assigns, notes, handles or opens it again; gives it as it is then. */
  changeCase(command: CaseCommand, actor: Actor): CaseRow
  /** What a silence would match. Author and comment may be left empty; nothing is changed. */
  previewSilence(input: SilenceInput): SilencePreview
  /** Puts what was set aside back into the queue, and retries what waits at once; `dead` is all that was set aside. */
  retryOutbox(id: number | 'dead', actor: Actor): { readonly count: number }
  /** Sets an unsent item aside for good. */
  dropOutbox(id: number, actor: Actor): { readonly count: number }
}

export interface Acked {
  readonly id: string
  readonly rule: string
  readonly ackedBy: string
  readonly ackedAt: UnixMs
}

/** @throws MonitorError (in each call) `usage` for what cannot be meant, `not_found` for what is not there */
export function createOperations(deps: OperationsDeps): Operations {
  const commit = <T>(given: Actor, work: (by: ByHand) => T): T => {
    const actor = cleanActor(given)
    const result = deps.store.transaction(() => {
      const now = deps.clock.now()
      return work({ ...deps, actor, now, record: (change) => deps.store.recordChange(actor, change, now) })
    })
    deps.onChanged()
    return result
  }
  return {
    ackAlert: (id, actor) => commit(actor, (by) => ackAlert(by, id)),
    changeCase: (command, actor) => commit(actor, (by) => changeCase(by, command)),
    addSilence: (input, actor) => commit(actor, (by) => addSilence(by, input)),
    previewSilence(input) {
      const now = deps.clock.now()
      const someone = { author: input.author || 'nobody', comment: input.comment || 'a preview' }
      return previewSilence(deps, readSilence(deps, { ...input, ...someone }, now), now)
    },
    expireSilence: (id, actor) => commit(actor, (by) => expireSilence(by, id)),
    retryOutbox: (id, actor) => commit(actor, (by) => retryOutbox(by, id)),
    dropOutbox: (id, actor) => commit(actor, (by) => dropOutbox(by, id)),
  }
}

/**
 * Into the audit log: somebody has the list read again.
 * @throws MonitorError `usage` for a time to come
 */
export function recordRewind(db: Database, actor: Actor, until: UnixMs, now: UnixMs): void {
  const aboutId = new Date(until).toISOString()
  // Nothing would be read again.
  if (until > now) throw new MonitorError('usage', `expected a time that is over, got ${aboutId}`)
  recordChange(db, actor, { what: 'read again', about: 'list', aboutId, detail: 'back to that time' }, now)
}

function ackAlert(deps: ByHand, name: string): Acked {
  const { now, actor } = deps
  const { by } = actor
  if (by === '') throw new MonitorError('usage', 'expected who acknowledges it: --by NAME')
  const alert = findAlert(deps.store, name)
  const id = alertIdOf(alert.fingerprint)
  if (alert.state === 'resolved' || alert.state === 'inactive')
    throw new MonitorError('usage', `Alert #${id} is over: there is nothing to acknowledge.`)
  deps.store.ackAlert(alert.id, by, now)
  note(deps, alert, { what: 'acknowledged', reason: `by ${by}: no reminders until it fires anew` }, now)
  deps.record({ what: 'acknowledged', about: 'alert', aboutId: id, detail: nameAlert(alert) })
  const row = deps.store.findCaseOfAlert(alert.id)
  // Who acknowledges what says the most of a case has seen the case.
  if (row?.state === 'open' && row.worstAlert === alert.id)
    changeCase(deps, { id: `c${row.id}`, do: 'ack', text: null })
  return { id, rule: alert.rule, ackedBy: by, ackedAt: now }
}

function nameAlert({ rule, subject }: Pick<AlertRow, 'rule' | 'subject'>): string {
  return `${rule}: ${subject}`
}

/** @throws MonitorError `not_found`, or `usage` when several begin like that */
export function findAlert(store: Pick<AlertStore, 'findAlertsByPrefix'>, id: string): AlertRow {
  if (/^#?[0-9a-f]{1,3}$/i.test(id))
    throw new MonitorError(
      'usage',
      `An alert is named by at least four characters of its id, as spanwatch alerts list shows it, got ${id}${/^\d+$/.test(id) ? `; of a case: spanwatch cases show c${id}` : ''}.`,
    )
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

function addSilence(deps: ByHand, input: SilenceInput): SilenceRow {
  const wanted = readSilence(deps, input, deps.now)
  const id = deps.store.insertSilence(wanted)
  const silence = { ...wanted, id, expiredAt: null }
  const until = new Date(silence.endsAt).toISOString()
  const scope = silence.transfer ? sayScope(silence.transfer) : silence.matchers.join(' ')
  const reason = `${scope}${silence.transfer?.untilOver ? ', at the latest' : ''} until ${until}, by ${silence.author}: ${silence.comment}`
  noteSilence(deps, id, { what: 'silence added', reason })
  deps.record({ what: 'made', about: 'silence', aboutId: String(id), detail: reason })
  return silence
}

/** A silence as it would be made. @throws MonitorError `usage` for one that is refused */
function readSilence(
  { store, kinds, vocabulary }: Pick<OperationsDeps, 'store' | 'kinds' | 'vocabulary'>,
  input: SilenceInput,
  now: UnixMs,
): Omit<SilenceRow, 'id' | 'expiredAt'> {
  const transfer = input.transfer ? readTransferSilence(store, input.transfer, kinds) : null
  const matchers =
    transfer === null
      ? input.matchers
      : [formatMatcher({ label: 'transfer', operator: '=', value: transfer.key })]
  const endsAt = input.endsAt ?? (transfer?.untilOver ? (input.startsAt ?? now) + untilOverMs : Number.NaN)
  const checked = checkSilence({ ...input, matchers, endsAt }, now)
  const problems = [
    ...(checked.ok && !input.allowUnknown
      ? listUnknown(checked.matchers, listVocabulary(vocabulary, kinds))
      : []),
    ...(transfer !== null && input.matchers.length > 0
      ? ['a silence of one transfer takes no other matchers']
      : []),
    ...(checked.ok ? [] : checked.problems),
  ]
  if (!checked.ok || problems.length > 0)
    throw new MonitorError('usage', `This silence is refused: ${problems.join('; ')}`)
  return { ...checked.silence, transfer }
}

/** What does not exist, and how it is silenced all the same. */
function listUnknown(matchers: readonly Matcher[], known: Vocabulary): string[] {
  const problems = matchers.flatMap((matcher) => findUnknown(matcher, known) ?? [])
  return problems.length === 0
    ? []
    : [...problems, 'for what is to come: --allow-unknown, `allowUnknown` of the API, or the box in the form']
}

function expireSilence(deps: ByHand, id: number): SilenceRow {
  const { now } = deps
  const silence = deps.store.getSilence(id)
  if (!silence) throw new MonitorError('not_found', `There is no silence ${id}: spanwatch silences list`)
  if (silence.endsAt <= now) throw new MonitorError('usage', `Silence ${id} is over already.`)
  deps.store.endSilence(id, now)
  deps.store.hastenHeld(id, now)
  noteSilence(deps, id, { what: 'silence ended', reason: 'before its time' })
  const detail = `${silence.matchers.join(' ')}, of ${silence.author}: ${silence.comment}`
  deps.record({ what: 'ended', about: 'silence', aboutId: String(id), detail })
  return deps.store.getSilence(id) ?? silence
}

function noteSilence(
  { store, log, now }: ByHand,
  id: number,
  entry: { readonly what: string; readonly reason: string },
): void {
  const subject = `silence #${id}`
  log.info({ subject, ...entry }, 'decision')
  store.recordDecision({ at: now, alertId: null, rule: '', subject, ...entry })
}

/** How many are retried in one call at most; the answer says how many were. */
const mostRetried = 5_000

function retryOutbox(deps: ByHand, id: number | 'dead'): { count: number } {
  const items = id === 'dead' ? deps.store.listDead(mostRetried) : [getItem(deps.store, id)]
  for (const item of items) retry(deps, item)
  const [item] = items
  const detail =
    id === 'dead' || !item ? `all ${items.length} that were set aside` : sayItem(deps.store, item)
  deps.record({ what: 'retried', about: 'outbox', aboutId: String(id), detail })
  return { count: items.length }
}

function sayItem(store: AlertStore, { channel, what, alertId }: OutboxItem): string {
  const alert = store.getAlert(alertId)
  return `${what}${alert ? ` of ${nameAlert(alert)}` : ''}, to ${channel}`
}

function retry({ store, log, now }: ByHand, item: OutboxItem): void {
  if (item.state === 'sent') throw new MonitorError('usage', `Outbox item ${item.id} was sent already.`)
  const alert = store.getAlert(item.alertId)
  if (!alert) throw new MonitorError('not_found', `The alert of outbox item ${item.id} is forgotten.`)
  if (item.state === 'dead') store.reviveItem(item.id, expiryOf(alert.severity, now), now)
  const delivery = item.deliveryId === null ? null : store.getDelivery(item.deliveryId)
  if (delivery?.state === 'waiting') store.saveDelivery({ ...delivery, nextAt: now })
  store.probeNow(item.channel, now)
  note({ store, log }, alert, { what: 'retried', reason: `by hand, to ${item.channel}` }, now)
}

function dropOutbox({ store, log, now, record }: ByHand, id: number): { count: number } {
  const item = getItem(store, id)
  if (item.state !== 'queued') throw new MonitorError('usage', `Outbox item ${id} does not wait any more.`)
  const delivery = item.deliveryId === null ? null : store.getDelivery(item.deliveryId)
  if (delivery?.state === 'sending')
    throw new MonitorError('usage', `Outbox item ${id} is being sent at this moment.`)
  store.dropItem(id, now)
  if (delivery && store.countItemsOf(delivery.id) === 0) store.deleteDelivery(delivery.id)
  const alert = store.getAlert(item.alertId)
  if (alert) note({ store, log }, alert, { what: 'dropped', reason: `by hand, not to ${item.channel}` }, now)
  record({ what: 'dropped', about: 'outbox', aboutId: String(id), detail: sayItem(store, item) })
  return { count: 1 }
}

function getItem(store: AlertStore, id: number): OutboxItem {
  const item = store.getOutboxItem(id)
  if (!item) throw new MonitorError('not_found', `There is no outbox item ${id}: spanwatch outbox list`)
  return item
}
