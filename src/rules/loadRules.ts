import { nearest, suggest } from '../lib/nearest.ts'
import { parseYamlDocument, type YamlInput } from '../lib/parseYamlDocument.ts'
import { sortProblems } from '../lib/renderProblems.ts'
import { fileProblem, problemAt, withoutEchoes, type YamlProblem } from '../lib/yamlProblems.ts'
import { compileRule, type RuleContext } from './compileRule.ts'
import type { Kinds } from './kinds.ts'
import { createRuleSchema } from './ruleSchema.ts'
import { createTemplateEngine } from './templates/compileTemplate.ts'
import type { LoadedRule } from './types.ts'

export type LoadedRules =
  | {
      readonly ok: true
      readonly rules: readonly LoadedRule[]
      /** What is no mistake, and not what was meant either. */
      readonly warnings?: readonly YamlProblem[]
    }
  | { readonly ok: false; readonly problems: readonly YamlProblem[] }

/** A rule and where it stands, for what is judged over all files. */
interface Placed {
  readonly name: string
  readonly rule: LoadedRule | null
  /** Where its name is, with the message left open. */
  readonly place: (message: string) => YamlProblem
}

/**
 * Reads rule files into compiled rules: whole or not at all. Every problem of every file is reported, with its place
 * and what was probably meant.
 */
export function loadRules(files: readonly YamlInput[], kinds: Kinds): LoadedRules {
  const context = { engine: createTemplateEngine(), kinds, schema: createRuleSchema(kinds) }
  const problems: YamlProblem[] = []
  const placed = files.flatMap((file) => readFile(context, file, problems))
  if (files.length === 0) {
    const message = 'no rule file (*.yaml or *.yml) was found: nothing would ever be reported'
    problems.push(fileProblem('rules', message))
  }
  problems.push(...findRepeatedNames(placed), ...findUnasked(placed, kinds))
  if (problems.length > 0) return { ok: false, problems: sortProblems(problems) }
  return { ok: true, rules: placed.flatMap(({ rule }) => (rule === null ? [] : [rule])) }
}

function readFile(context: RuleContext, source: YamlInput, problems: YamlProblem[]): Placed[] {
  const { doc, data, problems: unread } = parseYamlDocument(source)
  problems.push(...unread)
  if (doc === null) return []
  const list = readList(data)
  if (typeof list === 'string') {
    problems.push(problemAt(doc, ['rules'], list))
    return []
  }
  const found = findOtherKeys(data).map((key) =>
    problemAt(doc, [key], `unknown key \`${key}\`${suggest(key, ['rules'])}`, 'key'),
  )
  const placed = list.map((raw, index) => {
    const compiled = compileRule(context, { doc, index, raw })
    found.push(...compiled.problems)
    const named: unknown = typeof raw === 'object' && raw !== null && 'name' in raw ? raw.name : null
    return {
      name: typeof named === 'string' ? named : '',
      rule: compiled.rule,
      place: (message: string) => problemAt(doc, ['rules', index, 'name'], message),
    }
  })
  // An unquoted address, say, was refused as such: that it is a number is no second mistake.
  problems.push(...withoutEchoes(unread, found))
  return placed
}

function findOtherKeys(data: unknown): string[] {
  return typeof data === 'object' && data !== null ? Object.keys(data).filter((key) => key !== 'rules') : []
}

function readList(value: unknown): readonly unknown[] | string {
  if (value === null) return 'the file is empty: expected `rules:` with a list of rules'
  if (typeof value !== 'object' || Array.isArray(value)) return 'expected `rules:` with a list of rules'
  if (!('rules' in value)) {
    const wrong = nearest('rules', Object.keys(value))
    const hint = wrong === null ? '' : `; \`${wrong}\` is not it`
    return `\`rules\` is missing: expected \`rules:\` with a list of rules${hint}`
  }
  if (!Array.isArray(value.rules)) return '`rules`: expected a list of rules'
  return value.rules.length === 0 ? '`rules`: expected at least one rule' : value.rules
}

function findRepeatedNames(placed: readonly Placed[]): YamlProblem[] {
  const first = new Map<string, Placed>()
  return placed.flatMap((one) => {
    if (one.name === '') return []
    const before = first.get(one.name)
    if (!before) {
      first.set(one.name, one)
      return []
    }
    const { file, line } = before.place('')
    return [one.place(`the rule name \`${one.name}\` is taken: ${file}:${line} has it`)]
  })
}

/** Of what the alert engine judges of itself the first rule alone is asked. */
function findUnasked(placed: readonly Placed[], kinds: Kinds): YamlProblem[] {
  const own = placed.filter(({ rule }) => {
    const kind = rule && kinds.find(rule.kind)
    return kind?.from === 'raised' && kind.raisedBy === 'alerts'
  })
  return [...Map.groupBy(own, ({ rule }) => rule?.kind)].flatMap(([kind, [first, ...others]]) => {
    const { file, line } = first?.place('') ?? {}
    const says = `one rule alone can be on ${kind}, and ${file}:${line} is it: change that one, or remove it`
    return others.map((one) => one.place(says))
  })
}
