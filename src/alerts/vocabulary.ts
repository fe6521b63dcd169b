import { findingLabelNames } from '../bridge/finding.ts'
import { directions } from '../bridge/observation.ts'
import { MonitorError } from '../lib/errors.ts'
import { suggest } from '../lib/nearest.ts'
import { type Kinds } from '../rules/kinds.ts'
import { transferLabels } from '../rules/toFindingScope.ts'
import type { Rule } from '../rules/types.ts'
import { compileMatchers, isTransferLabel, type Matcher } from './matchers.ts'
import { metaKinds, metaRule } from './metaKinds.ts'

/** What matchers can ask for at all. */
export interface Vocabulary {
  readonly labels: ReadonlySet<string>
  /** The values of a label, where they are known; an alert without it is not among them. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>
}

/** What alerts are made of. */
export interface Vocabularies {
  /** Those in force; null where they cannot be read. */
  readonly rules: Iterable<Rule> | null
  /** Names of channels. */
  readonly channels: readonly string[]
  /** Symbols of the configured tokens: no other token has one. Left out, or none: it may be any. */
  readonly symbols?: readonly string[]
}

/** Of sources with a health of their own. */
export const sourceNames = ['explorer', 'preconf', 'canonical', 'zoneRpc']

/** @throws MonitorError `usage` where the rules cannot be read */
export function listVocabulary({ rules, channels, symbols = [] }: Vocabularies, kinds: Kinds): Vocabulary {
  if (rules === null)
    throw new MonitorError(
      'usage',
      'The rules cannot be read, so that nobody knows what there is to silence: spanwatch check says why.',
    )
  const all = [...rules]
  const own = Map.groupBy(
    all.flatMap((rule) => Object.entries(rule.labels)),
    ([label]) => label,
  )
  const fixed: Readonly<Record<string, readonly string[]>> = {
    rule: [...all, ...metaKinds.map((kind) => metaRule(all, kind))].map(({ name }) => name),
    kind: kinds.names,
    severity: ['critical', 'warning', 'info'],
    direction: directions,
    chain: ['main', 'zone'],
    source: sourceNames,
    channel: channels,
    ...(symbols.length > 0 && { symbol: symbols }),
  }
  const isFree = (label: string) => (findingLabelNames as readonly string[]).includes(label) && !fixed[label]
  const closed = [...Object.keys(fixed), ...own.keys()].filter((label) => !isFree(label))
  return {
    labels: new Set([...closed, ...own.keys(), ...findingLabelNames, ...transferLabels]),
    values: new Map(
      closed.map((label) => [
        label,
        new Set([...(fixed[label] ?? []), ...(own.get(label) ?? []).map(([, value]) => value)]),
      ]),
    ),
  }
}

/** Labels that every alert has. */
const always = ['rule', 'kind', 'severity']

/** Why a matcher can mean nothing: its label or its value does not exist. Null when it can. */
export function findUnknown({ label, operator, value }: Matcher, known: Vocabulary): string | null {
  if (isTransferLabel(label)) return null
  if (!known.labels.has(label)) return `no alert has a label \`${label}\`${suggest(label, known.labels)}`
  const values = known.values.get(label)
  if (!values || (value === '' && !always.includes(label))) return null
  const isPattern = operator === '=~' || operator === '!~'
  if (!isPattern)
    return values.has(value) ? null : `there is no ${label} \`${value}\`${suggest(value, values)}`
  const matches = compileMatchers([{ label, operator: '=~', value }])
  const fits = [...values, ...(always.includes(label) ? [] : [''])].some((one) => matches({ [label]: one }))
  return fits ? null : `no ${label} matches \`${value}\``
}
