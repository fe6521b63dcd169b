import type { ASTNode } from '@marcbachmann/cel-js'
import type { Config } from '../config/config.ts'
import { problemAt, type YamlDoc, type YamlProblem } from '../lib/yamlProblems.ts'
import { parseExpression } from '../rules/cel/createEnvironment.ts'

/** Routes that nothing comes to: one before them asks for no more than they do, and lets nothing go on. */
export function warnOfShadowedRoutes(doc: YamlDoc, { routes }: Pick<Config, 'routes'>): YamlProblem[] {
  const all = routes.map(({ match }) => (match === null ? null : new Set(listTerms(parseExpression(match)))))
  return all.flatMap((terms, index) => {
    const before = all.findIndex(
      (one, at) =>
        at < index && routes[at]?.continue === false && terms !== null && one?.isSubsetOf(terms) === true,
    )
    if (before === -1) return []
    const message = `never reached: \`routes[${before}]\` takes all that this one asks for; put it before that, or give that \`continue: true\``
    return [problemAt(doc, ['routes', index], message)]
  })
}

/** All that has to hold, each as a text that is the same however it is written. */
function listTerms(node: ASTNode): string[] {
  if (node.op === '&&') return node.args.flatMap(listTerms)
  const places = ['pos', 'start', 'end']
  return [
    JSON.stringify(node, (name, value: unknown) => {
      if (places.includes(name)) return undefined
      return typeof value === 'bigint' ? `${value}n` : value
    }),
  ]
}
