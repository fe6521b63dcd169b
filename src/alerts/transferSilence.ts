import { compareDecimals, type Decimal, formatDecimal, noAmount, toDecimal } from '../bridge/decimal.ts'
import type { Finding } from '../bridge/finding.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { Kinds } from '../rules/kinds.ts'
import { MonitorError } from '../lib/errors.ts'
import { cleanText, inBrackets } from '../lib/text.ts'
import { templateFilters } from '../rules/templates/templateFilters.ts'
import type { AlertRow } from './store/alertRows.ts'
import type { AlertStore } from './store/alertStore.ts'
import type { SilenceRow, TransferSilence } from './store/silenceRows.ts'
import { keptFinding } from './findingJson.ts'
import { amountNamed, gravity, stands } from './joining.ts'

/** A silence of one transfer, as somebody asks for it. */
export interface TransferInput {
  /** A key, an id or a hash. */
  readonly name: string
  /** Null is every kind that its alerts are of now. */
  readonly kinds: readonly string[] | null
  readonly untilOver: boolean
}

/** What one kind of finding says of a transfer. */
type Said = TransferSilence['kinds'][number]

/** Alerts of a transfer of which more may be sent: conditions that are not over, and events. */
function isLive({ nature, state }: Pick<AlertRow, 'nature' | 'state'>): boolean {
  return nature === 'event' ? state !== 'merged' : state !== 'resolved' && state !== 'inactive'
}

/** What a transfer's alerts say now, each kind once: its highest severity and its largest amount. */
function listSaid(alerts: readonly AlertRow[], kinds: Kinds): Said[] {
  const byKind = Map.groupBy(alerts.filter(isLive), ({ kind }) => kind)
  return [...byKind].map(([kind, rows]) => {
    const each = rows.map((row) => toSaid(row, kinds))
    const [first] = each.toSorted((a, b) => gravity[a.severity] - gravity[b.severity])
    const largest = each.toSorted((a, b) => compareDecimals(toNumber(b.amount), toNumber(a.amount)))[0]
    const { amount = null, token = '', symbol = '' } = largest ?? {}
    return { kind, severity: first?.severity ?? 'critical', amount, token, symbol }
  })
}

/**
 * What a silence of one transfer is made for: what the transfer's alerts say now.
 * @throws MonitorError `not_found`, or `usage` when the name is that of several, or nothing is said of it
 */
export function readTransferSilence(
  store: Pick<AlertStore, 'listKeysNamed' | 'listAlertsOfTransfer'>,
  { name, kinds: wanted, untilOver }: TransferInput,
  kinds: Kinds,
): TransferSilence {
  const [key, ...others] = store.listKeysNamed(name, 6)
  const shown = cleanText(name, 80)
  if (key === undefined)
    throw new MonitorError('not_found', `The ledger holds no transfer ${shown}: give a key, an id or a hash.`)
  if (others.length > 0)
    throw new MonitorError(
      'usage',
      `${shown} is of several transfers: ${[key, ...others].slice(0, 5).join(', ')}${others.length > 4 ? ', …' : ''}. Name one by its key.`,
    )
  const said = listSaid(store.listAlertsOfTransfer(key), kinds)
  const there = said.map(({ kind }) => kind)
  if (said.length === 0)
    throw new MonitorError('usage', `No alert of transfer ${key} holds now: there is nothing to silence.`)
  const missing = (wanted ?? []).filter((kind) => !there.includes(kind))
  if (missing.length > 0 || wanted?.length === 0)
    throw new MonitorError(
      'usage',
      `Transfer ${key} has no alert of ${missing.join(', ') || 'no kind'} now: there is ${there.join(', ')}.`,
    )
  return { key, untilOver, kinds: said.filter(({ kind }) => wanted?.includes(kind) ?? true) }
}

function toSaid(row: AlertRow, kinds: Kinds): Said {
  const finding = keptFinding(row)
  const amount = readAmount(finding, row, kinds)
  return {
    kind: row.kind,
    severity: row.severity,
    amount: amount && formatDecimal(amount),
    token: finding.transfer?.token.address ?? '',
    symbol: finding.transfer ? nameToken(finding.transfer) : '',
  }
}

/** A name from the chain stands in brackets, for it proves nothing. */
function nameToken({ token }: Transfer): string {
  return token.symbol ?? inBrackets(token.name || token.address)
}

function readAmount(
  finding: Finding,
  { kind, severity }: Pick<AlertRow, 'kind' | 'severity'>,
  kinds: Kinds,
): Decimal | null {
  return amountNamed({ finding, severity, kind: kinds.find(kind) })
}

function toNumber(amount: string | null): Decimal {
  return toDecimal(amount ?? '') ?? noAmount
}

/**
 * In what an alert goes beyond what a silence of its transfer was made for: another kind, a higher severity, another
 * token, or more money. Null when in nothing.
 */
export function findBeyond(made: TransferSilence, alert: AlertRow, kinds: Kinds): string | null {
  const before = made.kinds.find(({ kind }) => kind === alert.kind)
  if (!before) return `${alert.kind} is another kind than ${made.kinds.map(({ kind }) => kind).join(', ')}`
  if (gravity[alert.severity] < gravity[before.severity])
    return `${alert.severity} is more than ${before.severity}`
  const now = toSaid(alert, kinds)
  if (now.token !== before.token) return `it is about ${now.symbol}, not ${before.symbol}`
  if (now.amount === null || compareDecimals(toNumber(now.amount), toNumber(before.amount)) <= 0) return null
  return `${sayAmount(now)} is more than ${before.amount === null ? 'an amount that was not known' : sayAmount(before)}`
}

function sayAmount({ amount, symbol }: Pick<Said, 'amount' | 'symbol'>): string {
  return `${templateFilters.amount(amount)} ${symbol}`.trim()
}

/** The largest amount that an alert names, with its token; null when it names none. */
export function nameAmount(alert: AlertRow, kinds: Kinds): string | null {
  const said = toSaid(alert, kinds)
  return said.amount === null ? null : sayAmount(said)
}

/** What a silence of one transfer is made for, in words. */
export function sayScope(silence: TransferSilence): string {
  const { key, untilOver } = silence
  return `transfer ${key}: ${listScope(silence).join(', ') || 'nothing that can be read'}${untilOver ? '; until it is over' : ''}`
}

/** Each kind that it holds for, and up to what. */
export function listScope({ kinds }: TransferSilence): string[] {
  return kinds.map(
    (one) => `${one.kind} (up to ${one.severity}${one.amount === null ? '' : `, up to ${sayAmount(one)}`})`,
  )
}

/** Whether the transfer of a silence is over well: completed, and all that accused it has ended. */
export function isOverWell(
  store: Pick<AlertStore, 'readTransferNames' | 'readTransferState' | 'listAlertsOfTransfer'>,
  { transfer }: Pick<SilenceRow, 'transfer'>,
  kinds: Kinds,
): boolean {
  const [key] = transfer?.untilOver ? store.readTransferNames(transfer.key).transfer : []
  if (key === undefined || store.readTransferState(key) !== 'completed') return false
  return store.listAlertsOfTransfer(key).every((alert) => hasEnded(alert, kinds))
}

function hasEnded(alert: AlertRow, kinds: Kinds): boolean {
  if (alert.nature === 'condition') return !isLive(alert)
  const kind = kinds.find(alert.kind)
  // An event that accuses nobody, such as a large amount, stays what it is.
  return kind?.joins?.of !== 'transfer' || !stands({ finding: keptFinding(alert), kind })
}
