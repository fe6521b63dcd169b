import { Liquid } from 'liquidjs'
import type { FactValue } from '../../bridge/finding.ts'
import type { Compiled } from '../cel/compileExpression.ts'
import type { FactType } from '../factTable.ts'
import type { Detector } from '../kind.ts'
import {
  type FindingScope,
  standardLabels,
  tokenNames,
  transferNames,
  type TransferScope,
} from '../toFindingScope.ts'
import { compileText } from './compileText.ts'
import { limitTemplates, takeMilliseconds } from './limitTemplates.ts'
import { templateFilters } from './templateFilters.ts'

/** A summary is one line of a message; what is longer is cut where it is shown. */
const maxTemplate = 2_000

const at = Date.UTC(2026, 0, 1)

const hash = `0x${'ab'.repeat(32)}`

const address = `0x${'cd'.repeat(20)}`

const sampleTransfer: TransferScope = {
  what: 'Withdrawal of 1.5 USDC',
  key: 't1',
  id: hash,
  direction: 'ZoneToMain',
  crossType: 'Withdraw',
  state: 'pending',
  status: 'success',
  amount: '1.5',
  amountRaw: '1500000',
  token: { address, symbol: 'USDC', name: 'USD Coin', label: 'USDC', type: 'ERC20', id: '' },
  mainTxHash: hash,
  zoneTxHash: hash,
  mainHeight: 1,
  zoneHeight: 1,
  source: address,
  target: address,
  from: address,
  to: address,
  originAt: at,
  destinationAt: at,
  firstSeenAt: at,
  updatedAt: at,
}

/** Tags that can neither read a file nor keep a template busy beyond the render limits. */
const allowedTags = new Set([
  'assign',
  'break',
  'capture',
  'case',
  'comment',
  'continue',
  'echo',
  'for',
  'if',
  'raw',
  'unless',
  '#',
])

/** Filters that take an expression from their argument, which may be data: what data says must never be evaluated. */
const evaluatingFilters = /_exp$/

const noFiles = {
  exists: async () => false,
  existsSync: () => false,
  readFile: async (): Promise<string> => refuse(),
  readFileSync: (): string => refuse(),
  resolve: (_directory: string, file: string) => file,
}

/**
 * Parses a text and checks it against the names of a kind. Names that are put together at run time (`facts[kind]`)
 * cannot be checked here and fail, if they do, when they are rendered.
 */
export function compileTemplate(
  engine: Liquid,
  detector: Detector,
  ownLabels: readonly string[],
  text: string,
): Compiled<(scope: FindingScope) => string> {
  const known = listNames(detector, ownLabels)
  const samples = [toVariables(createSampleScope(detector, ownLabels))]
  const compiled = compileText(engine, { known, samples, maxLength: maxTemplate }, text)
  return compiled.ok ? { ok: true, run: (scope) => compiled.run(toVariables(scope)) } : compiled
}

function toVariables(scope: FindingScope): Record<string, unknown> {
  return {
    ...scope.subjects,
    kind: scope.kind,
    age: scope.age,
    facts: scope.facts,
    labels: scope.labels,
    ...(scope.transfer !== null && { transfer: scope.transfer }),
  }
}

function listNames(detector: Detector, ownLabels: readonly string[]): string[] {
  return [
    'kind',
    'age',
    ...Object.keys(detector.facts).map((name) => `facts.${name}`),
    ...(detector.hasTransfer
      ? [...Object.keys(transferNames), ...tokenNames.map((name) => `token.${name}`)].map(
          (n) => `transfer.${n}`,
        )
      : []),
    ...detector.subjectNames,
    ...[...standardLabels, ...ownLabels].map((name) => `labels.${name}`),
  ]
}

/** A finding of a kind with every name filled, to try a text on when it is loaded. */
function createSampleScope(detector: Detector, ownLabels: readonly string[]): FindingScope {
  const samples: Record<FactType, FactValue> = {
    string: '1',
    int: 1,
    bool: true,
    'string|null': '1',
    'int|null': 1,
    'bool|null': true,
  }
  const names = [...standardLabels, ...ownLabels]
  return {
    kind: detector.kind,
    age: 60_000,
    transfer: detector.hasTransfer ? sampleTransfer : null,
    facts: Object.fromEntries(Object.entries(detector.facts).map(([name, type]) => [name, samples[type]])),
    labels: Object.fromEntries(names.map((name) => [name, 'x'])),
    subjects: Object.fromEntries(detector.subjectNames.map((name) => [name, 'x'])),
  }
}

/**
 * Liquid without files, without prototypes, with small limits and our own filters. `lenientIf`: a name that is not there
 * may be asked for by `if` and given another value by `default`.
 */
export function createTemplateEngine({ lenientIf = false } = {}): Liquid {
  const engine = new Liquid({
    strictFilters: true,
    strictVariables: true,
    lenientIf,
    ownPropertyOnly: true,
    dynamicPartials: false,
    relativeReference: false,
    cache: false,
    // As `time` does: not in the zone of whichever machine it is.
    timezoneOffset: 0,
    parseLimit: 20_000,
    // Wall time, so that a busy machine must not cut a good text short; memory bounds the loops.
    renderLimit: 500,
    memoryLimit: 200_000,
    fs: noFiles,
  })
  for (const tag of Object.keys(engine.tags)) if (!allowedTags.has(tag)) delete engine.tags[tag]
  for (const filter of Object.keys(engine.filters)) {
    if (evaluatingFilters.test(filter)) delete engine.filters[filter]
  }
  for (const [name, filter] of Object.entries(templateFilters)) engine.registerFilter(name, filter)
  takeMilliseconds(engine)
  limitTemplates(engine)
  return engine
}

function refuse(): never {
  throw new Error('templates read no files')
}
