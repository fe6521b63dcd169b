import type { Liquid } from 'liquidjs'
import { isMap, isScalar } from 'yaml'
import { errorText } from '../lib/errors.ts'
import type { Compiled } from './cel/compileExpression.ts'
import { compileUnless } from './cel/compileUnless.ts'
import { compileWhere } from './cel/compileWhere.ts'
import { describeIssue } from './describeIssue.ts'
import type { Detector } from './detectors/detector.ts'
import { findDetector } from './detectors/registry.ts'
import type { ParsedYaml } from './parseYaml.ts'
import { type RuleText, ruleSchema } from './ruleSchema.ts'
import { offsetInScalar, offsetOf, type SourceProblem, type SourceText } from './sourceProblem.ts'
import { compileTemplate } from './templates/compileTemplate.ts'
import { toFindingScope } from './toFindingScope.ts'
import type { Rule, Severity } from './types.ts'

export interface RuleSource {
  readonly source: SourceText
  readonly yaml: ParsedYaml
  readonly index: number
  readonly raw: unknown
}

export interface CompiledRule {
  readonly rule: Rule | null
  readonly problems: readonly SourceProblem[]
}

/**
 * Checks every text of one rule and builds the rule from them. All that is wrong is reported, not the first thing:
 * whatever can still be judged beside a mistake is.
 */
export function compileRule(engine: Liquid, from: RuleSource): CompiledRule {
  const problems: SourceProblem[] = []
  const base = ruleSchema.safeParse(from.raw)
  if (!base.success) problems.push(...describeAll(from, [], from.raw, base.error.issues, ruleKeys))

  const on = textOf(from.raw, 'on')
  const detector = on === null ? null : findDetector(on)
  if (detector === null) return { rule: null, problems }

  const params = readParams(from, detector, problems)
  const where = compileText(from, 'where', problems, (text) => compileWhere(detector, text))
  const unless = compileText(from, 'unless', problems, compileUnless)
  const ownLabels = Object.keys(base.data?.labels ?? {})
  const summary = compileText(from, 'summary', problems, (text) =>
    compileTemplate(engine, detector, ownLabels, text),
  )
  problems.push(...findTimersOfEvents(from, detector))
  if (!base.success || problems.length > 0) return { rule: null, problems }
  return { rule: toRule(from, detector, base.data, { params, where, unless, summary }), problems }
}

interface Parts {
  readonly params: unknown
  readonly where: ReturnType<typeof compileWhere> | null
  readonly unless: ReturnType<typeof compileUnless> | null
  readonly summary: ReturnType<typeof compileTemplate> | null
}

function toRule(from: RuleSource, detector: Detector, text: RuleText, parts: Parts): Rule {
  const { where, unless, summary } = parts
  const scopeOf = (...[finding, now]: Parameters<Rule['matches']>) =>
    toFindingScope(detector, text, finding, now)
  const { line } = from.yaml.locate(offsetOf(from.yaml.document, ['rules', from.index]), '')
  return {
    name: text.name,
    kind: detector.kind,
    params: parts.params,
    forMs: text.for,
    keepFiringForMs: text.keepFiringFor,
    severity: text.severity satisfies Severity,
    labels: text.labels,
    runbook: text.runbook ?? null,
    origin: `${from.source.path}:${line}`,
    matches: (finding, now) => (where?.ok ? where.run(scopeOf(finding, now)) : true),
    isExcused: (open) => (unless?.ok ? unless.run(open) : false),
    summarize: (finding, now) => {
      if (!summary?.ok) return null
      try {
        return summary.run(scopeOf(finding, now)).replace(/\s+/g, ' ').trim()
      } catch (error) {
        // A text that fails must not keep its alert from being told.
        return `${finding.title} (the summary of rule ${text.name} failed: ${errorText(error)})`
      }
    },
  }
}

function readParams(from: RuleSource, detector: Detector, problems: SourceProblem[]): unknown {
  const raw = valueOf(from.raw, 'with') ?? {}
  if (typeof raw !== 'object' || Array.isArray(raw)) return null
  const parsed = detector.params.safeParse(raw)
  if (parsed.success) return parsed.data
  const keys = () => keysOf(detector.params)
  problems.push(...describeAll(from, ['with'], raw, parsed.error.issues, keys))
  return null
}

function compileText<T>(
  from: RuleSource,
  key: string,
  problems: SourceProblem[],
  compile: (text: string) => Compiled<T>,
): Compiled<T> | null {
  const text = textOf(from.raw, key)
  if (text === null) return null
  const compiled = compile(text)
  if (!compiled.ok) {
    const node = from.yaml.document.getIn(['rules', from.index, key], true)
    const offset = offsetInScalar(from.source.text, node, compiled.problem.offset)
    problems.push(from.yaml.locate(offset, `${key}: ${compiled.problem.message}`))
  }
  return compiled
}

/** An event happened once: it holds for no time, and never resolves. */
function findTimersOfEvents(from: RuleSource, detector: Detector): SourceProblem[] {
  if (detector.nature !== 'event') return []
  const node = from.yaml.document.getIn(['rules', from.index], true)
  if (!isMap(node)) return []
  return node.items.flatMap(({ key }) => {
    const name = isScalar(key) ? String(key.value) : ''
    if (!isScalar(key) || !['for', 'keepFiringFor', 'unless'].includes(name)) return []
    const message = `'${name}' has no meaning for ${detector.kind}: it is an event, told once and for certain`
    return [from.yaml.locate(key.range?.[0] ?? 0, message)]
  })
}

type Issues = Parameters<typeof describeIssue>[0][]

function describeAll(
  from: RuleSource,
  below: readonly string[],
  raw: unknown,
  issues: Issues,
  knownKeys: (path: string) => readonly string[],
): SourceProblem[] {
  return issues
    .flatMap((issue) => describeIssue(issue, raw, knownKeys))
    .map(({ path, onKey, message }) => {
      const place = ['rules', from.index, ...below, ...path]
      return from.yaml.locate(offsetOf(from.yaml.document, place, onKey), label(path, message))
    })
}

/** A value's problem names its key, unless the message does. */
function label(path: readonly PropertyKey[], message: string): string {
  const key = path.filter((part) => typeof part === 'string').join('.')
  return key === '' || !message.startsWith('expected') ? message : `${key}: ${message}`
}

function ruleKeys(path: string): readonly string[] {
  return path === '' ? keysOf(ruleSchema) : []
}

function keysOf(schema: unknown): readonly string[] {
  return typeof schema === 'object' && schema !== null && 'shape' in schema
    ? Object.keys(schema.shape as object)
    : []
}

function valueOf(raw: unknown, key: string): unknown {
  return typeof raw === 'object' && raw !== null && Object.hasOwn(raw, key)
    ? Reflect.get(raw, key)
    : undefined
}

function textOf(raw: unknown, key: string): string | null {
  const value = valueOf(raw, key)
  return typeof value === 'string' ? value : null
}
