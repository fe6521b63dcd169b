import { nameTransfer } from '../bridge/describeTransfer.ts'
import type { FactValue, Finding } from '../bridge/finding.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { inBrackets } from '../lib/text.ts'
import type { FactType } from './factTable.ts'
import type { Detector } from './kind.ts'

/** Labels that every alert has, '' when a finding gives none; the rule's own come on top. */
export const standardLabels = [
  'rule',
  'kind',
  'severity',
  'token',
  'symbol',
  'direction',
  'chain',
  'source',
  'channel',
  'poller',
  'contract',
] as const

/**
 * Labels that name the transfer which an alert is about, in silences and routes. They belong to no alert: a transfer gets
 * its hashes one by one, and may be joined into another, while an alert stays the one that it is.
 */
export const transferLabels = ['transfer', 'transfer_id', 'main_tx', 'zone_tx'] as const

/** What `transfer` consists of in `where` and in templates, with the type of each name. */
export const transferNames = {
  what: 'string',
  key: 'string',
  id: 'string',
  direction: 'string',
  crossType: 'string',
  state: 'string',
  status: 'string',
  amount: 'amount',
  amountRaw: 'string',
  token: 'token',
  mainTxHash: 'string',
  zoneTxHash: 'string',
  mainHeight: 'int|null',
  zoneHeight: 'int|null',
  source: 'string',
  target: 'string',
  from: 'string',
  to: 'string',
  originAt: 'time',
  destinationAt: 'time?',
  firstSeenAt: 'time',
  updatedAt: 'time?',
} as const

export const tokenNames = ['address', 'symbol', 'name', 'label', 'type', 'id'] as const

export interface TransferScope extends Record<Exclude<keyof typeof transferNames, 'token'>, FactValue> {
  readonly token: Readonly<Record<(typeof tokenNames)[number], string>>
}

/** The plain values behind the names of a rule's texts. Strings from the chain are data in it, never source. */
export interface FindingScope {
  readonly kind: string
  readonly age: number
  readonly transfer: TransferScope | null
  readonly facts: Readonly<Record<string, FactValue>>
  readonly labels: Readonly<Record<string, string>>
  readonly subjects: Readonly<Record<string, string>>
}

export interface RuleIdentity {
  readonly name: string
  readonly severity: string
  readonly labels: Readonly<Record<string, string>>
}

export function toFindingScope(
  detector: Detector,
  rule: RuleIdentity,
  finding: Finding,
  now: UnixMs,
): FindingScope {
  const labels = toLabels(rule, finding)
  return {
    kind: finding.kind,
    age: Math.max(now - finding.since, 0),
    transfer: finding.transfer === null ? null : toTransferScope(finding.transfer),
    facts: toFactScope(detector.facts, finding.facts),
    labels,
    subjects: Object.fromEntries(detector.subjectNames.map((name) => [name, labels[name] ?? ''])),
  }
}

function toLabels(rule: RuleIdentity, finding: Finding): Record<string, string> {
  return {
    ...Object.fromEntries(standardLabels.map((name) => [name, ''])),
    ...finding.labels,
    ...rule.labels,
    rule: rule.name,
    kind: finding.kind,
    severity: rule.severity,
  }
}

/** Every declared fact is there, so that a text may ask for one that this finding lacks. */
function toFactScope(
  types: Readonly<Record<string, FactType>>,
  facts: Readonly<Record<string, FactValue>>,
): Record<string, FactValue> {
  const empty = {
    string: '',
    int: 0,
    bool: false,
    'string|null': null,
    'int|null': null,
    'bool|null': null,
  } as const
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [name, facts[name] ?? empty[type]]))
}

function toTransferScope(transfer: Transfer): TransferScope {
  const { token } = transfer
  return {
    what: nameTransfer(transfer),
    key: transfer.key,
    id: transfer.id ?? '',
    direction: transfer.direction,
    crossType: transfer.crossType,
    state: transfer.state,
    status: transfer.status,
    amount: transfer.amount,
    amountRaw: transfer.amountRaw?.toString() ?? '',
    token: {
      address: token.address,
      symbol: token.symbol ?? '',
      name: token.name,
      // A name from the chain is not to be trusted; brackets say so.
      label:
        token.symbol ?? (token.name === '' && token.address !== '' ? token.address : inBrackets(token.name)),
      type: token.type,
      id: token.id,
    },
    mainTxHash: transfer.main?.hash ?? '',
    zoneTxHash: transfer.zone?.hash ?? '',
    mainHeight: transfer.main?.height ?? null,
    zoneHeight: transfer.zone?.height ?? null,
    source: transfer.sourceAddress,
    target: transfer.targetAddress,
    from: transfer.from,
    to: transfer.to,
    originAt: transfer.originAt,
    destinationAt: transfer.destinationAt,
    firstSeenAt: transfer.firstSeenAt,
    updatedAt: transfer.updateTime,
  }
}
