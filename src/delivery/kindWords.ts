import { nameTransfer } from '../bridge/describeTransfer.ts'
import type { Finding } from '../bridge/finding.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Detector } from '../rules/kind.ts'

/** What each endpoint shows, for people who do not know its number. */
const sourceWords: Readonly<Record<string, string>> = {
  E1: 'transfers of a token',
  E2: 'token movements',
  E3: 'list of transfers',
  E4: 'zone block',
  E5: 'zone blocks',
  E6: 'transactions of an address',
  E7: 'main blocks',
  E8: 'internal movements of an address',
  E9: 'zone transaction',
  E10: 'transactions of an operator',
  E11: 'main block',
  E12: "transfer's record",
  E13: 'token movements',
  E14: 'zone transaction',
  E15: 'internal movements',
  E16: 'internal movements',
  E17: 'contract source',
  E18: 'logs',
  E19: 'logs',
  E20: 'logs',
  E21: 'logs of a transaction',
  canonical: 'node of the main chain',
  zoneRpc: 'node of the zone chain',
}

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

/** What is true now of an event that was sent otherwise, or would have been. */
export function correctionOf(kind: Detector | null, finding: Finding, isUnsent = false): string {
  const { kind: name, transfer, title, isOver } = finding
  const said = transfer ? stateOf(transfer) : title
  const words = kind?.words?.corrected?.(finding) ?? (isOver ? kind?.words?.over : undefined)
  const is = isUnsent ? `${capitalize(wordsOf(name))}, taken back before it was sent` : 'Correction'
  return words === undefined ? `${is}: ${said}` : `${is}: ${words}: ${said}`
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

/** @example wordsOf('source.unavailable') // 'source unavailable' */
export function wordsOf(kind: string): string {
  return kind.replace(/[._]/g, ' ')
}

/** What to do about a finding, in one line. */
export function remedyOf(kind: Detector, finding: Pick<Finding, 'transfer'>): string {
  return kind.remedyFor?.(finding) ?? kind.remedy
}

export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/**
 * Sources of evidence with what they are.
 * @example nameSources('E3, E12') // "E3 (list of transfers), E12 (transfer's record)"
 */
export function nameSources(sources: string): string {
  return sources
    .split(', ')
    .map((source) => (sourceWords[source] === undefined ? source : `${source} (${sourceWords[source]})`))
    .join(', ')
}
