import type { Finding } from '../bridge/finding.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Detector } from '../rules/kind.ts'

/**
 * What a finding says in one line, in the words of its kind: for a rule without a `summary`.
 * @example sayFinding(kind, finding, now) // 'Withdrawal of 1.5 USDC failed'
 */
export function sayFinding(kind: Detector | null, finding: Finding, now: UnixMs): string {
  const { transfer, title } = finding
  const own = kind?.hasTransfer === (transfer !== null) ? kind.words?.open : undefined
  const what = transfer ? nameTransfer(transfer) : title
  if (typeof own === 'function') return own({ what, finding, now })
  const words = own ?? wordsOf(finding.kind)
  return transfer ? `${what}: ${words}` : `${capitalize(words)}: ${what}`
}

/** What is true now of an event that was sent otherwise. */
export function correctionOf(kind: Detector | null, { transfer, title, isOver }: Finding): string {
  const said = transfer ? stateOf(transfer) : title
  const words = kind?.words?.corrected?.(transfer) ?? (isOver ? kind?.words?.over : undefined)
  return words === undefined ? `Correction: ${said}` : `Correction: ${words}: ${said}`
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
export function wordsOf(kind: string): string {
  return kind.replace(/[._]/g, ' ')
}

export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
