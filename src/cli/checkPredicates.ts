import { kinds } from '../checks/index.ts'
import type { Config } from '../config/config.ts'
import { problemInside, type YamlDoc, type YamlPath, type YamlProblem } from '../lib/yamlProblems.ts'
import { compileLabelPredicate } from '../rules/cel/compileLabelPredicate.ts'

/** The expressions of routes and inhibitions, each problem at its place inside the text. */
export function checkPredicates(doc: YamlDoc, config: Config): YamlProblem[] {
  const routes = config.routes.map(({ match }, index) => [['routes', index, 'match'], match] as const)
  const inhibitions = config.inhibit.flatMap(({ source, target }, index) => [
    [['inhibit', index, 'source'], source] as const,
    [['inhibit', index, 'target'], target] as const,
  ])
  return [...routes, ...inhibitions].flatMap(([path, text]: readonly [YamlPath, string | null]) => {
    if (text === null) return []
    const compiled = compileLabelPredicate(kinds.names, text)
    if (compiled.ok) return []
    return [problemInside(doc, path, compiled.problem.offset, compiled.problem.message)]
  })
}
