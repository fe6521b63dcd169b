import type { ASTNode } from '@marcbachmann/cel-js'
import { valueAt } from '../lib/schemaProblems.ts'
import { problemAt, problemInside, type YamlDoc, type YamlProblem } from '../lib/yamlProblems.ts'
import { isText, listComparisons, type TextNode } from './cel/comparisons.ts'
import { hashNames } from './cel/compileConditions.ts'
import { parseExpression } from './cel/createEnvironment.ts'
import { findUselessBounds } from './cel/uselessBounds.ts'
import { walk } from './cel/walk.ts'
import type { ConfiguredName, Detector, WordName } from './kind.ts'

/**
 * A name that a rule asks for: where the configuration has it not, the rule finds nothing, as if all were well. Or a kind
 * whose alerts it asks for: where no rule is on it, it is never open. Or an address or a hash, which has its form. Or an
 * age, in milliseconds, that nothing reaches where it is forgotten before. Or a bound that is always kept, or never: its name
 * is what to say.
 */
export interface AskedName {
  readonly of: ConfiguredName | WordName | 'kind' | 'hash' | 'age' | 'bound'
  readonly name: string
  readonly place: Omit<YamlProblem, 'message'>
}

interface RuleText {
  readonly doc: YamlDoc
  readonly index: number
  readonly raw: unknown
}

/** Names that mean the same in the rules of all kinds. */
const everywhere: Readonly<Record<string, AskedName['of']>> = {
  'transfer.token.symbol': 'symbol',
  'labels.symbol': 'symbol',
  'transfer.token.address': 'tokenAddress',
  'transfer.token.type': 'tokenType',
  'transfer.crossType': 'crossType',
  'labels.token': 'tokenAddress',
  operator: 'operator',
  'labels.operator': 'operator',
  contract: 'contract',
  'labels.contract': 'contract',
}

/** What a rule's `where`, its `unless` and its parameters ask for that only a configuration or other rules can have. */
export function listAsked(of: RuleText, detector: Detector, params: unknown): readonly AskedName[] {
  const { configured = {}, isForgottenByAge } = detector
  return [
    ...askedByWhere(of, { ...everywhere, ...configured }),
    ...askedBounds(of, detector, params),
    ...askedByUnless(of),
    ...askedByParams(of, configured),
    ...(isForgottenByAge ? askedAge(of, params) : []),
  ]
}

function askedBounds({ doc, index, raw }: RuleText, detector: Detector, params: unknown): AskedName[] {
  const text = valueAt(raw, ['where'])
  if (typeof text !== 'string') return []
  const after = detector.isAsOldAsAfter ? valueAt(params, ['after']) : null
  const percents = Object.keys(detector.facts).filter((name) => /percent$/i.test(name))
  return findUselessBounds(parseExpression(text), {
    leastAgeMs: typeof after === 'number' ? after : null,
    percents: percents.map((name) => `facts.${name}`),
  }).map(({ message: name, offset }) => ({
    of: 'bound',
    name,
    place: problemInside(doc, ['rules', index, 'where'], offset, ''),
  }))
}

/** At the rule's name where it is the default. */
function askedAge({ doc, index, raw }: RuleText, params: unknown): AskedName[] {
  const after = valueAt(params, ['after'])
  if (typeof after !== 'number') return []
  const isWritten = valueAt(raw, ['with', 'after']) !== undefined
  const path = ['rules', index, ...(isWritten ? ['with', 'after'] : ['name'])]
  return [{ of: 'age', name: String(after), place: problemAt(doc, path, '') }]
}

function askedByUnless({ doc, index, raw }: RuleText): AskedName[] {
  const text = valueAt(raw, ['unless'])
  if (typeof text !== 'string') return []
  return listOpenKinds(parseExpression(text)).map(({ args: name, start }) => ({
    of: 'kind',
    name,
    place: problemInside(doc, ['rules', index, 'unless'], start, ''),
  }))
}

/** The kinds that an `unless` names: `open("chain.stalled")`. */
export function listOpenKinds(root: ASTNode): readonly TextNode[] {
  return [...walk(root)].flatMap((node) => {
    const kind = node.op === 'call' && node.args[0] === 'open' ? node.args[1][0] : undefined
    return kind !== undefined && isText(kind) ? [kind] : []
  })
}

function askedByWhere(
  { doc, index, raw }: RuleText,
  names: Readonly<Record<string, AskedName['of']>>,
): AskedName[] {
  const text = valueAt(raw, ['where'])
  const comparisons = typeof text === 'string' ? listComparisons(parseExpression(text)) : []
  return comparisons.flatMap(({ name, literals, isWhole }) => {
    const of = names[name] ?? (hashNames.includes(name) ? 'hash' : undefined)
    if (of === undefined || !isWhole) return []
    return literals.map(({ args, start }) => ({
      of,
      name: args,
      place: problemInside(doc, ['rules', index, 'where'], start, ''),
    }))
  })
}

/** A text, or the keys of a mapping. */
function askedByParams(
  { doc, index, raw }: RuleText,
  configured: Readonly<Record<string, AskedName['of']>>,
): AskedName[] {
  return Object.entries(configured).flatMap(([name, of]) => {
    const [, key] = /^with\.(.+)$/.exec(name) ?? []
    const path = ['with', key ?? '']
    const value = key === undefined ? undefined : valueAt(raw, path)
    const at = (...rest: string[]) => problemAt(doc, ['rules', index, ...path, ...rest], '', 'key')
    if (typeof value === 'string')
      return [{ of, name: value, place: problemAt(doc, ['rules', index, ...path], '') }]
    if (typeof value !== 'object' || value === null) return []
    return Object.keys(value).map((one) => ({ of, name: one, place: at(one) }))
  })
}
