import type { YamlProblem } from './yamlProblems.ts'

/**
 * @example
 * spanwatch.yaml:12:3: unknown key `pase`, did you mean `pace`?
 *    12 |   pase: 4
 *       |   ^^^^
 */
export function renderProblem(problem: YamlProblem): string {
  const head = `${problem.file}:${problem.line}:${problem.column}: ${problem.message}`
  if (problem.sourceLine === null || problem.sourceLine.trim() === '') return head
  const number = String(problem.line).padStart(5)
  // A window around the caret: one line of a hostile file can be a megabyte long.
  const from = Math.max(0, problem.column - 81)
  const shown = problem.sourceLine.slice(from, from + 120)
  const indent = shown.slice(0, problem.column - 1 - from).replace(/[^\t]/g, ' ')
  const room = Math.max(1, shown.length - indent.length)
  return `${head}\n${number} | ${shown}\n      | ${indent}${'^'.repeat(Math.min(problem.width, room))}`
}

/** Problems by position, one below the other; beyond `limit` only how many more there are. */
export function renderProblems(problems: readonly YamlProblem[], limit = 50): string {
  const rest = problems.length - limit
  const shown = sortProblems(problems).slice(0, limit).map(renderProblem)
  return [...shown, ...(rest > 0 ? [`… and ${rest} more`] : [])].join('\n')
}

/** In the order of the text, file by file. */
export function sortProblems(problems: readonly YamlProblem[]): YamlProblem[] {
  return [...problems].sort(
    (a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column,
  )
}
