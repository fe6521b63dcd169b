import type { Config } from '../config/config.ts'
import { formatDuration } from '../lib/duration.ts'
import { lowerHash } from '../lib/lowerHash.ts'
import { suggest } from '../lib/nearest.ts'
import {
  problemAt,
  problemInside,
  type YamlDoc,
  type YamlPath,
  type YamlProblem,
} from '../lib/yamlProblems.ts'
import { dottedName, listComparisons } from '../rules/cel/comparisons.ts'
import { parseExpression } from '../rules/cel/createEnvironment.ts'
import { walk } from '../rules/cel/walk.ts'
import { crossTypes, tokenTypes } from '../bridge/observation.ts'
import type { ConfiguredName, WordName } from '../rules/kind.ts'
import type { AskedName } from '../rules/listAsked.ts'
import type { LoadedRule } from '../rules/types.ts'
import { findUnknown, sourceNames, type Vocabulary } from './vocabulary.ts'

interface Known {
  readonly config: Config
  readonly vocabulary: Vocabulary
}

/**
 * What routes and inhibitions ask for that no alert can have, such as a rule's name that is mistyped: the alert goes by
 * another route, or to nobody. No mistake in the file, since rules are read again while the daemon runs.
 */
export function warnOfUnknownWords(doc: YamlDoc, known: Known): YamlProblem[] {
  const { routes, inhibit } = known.config
  return [...routes.flatMap(askedByRoute), ...inhibit.flatMap(askedByInhibition)].flatMap(
    ({ path, text, isLabel }) =>
      (isLabel ? findUnknownLabel(text, known, 0) : findUnknownIn(text, known)).map(({ offset, message }) =>
        isLabel ? problemAt(doc, path, message) : problemInside(doc, path, offset, message),
      ),
  )
}

interface Asked {
  readonly path: YamlPath
  readonly text: string
  /** Not a condition, but the name of a label. */
  readonly isLabel: boolean
}

function askedByRoute({ match, groupBy }: Config['routes'][number], index: number): Asked[] {
  const at = (...rest: YamlPath): YamlPath => ['routes', index, ...rest]
  const labels = groupBy.map((text, place) => ({ path: at('groupBy', place), text, isLabel: true }))
  return [
    ...(match === null ? [] : [{ path: at('match'), text: match, isLabel: false }]),
    ...labels.filter(({ text }) => text !== 'case'),
  ]
}

function askedByInhibition({ source, target, equal }: Config['inhibit'][number], index: number): Asked[] {
  const at = (...rest: YamlPath): YamlPath => ['inhibit', index, ...rest]
  return [
    { path: at('source'), text: source, isLabel: false },
    { path: at('target'), text: target, isLabel: false },
    ...equal.map((text, place) => ({ path: at('equal', place), text, isLabel: true })),
  ]
}

interface Unknown {
  readonly offset: number
  readonly message: string
}

function findUnknownIn(text: string, known: Known): Unknown[] {
  const root = parseExpression(text)
  const labels = [...walk(root)].flatMap((node) => {
    const label = /^labels\.(.+)$/s.exec(dottedName(node) ?? '')?.[1]
    return label === undefined ? [] : findUnknownLabel(label, known, node.start)
  })
  const values = listComparisons(root).flatMap(({ name, literals, isWhole }) =>
    literals.flatMap(({ args: value, start: offset }) => {
      const message = isWhole ? findUnknownValue(name.replace(/^labels\./, ''), value, known) : null
      return message === null ? [] : [{ offset, message }]
    }),
  )
  return [...labels, ...values]
}

function findUnknownLabel(label: string, { vocabulary }: Known, offset: number): Unknown[] {
  if (vocabulary.labels.has(label)) return []
  const message = findUnknown({ label, operator: '=', value: '' }, vocabulary)
  return message === null ? [] : [{ offset, message }]
}

function findUnknownValue(label: string, value: string, { config, vocabulary }: Known): string | null {
  if (!vocabulary.labels.has(label)) return null
  const of = label === 'token' ? 'tokenAddress' : label
  return of === 'symbol' || of === 'tokenAddress'
    ? findUnconfigured(of, value, config)
    : findUnknown({ label, operator: '=', value }, vocabulary)
}

/** What a configuration says of the bridge, as far as rules ask for it. */
interface NamedParts {
  readonly retention: { readonly transfersMs: number }
  readonly bridge: {
    readonly tokens: readonly { readonly address: string; readonly symbol: string }[]
    readonly contracts: readonly string[]
    readonly escrows: readonly { readonly address: string }[]
    readonly operators: readonly { readonly address: string }[]
    readonly limits: readonly { readonly address: string; readonly name: string }[]
    readonly challenge: { readonly terminal: readonly string[] }
  }
}

/** What rules ask for and nothing that is configured has: they would raise nothing, as if all were well. */
export function warnOfUnknownNames(rules: readonly LoadedRule[], config: NamedParts): YamlProblem[] {
  const natures = new Map(rules.map(({ kind, detector }) => [kind, detector.nature]))
  return rules
    .flatMap(({ asked }) => asked ?? [])
    .flatMap(({ of, name, place }) => {
      const message = findMistake(of, name)
      return message === null ? [] : [{ ...place, message }]
    })

  function findMistake(of: AskedName['of'], name: string): string | null {
    if (of === 'kind') return findNeverOpen(name, natures.get(name))
    if (of === 'bound') return name
    if (of === 'age') return findForgotten(Number(name), config)
    return of === 'hash' ? findNoHash(name) : findUnconfigured(of, name, config)
  }
}

/** Challenges alone are forgotten while they are open; without a value that ends them nothing is said of any. */
function findForgotten(afterMs: number, { bridge, retention }: NamedParts): string | null {
  if (bridge.challenge.terminal.length === 0 || afterMs < retention.transfersMs) return null
  return `\`after\` is ${formatDuration(afterMs)}, and \`retention.transfers\` forgets what is so old: it is never found; lower the one or raise the other`
}

/** As it is kept, or empty where there is none. */
function findNoHash(name: string): string | null {
  if (name === '' || /^0x([0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)) return null
  return `\`${name}\` is no address and no hash: these are 0x and 40 or 64 hex digits`
}

function findNeverOpen(kind: string, nature: 'event' | 'condition' | undefined): string | null {
  if (nature === undefined) return `no rule is on \`${kind}\`: it is never open`
  return nature === 'event' ? `\`${kind}\` is an event, which is sent once and never open` : null
}

/** A token that is not configured has no symbol; its address may cross the bridge all the same. */
function findUnconfigured(
  of: ConfiguredName | WordName,
  name: string,
  { bridge }: NamedParts,
): string | null {
  const symbols = bridge.tokens.map(({ symbol }) => symbol)
  const addresses = (all: readonly { readonly address: string }[]) => all.map(({ address }) => address)
  const limits = bridge.limits.map((limit) => limit.name)
  const contracts = [...bridge.contracts, ...addresses(bridge.escrows), ...addresses(bridge.limits)]
  const said = {
    symbol: ['no token of bridge.tokens has the symbol', ['', ...symbols]],
    token: ['no token of bridge.tokens has the symbol', symbols],
    tokenAddress: ['labels["symbol"] holds the symbol; no token of bridge.tokens has the address', ['']],
    operator: ['bridge.operators does not list', addresses(bridge.operators)],
    contract: ['bridge.contracts does not list', ['', ...contracts]],
    limit: ['no limit of bridge.limits has the name', limits],
    crossType: [`of ${listed(crossTypes)}, which are documented, none is`, ['', ...crossTypes]],
    tokenType: [`of ${listed(tokenTypes)}, which are documented, none is`, ['', ...tokenTypes]],
    source: [`of ${listed(sourceNames)}, which are all sources, none is`, sourceNames],
  } as const satisfies Record<ConfiguredName | WordName, readonly [string, readonly string[]]>
  const [says, known] = said[of]
  const isThere = known.some((one) => lowerHash(one) === lowerHash(name))
  if (isThere) return null
  if (of.startsWith('token') && /^0x/i.test(name)) return findNoHash(name)
  return `${says} \`${name}\`${suggest(name, known)}`
}

function listed(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ')
}
