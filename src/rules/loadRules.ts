import { compileRule } from './compileRule.ts'
import { suggest } from './nearestName.ts'
import { parseYaml } from './parseYaml.ts'
import { offsetOf, type SourceProblem, type SourceText } from './sourceProblem.ts'
import { createTemplateEngine } from './templates/createTemplateEngine.ts'
import type { Rule } from './types.ts'

export type LoadedRules =
  | { readonly ok: true; readonly rules: readonly Rule[] }
  | { readonly ok: false; readonly problems: readonly SourceProblem[] }

/** A rule and where it stands, for what is judged over all files. */
interface Placed {
  readonly name: string
  readonly rule: Rule | null
  /** Where its name is, with the message left open. */
  readonly place: (message: string) => SourceProblem
}

/**
 * Reads rule files into compiled rules: whole or not at all. Every problem of every file is reported, with its place
 * and what was probably meant; `formatProblem` prints one.
 */
export function loadRules(files: readonly SourceText[]): LoadedRules {
  const engine = createTemplateEngine()
  const problems: SourceProblem[] = []
  const placed = files.flatMap((file) => readFile(engine, file, problems))
  if (files.length === 0) {
    const message = 'no rule file (*.yaml or *.yml) was found: nothing would ever be told'
    problems.push({ path: 'rules', line: 1, column: 1, message, sourceLine: '' })
  }
  problems.push(...findRepeatedNames(placed))
  if (problems.length > 0) return { ok: false, problems: sortProblems(problems) }
  return { ok: true, rules: placed.flatMap(({ rule }) => (rule === null ? [] : [rule])) }
}

function readFile(
  engine: ReturnType<typeof createTemplateEngine>,
  source: SourceText,
  problems: SourceProblem[],
): Placed[] {
  const yaml = parseYaml(source)
  problems.push(...yaml.problems)
  if (yaml.value === null) return []
  const list = readList(yaml.value)
  // A list was found in it, so the value is a mapping.
  if (typeof list === 'string') {
    problems.push(yaml.locate(offsetOf(yaml.document, ['rules']), list))
    return []
  }
  for (const key of Object.keys(yaml.value as object)) {
    if (key === 'rules') continue
    const message = `unknown key '${key}'${suggest(key, ['rules'])}`
    problems.push(yaml.locate(offsetOf(yaml.document, [key], true), message))
  }
  return list.map((raw, index) => {
    const compiled = compileRule(engine, { source, yaml, index, raw })
    problems.push(...compiled.problems)
    const named: unknown = typeof raw === 'object' && raw !== null && 'name' in raw ? raw.name : null
    return {
      name: typeof named === 'string' ? named : '',
      rule: compiled.rule,
      place: (message) => yaml.locate(offsetOf(yaml.document, ['rules', index, 'name']), message),
    }
  })
}

function readList(value: unknown): readonly unknown[] | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return "expected 'rules:' with a list of rules"
  }
  if (!('rules' in value)) {
    const wrong = Object.keys(value)[0] ?? ''
    const hint = suggest('rules', Object.keys(value)) === '' ? '' : `; '${wrong}' is not it`
    return `'rules' is missing: expected 'rules:' with a list of rules${hint}`
  }
  if (!Array.isArray(value.rules)) return 'rules: expected a list of rules'
  return value.rules.length === 0 ? 'rules: expected at least one rule' : value.rules
}

function findRepeatedNames(placed: readonly Placed[]): SourceProblem[] {
  const first = new Map<string, Placed>()
  return placed.flatMap((one) => {
    if (one.name === '') return []
    const before = first.get(one.name)
    if (!before) {
      first.set(one.name, one)
      return []
    }
    const { path, line } = before.place('')
    return [one.place(`the rule name '${one.name}' is taken: ${path}:${line} has it`)]
  })
}

/** In the order of the text. Where an unquoted address is the mistake, its being a number is no second one. */
function sortProblems(problems: readonly SourceProblem[]): SourceProblem[] {
  const place = ({ path, line, column }: SourceProblem) => `${path}:${line}:${column}`
  const addresses = new Set(problems.filter(isUnquoted).map(place))
  return problems
    .filter((problem) => isUnquoted(problem) || !addresses.has(place(problem)))
    .sort(
      (a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) || a.line - b.line || a.column - b.column,
    )
}

function isUnquoted({ message }: SourceProblem): boolean {
  return message.startsWith('quote this')
}
