import type { Finding } from '../bridge/finding.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { formatDuration } from '../lib/duration.ts'

/**
 * The verdict of a finding in one line, in the product's own words: what a rule without a `summary` says.
 * @example verdictOf(finding, now) // 'Withdrawal of 1.5 USDC failed'
 */
export function verdictOf(finding: Finding, now: UnixMs): string {
  const { kind, transfer, title } = finding
  if (transfer) {
    const what = nameTransfer(transfer)
    if (kind === 'transfer.failed') return `${what} failed`
    if (kind === 'transfer.stalled')
      return `${what} has not arrived after ${formatDuration(now - finding.since)}${usualOf(finding)}`
    if (kind === 'transfer.rewritten') return `${what}: its final record was changed`
    return `${what}: ${ownWords[kind] ?? wordsOf(kind)}`
  }
  const flow = flowWords[kind]
  if (flow) return `${flow}: ${title}${boundOf(finding)}`
  return `${capitalize(wordsOf(kind))}: ${title}`
}

const flowWords: Readonly<Partial<Record<Finding['kind'], string>>> = {
  'flow.surge': 'More than usual crosses the bridge',
  'flow.quiet': 'Nothing crosses the bridge',
  'flow.imbalance': 'Far more crosses the bridge in one direction',
}

/** @example boundOf(finding) // ', 60 transfers in 15m (bound: 50 transfers)' */
function boundOf({ facts: { count, windowMs, bound } }: Finding): string {
  if (typeof windowMs !== 'number' || typeof bound !== 'string') return ''
  return `, ${String(count)} transfers in ${formatDuration(windowMs)} (bound: ${bound})`
}

/** @example usualOf(finding) // ' (usually 4m, p99 12m)' */
function usualOf({ facts: { usualMs, p99Ms } }: Finding): string {
  if (typeof usualMs !== 'number' || typeof p99Ms !== 'number') return ''
  return ` (usually ${formatDuration(usualMs)}, p99 ${formatDuration(p99Ms)})`
}

/** Where the name of the kind alone would be clumsy. */
const ownWords: Readonly<Partial<Record<Finding['kind'], string>>> = {
  'transfer.unbacked': 'arrived without proof that it left',
  'transfer.mismatch': 'its record and its transactions disagree',
  'source.disagreement': 'the second source tells another story than the explorer',
  'transfer.duplicate': 'paid more than once',
  'transfer.vanished': 'its record is gone',
  'transfer.out_of_order': 'its times are out of order',
  'transfer.large': 'unusually large',
  'batch.unresolved': 'its batch detail cannot be read',
  'batch.mismatch': 'its batch does not add up',
}

/** What became of events that were told and are over. */
const overWords: Readonly<Partial<Record<Finding['kind'], string>>> = {
  'transfer.mismatch': 'its record and its transactions agree by now',
  'source.disagreement': 'the second source and the explorer tell the same story by now',
  'transfer.duplicate': 'it is not paid more than once any more',
  'transfer.out_of_order': 'its times are in order by now',
  'batch.unresolved': 'its batch detail can be read by now',
  'batch.mismatch': 'its batch adds up by now',
  'preconf.dropped': 'it is in a block after all',
}

/** What is true now of an event that was told otherwise. */
export function correctionOf(finding: Finding): string {
  const { kind, transfer, title, isOver } = finding
  const over = isOver ? overWords[kind] : undefined
  const said = transfer ? stateOf(transfer) : title
  if (kind === 'transfer.unbacked' && transfer?.originProof === 'proven')
    return `Correction: its origin is proven by now: ${said}`
  if (kind === 'transfer.vanished') return `Correction: its record is shown again: ${said}`
  return over === undefined ? `Correction: ${said}` : `Correction: ${over}: ${said}`
}

/** What is true of a transfer now, for the end of an alert about it and for corrections. */
export function stateOf(transfer: Transfer): string {
  const words = {
    pending: 'is on its way',
    completed: 'has arrived',
    failed: 'failed',
    unbacked: 'has no proven origin',
  } as const
  return `${nameTransfer(transfer)} ${words[transfer.state]}`
}

/** @example nameTransfer(transfer) // 'Withdrawal of 1.5 USDC' */
function nameTransfer(transfer: Transfer): string {
  return `${transfer.direction === 'MainToZone' ? 'Deposit' : 'Withdrawal'} of ${amountOf(transfer)}`
}

/** Exact, with the token: its symbol where the configuration lists it, else the untrusted name in brackets. */
export function amountOf(transfer: Transfer): string {
  const { amount, amountRaw } = transfer
  if (amount !== null) return `${amount} ${tokenOf(transfer)}`
  return amountRaw === null
    ? `an unknown amount of ${tokenOf(transfer)}`
    : `${amountRaw} base units of ${tokenOf(transfer)}`
}

export function tokenOf({ token }: Transfer): string {
  const name = token.symbol ?? (token.name === '' ? '[unnamed token]' : `[${token.name}]`)
  return token.id === '' ? name : `${name} #${token.id}`
}

/** @example wordsOf('source.unavailable') // 'source unavailable' */
function wordsOf(kind: string): string {
  return kind.replace(/[._]/g, ' ')
}

export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
