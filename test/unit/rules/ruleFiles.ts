import { kinds } from '../../../src/checks/index.ts'
import { renderProblems } from '../../../src/lib/renderProblems.ts'
import { loadRules } from '../../../src/rules/loadRules.ts'
import type { LoadedRule } from '../../../src/rules/types.ts'

/** The rules of a text that is known to be right. */
export function rulesOf(text: string): readonly LoadedRule[] {
  const loaded = loadRules([{ path: 'rules/test.yaml', text }], kinds)
  if (!loaded.ok) throw new Error(renderProblems(loaded.problems))
  return loaded.rules
}

/** One rule from the lines below its name. */
export function ruleOf(...lines: string[]): LoadedRule {
  const body = ['name: test', ...lines].map((line, index) => `${index === 0 ? '  - ' : '    '}${line}`)
  return rulesOf(`rules:\n${body.join('\n')}\n`)[0] as LoadedRule
}

/** What is said of a wrong rule, each problem as `line:column message`. */
export function problemsOf(...lines: string[]): string[] {
  const body = ['name: test', ...lines].map((line, index) => `${index === 0 ? '  - ' : '    '}${line}`)
  return problemsOfText(`rules:\n${body.join('\n')}\n`)
}

export function problemsOfText(text: string): string[] {
  const loaded = loadRules([{ path: 'rules/test.yaml', text }], kinds)
  return loaded.ok ? [] : loaded.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
}
