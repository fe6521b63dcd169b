import { findingLabelNames } from '../../bridge/finding.ts'
import { directions } from '../../bridge/observation.ts'
import {
  type FindingScope,
  standardLabels,
  tokenNames,
  transferLabels,
  transferNames,
  type TransferScope,
} from '../toFindingScope.ts'
import { type Compiled, compileExpression, type Vocabulary } from './compileExpression.ts'
import { createEnvironment } from './createEnvironment.ts'
import { Duration } from '@marcbachmann/cel-js/evaluator'
import type { FactType } from '../factTable.ts'
import type { Detector } from '../kind.ts'
import { toAmountValue } from './amountValue.ts'

/**
 * Compiles a condition over an alert's labels, as routes and inhibitions write it. The standard labels are names of
 * their own, '' where an alert has none; `labels` holds all of them, the rule's own included.
 * @example compileLabelPredicate(kinds, 'severity == "critical" && kind in ["transfer.failed"]')
 */
export function compileLabelPredicate(
  kinds: readonly string[],
  text: string,
  others: readonly string[] = [],
): Compiled<(labels: Readonly<Record<string, string>>) => boolean> {
  const names = [...standardLabels, ...others]
  const environment = createEnvironment().registerVariable('labels', 'map<string, string>')
  for (const name of names) environment.registerVariable(name, 'string')
  const compiled = compileExpression(environment, text, {
    names: [...names, 'labels'],
    values: { ...labelValues(kinds), ...underLabels(labelValues(kinds)) },
    isLowerCase: (name) => isOf(lowered, name.replace(/^labels\./, '')),
    isHash: (name) => isOf(hashLabels, name.replace(/^labels\./, '')),
    isText: () => true,
  })
  if (!compiled.ok) return compiled
  return {
    ok: true,
    run: (labels) => {
      const standard = Object.fromEntries(names.map((name) => [name, labels[name] ?? '']))
      return compiled.run({ ...standard, labels: toLabelMap(labels) })
    },
  }
}

/** What decides whether a route takes an alert. */
export interface RouteMatch {
  readonly matches: (labels: Readonly<Record<string, string>>) => boolean
  /** Whether it names the alert's transfer: `transfer`, `transfer_id`, `main_tx` or `zone_tx` are then among the labels. */
  readonly asksTransfer: boolean
}

/** Compiles a route's `match`: a condition over labels that may name the alert's transfer too. */
export function compileRouteMatch(kinds: readonly string[], text: string): Compiled<RouteMatch> {
  const plain = compileLabelPredicate(kinds, text)
  if (plain.ok) return { ok: true, run: { matches: plain.run, asksTransfer: false } }
  const named = compileLabelPredicate(kinds, text, transferLabels)
  return named.ok ? { ok: true, run: { matches: named.run, asksTransfer: true } } : named
}

/** What labels can be; one that an alert lacks is ''. */
function labelValues(kinds: readonly string[]): Record<string, readonly string[]> {
  return {
    kind: kinds,
    severity: ['critical', 'warning', 'info'],
    direction: [...directions, ''],
    chain: ['main', 'zone', ''],
  }
}

function underLabels<T>(values: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`labels.${name}`, value]))
}

/** Labels whose addresses and hashes are kept in lower case; a rule's own are as it writes them. */
const lowered: readonly string[] = [...findingLabelNames, ...transferLabels]

/** Of them those that hold an address or a hash and nothing else. */
const hashLabels: readonly string[] = ['token', 'contract', 'escrow', 'operator', 'main_tx', 'zone_tx']

/** What stands for an address or a hash, and is empty where there is none. */
export const hashNames: readonly string[] = [
  'transfer.mainTxHash',
  'transfer.zoneTxHash',
  'transfer.source',
  'transfer.target',
  'transfer.from',
  'transfer.to',
  'transfer.token.address',
  'contract',
  'escrow',
  'operator',
]

function isOf(names: readonly string[], name: string): boolean {
  return names.includes(name)
}

const durationType = 'google.protobuf.Duration'

const celTypes = {
  string: 'string',
  int: 'int',
  bool: 'bool',
  amount: 'Amount',
  token: 'Token',
  time: 'google.protobuf.Timestamp',
  // These may be null, and a typed name may not.
  'string|null': 'dyn',
  'int|null': 'dyn',
  'bool|null': 'dyn',
  'time?': 'dyn',
} as const

/** What those are when they are not null. */
const nullableTypes: Readonly<Record<string, string>> = {
  'string|null': 'string',
  'int|null': 'int',
  'bool|null': 'bool',
  'time?': 'google.protobuf.Timestamp',
}

/** A value with named parts; CEL finds a value's type by its class. */
// CEL distinguishes types by class: one with data only is what it takes.
// oxlint-disable-next-line typescript/no-extraneous-class
class Parts {
  constructor(parts: Readonly<Record<string, unknown>>) {
    Object.assign(this, parts)
  }
}
class TokenParts extends Parts {}
class TransferParts extends Parts {}
class FactParts extends Parts {}

/** The rule that an expression stands in, and what it may name. */
export interface WhereContext {
  readonly detector: Detector
  /** Those that the rule itself gives. */
  readonly ownLabels: readonly string[]
  /** What names can be in its findings alone, whatever they are in others. */
  readonly ownValues: Readonly<Record<string, readonly string[]>>
}

/**
 * Compiles a rule's `where` for one kind of finding: `transfer` exists only where the kind has one, and the facts are
 * the kind's own, typed.
 */
export function compileWhere(
  context: WhereContext,
  text: string,
): Compiled<(scope: FindingScope) => boolean> {
  const { detector } = context
  const environment = createEnvironment()
  environment
    .registerType('Token', {
      ctor: TokenParts,
      fields: Object.fromEntries(tokenNames.map((n) => [n, 'string'])),
    })
    .registerType('Transfer', {
      ctor: TransferParts,
      fields: Object.fromEntries(Object.entries(transferNames).map(([name, type]) => [name, celTypes[type]])),
    })
    .registerType('Facts', {
      ctor: FactParts,
      fields: Object.fromEntries(
        Object.entries(detector.facts).map(([name, type]) => [name, celTypes[type]]),
      ),
    })
    .registerVariable('kind', 'string')
    .registerVariable('age', durationType)
    .registerVariable('facts', 'Facts')
    .registerVariable('labels', 'map<string, string>')
  if (detector.hasTransfer) environment.registerVariable('transfer', 'Transfer')
  for (const name of detector.subjectNames) environment.registerVariable(name, 'string')

  const compiled = compileExpression(environment, text, toVocabulary(context))
  if (!compiled.ok) return compiled
  return { ok: true, run: (scope) => compiled.run(toVariables(detector, scope)) }
}

function toVocabulary({ detector, ownLabels, ownValues }: WhereContext): Vocabulary {
  const nullables = listNullables(detector)
  const transfer = Object.keys(transferNames).map((name) => `transfer.${name}`)
  const token = tokenNames.map((name) => `transfer.token.${name}`)
  return {
    names: [
      'kind',
      'age',
      'labels',
      ...Object.keys(detector.facts).map((name) => `facts.${name}`),
      ...(detector.hasTransfer ? [...transfer, ...token] : []),
      ...detector.subjectNames,
    ],
    values: {
      kind: [detector.kind],
      chain: ['main', 'zone'],
      ...Object.fromEntries(
        Object.entries(detector.factWords).map(([name, words]) => [`facts.${name}`, words]),
      ),
      ...Object.fromEntries(
        [...nullables].flatMap(([name, type]) => (type === 'string' ? [] : [[name, []]])),
      ),
      'transfer.direction': directions,
      'transfer.state': ['pending', 'completed', 'failed', 'unbacked'],
      'transfer.status': ['success', 'failed', 'unknown'],
      ...underLabels(
        Object.fromEntries(
          Object.entries(labelValues([detector.kind])).filter(([name]) => !ownLabels.includes(name)),
        ),
      ),
    },
    ownValues,
    isLowerCase: (name) => name !== 'transfer.id' && !ownLabels.some((own) => name === `labels.${own}`),
    isHash: (name) => {
      const [, label] = /^labels\.(.+)$/.exec(name) ?? []
      if (label === undefined) return isOf(hashNames, name)
      return isOf(hashLabels, label) && !ownLabels.includes(label)
    },
    labels: [...standardLabels, ...findingLabelNames, ...ownLabels],
    isText: (name) => isTextName(detector, name),
    typeOfNullable: (name) => nullables.get(name) ?? null,
  }
}

/** The names that may be null, with the type that they have otherwise: no check of the language's own knows it. */
function listNullables({ facts }: Detector): ReadonlyMap<string, string> {
  const typed = [
    ...Object.entries(facts).map(([name, type]) => [`facts.${name}`, type] as const),
    ...Object.entries(transferNames).map(([name, type]) => [`transfer.${name}`, type] as const),
  ]
  return new Map(
    typed.flatMap(([name, type]) => {
      const plain = nullableTypes[type]
      return plain === undefined ? [] : [[name, plain] as const]
    }),
  )
}

function isTextName({ facts }: Detector, name: string): boolean {
  const [first, ...rest] = name.split('.')
  const below = rest.join('.')
  if (first === 'facts') return facts[below] === 'string'
  if (first !== 'transfer') return first !== 'age'
  const types: Readonly<Record<string, string>> = transferNames
  return rest[0] === 'token' || types[below] === 'string'
}

function toVariables(detector: Detector, scope: FindingScope): Record<string, unknown> {
  return {
    kind: scope.kind,
    age: Duration.fromMilliseconds(scope.age),
    labels: toLabelMap(scope.labels),
    facts: new FactParts(toCelFacts(detector.facts, scope)),
    ...scope.subjects,
    ...(scope.transfer !== null && { transfer: toTransferParts(scope.transfer) }),
  }
}

function toCelFacts(types: Readonly<Record<string, FactType>>, scope: FindingScope): Record<string, unknown> {
  return Object.fromEntries(Object.keys(types).map((name) => [name, toCelNumber(scope.facts[name] ?? null)]))
}

function toTransferParts(transfer: TransferScope): TransferParts {
  return new TransferParts({
    ...transfer,
    amount: toAmountValue(typeof transfer.amount === 'string' ? transfer.amount : null),
    token: new TokenParts(transfer.token),
    mainHeight: toCelNumber(transfer.mainHeight),
    zoneHeight: toCelNumber(transfer.zoneHeight),
    originAt: toCelTime(transfer.originAt),
    destinationAt: toCelTime(transfer.destinationAt),
    firstSeenAt: toCelTime(transfer.firstSeenAt),
    updatedAt: toCelTime(transfer.updatedAt),
  })
}

/** CEL's integers are bigint; a JavaScript number is a double to it. */
function toCelNumber(value: unknown): unknown {
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
}

function toCelTime(value: unknown): Date | null {
  return typeof value === 'number' ? new Date(value) : null
}

/** Labels as an expression sees them: one that an alert lacks reads as ''. */
function toLabelMap(labels: Readonly<Record<string, string>>): Map<string, string> {
  const map = new Map(Object.entries(labels))
  const present = map.get.bind(map)
  // Not a subclass: CEL recognises a map by its constructor.
  map.get = (name) => present(name) ?? ''
  return map
}
