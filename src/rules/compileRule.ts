import type { Liquid } from 'liquidjs'
import type { z } from 'zod'
import { errorText } from '../lib/errors.ts'
import { suggest } from '../lib/nearest.ts'
import { schemaProblems, valueAt } from '../lib/schemaProblems.ts'
import { positionOf, problemAt, problemInside, type YamlDoc, type YamlProblem } from '../lib/yamlProblems.ts'
import { type Compiled, compileExpression, type TextProblem } from './cel/compileExpression.ts'
import { dottedName } from './cel/comparisons.ts'
import { compileWhere } from './cel/compileConditions.ts'
import { createEnvironment } from './cel/createEnvironment.ts'
import { walk } from './cel/walk.ts'
import type { Detector } from './kind.ts'
import type { Kinds } from './kinds.ts'
import { listAsked, listOpenKinds } from './listAsked.ts'
import type { RuleSchema, RuleText } from './ruleSchema.ts'
import { compileTemplate } from './templates/compileTemplate.ts'
import { toFindingScope } from './toFindingScope.ts'
import type { LoadedRule, Rule, Severity } from './types.ts'

export interface RuleContext {
  readonly engine: Liquid
  readonly kinds: Kinds
  readonly schema: RuleSchema
}

export interface RuleSource {
  readonly doc: YamlDoc
  readonly index: number
  readonly raw: unknown
}

export interface CompiledRule {
  readonly rule: LoadedRule | null
  readonly problems: readonly YamlProblem[]
}

/**
 * Checks every text of one rule and builds the rule from them. All that is wrong is reported, not the first thing:
 * whatever can still be judged beside a mistake is.
 */
export function compileRule({ engine, kinds, schema }: RuleContext, from: RuleSource): CompiledRule {
  const problems: YamlProblem[] = []
  const base = schema.safeParse(from.raw)
  if (!base.success) problems.push(...checkShape(from, { schema, below: [] }, base.error))

  const on = textOf(from.raw, 'on')
  const detector = on === null ? null : kinds.find(on)
  if (detector === null) return { rule: null, problems }

  const params = readParams(from, detector, problems)
  const ownLabels = listLabels(from.raw)
  const ownValues = listOwnValues(from)
  const where = compileText(from, 'where', problems, (text) =>
    compileWhere({ detector, ownLabels, ownValues }, text),
  )
  const unless = compileText(from, 'unless', problems, (text) => compileUnless(kinds, detector, text))
  const summary = compileText(from, 'summary', problems, (text) =>
    compileTemplate(engine, detector, ownLabels, text),
  )
  problems.push(...findTimersOfEvents(from, detector))
  if (!base.success || problems.length > 0) return { rule: null, problems }
  return { rule: toRule(from, detector, base.data, { params, where, unless, summary }), problems }
}

/** What is the same in all that the rule finds, by the name that it has in `where`. */
function listOwnValues({ raw }: RuleSource): Readonly<Record<string, readonly string[]>> {
  const name = textOf(raw, 'name')
  const direction = valueAt(raw, ['with', 'direction'])
  const directed = ['transfer.direction', 'facts.direction', 'labels.direction']
  return {
    'labels.severity': [textOf(raw, 'severity') ?? 'warning'],
    ...(name !== null && { 'labels.rule': [name] }),
    ...(typeof direction === 'string' &&
      Object.fromEntries(directed.map((directedName) => [directedName, [direction]]))),
  }
}

interface Parts {
  readonly params: unknown
  readonly where: ReturnType<typeof compileWhere> | null
  readonly unless: ReturnType<typeof compileUnless> | null
  readonly summary: ReturnType<typeof compileTemplate> | null
}

function toRule(from: RuleSource, detector: Detector, text: RuleText, parts: Parts): LoadedRule {
  const { where, unless, summary } = parts
  const scopeOf = (...[finding, now]: Parameters<Rule['matches']>) =>
    toFindingScope(detector, text, finding, now)
  const { line } = positionOf(from.doc, ['rules', from.index])
  return {
    name: text.name,
    kind: detector.kind,
    detector,
    asked: listAsked(from, detector, parts.params),
    params: parts.params,
    asks: writeAsks(parts.params, textOf(from.raw, 'where')),
    forMs: text.for,
    keepFiringForMs: text.keepFiringFor,
    severity: text.severity satisfies Severity,
    labels: text.labels,
    runbook: text.runbook ?? null,
    origin: `${from.doc.path}:${line}`,
    matches: (finding, now) => (where?.ok ? where.run(scopeOf(finding, now)) : true),
    isExcused: (open) => (unless?.ok ? unless.run(open) : false),
    summarize: (finding, now) => {
      if (!summary?.ok) return null
      try {
        return summary.run(scopeOf(finding, now)).replace(/\s+/g, ' ').trim()
      } catch (error) {
        // A text that fails must not keep its alert from being sent.
        return `${finding.title} (the summary of rule ${text.name} failed: ${errorText(error)})`
      }
    },
  }
}

/** Amounts among the parameters are no JSON. */
function writeAsks(params: unknown, where: string | null): string {
  return JSON.stringify([params, where], (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )
}

function readParams(from: RuleSource, detector: Detector, problems: YamlProblem[]): unknown {
  const raw = valueAt(from.raw, ['with']) ?? {}
  if (typeof raw !== 'object' || Array.isArray(raw)) return null
  const parsed = detector.params.safeParse(raw)
  if (parsed.success) return parsed.data
  problems.push(...checkShape(from, { schema: detector.params, below: ['with'] }, parsed.error))
  return null
}

function compileText<T>(
  from: RuleSource,
  key: string,
  problems: YamlProblem[],
  compile: (text: string) => Compiled<T>,
): Compiled<T> | null {
  const text = textOf(from.raw, key)
  if (text === null) return null
  const compiled = compile(text)
  if (!compiled.ok) {
    const { offset, message } = compiled.problem
    problems.push(problemInside(from.doc, ['rules', from.index, key], offset, `\`${key}\`: ${message}`))
  }
  return compiled
}

/** An event happened once: it holds for no time, and never resolves. */
function findTimersOfEvents(from: RuleSource, detector: Detector): YamlProblem[] {
  if (detector.nature !== 'event') return []
  return ['for', 'keepFiringFor', 'unless'].flatMap((name) => {
    if (valueAt(from.raw, [name]) === undefined) return []
    const message = `\`${name}\` has no meaning for ${detector.kind}: it is an event, which is sent once and for certain`
    return [problemAt(from.doc, ['rules', from.index, name], message, 'key')]
  })
}

/** What a schema has against a rule, or against the part of it that stands below a key. */
function checkShape(
  from: RuleSource,
  part: { readonly schema: z.ZodType; readonly below: readonly string[] },
  error: z.ZodError,
): YamlProblem[] {
  const base = ['rules', from.index, ...part.below]
  const data = valueAt(from.raw, part.below) ?? {}
  return schemaProblems(from.doc, { schema: part.schema, data, base, whole: 'the rule' }, error)
}

function listLabels(raw: unknown): readonly string[] {
  const labels = valueAt(raw, ['labels'])
  return typeof labels === 'object' && labels !== null ? Object.keys(labels) : []
}

function textOf(raw: unknown, key: string): string | null {
  const value = valueAt(raw, [key])
  return typeof value === 'string' ? value : null
}

/** Compiles a rule's `unless`: a condition over `open("kind")`, which asks whether an alert of that kind is firing. */
function compileUnless(
  kinds: Kinds,
  own: Detector,
  text: string,
): Compiled<(open: (kind: string) => boolean) => boolean> {
  // The expression is evaluated in one go, so that what `open` asks cannot change under it.
  let ask: (kind: string) => boolean = () => false
  const environment = createEnvironment().registerFunction('open(string): bool', (kind: string) => ask(kind))
  const problem = findUselessKind(environment, { kinds, own }, text)
  if (problem) return { ok: false, problem }
  const compiled = compileExpression(environment, text, { names: ['open'], values: {} })
  if (!compiled.ok) return compiled
  return {
    ok: true,
    run: (open) => {
      ask = open
      return compiled.run({})
    },
  }
}

function findUselessKind(
  environment: ReturnType<typeof createEnvironment>,
  { kinds, own }: { readonly kinds: Kinds; readonly own: Detector },
  text: string,
): TextProblem | null {
  try {
    const { ast } = environment.parse(text)
    for (const node of walk(ast)) {
      const name = dottedName(node)
      if (name === null || kinds.find(name) === null) continue
      const message = `unknown name \`${name}\`, did you mean \`open("${name}")\`?`
      return { message, offset: node.start }
    }
    for (const { args: kind, start: offset } of listOpenKinds(ast)) {
      const asked = kinds.find(kind)
      if (asked === null) return { message: `unknown kind \`${kind}\`${suggest(kind, kinds.names)}`, offset }
      if (asked.kind === own.kind && own.nature !== 'event') {
        const message = `\`${kind}\` is the rule's own kind: once it fires, this rule would say nothing more, not even that it is over`
        return { message, offset }
      }
    }
  } catch {
    // Not parsable: compileExpression says so with its own words.
  }
  return null
}
