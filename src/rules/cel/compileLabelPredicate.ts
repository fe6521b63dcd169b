import { directions } from '../../bridge/observation.ts'
import { standardLabels } from '../toFindingScope.ts'
import { type Compiled, compileExpression } from './compileExpression.ts'
import { createEnvironment } from './createEnvironment.ts'
import { toLabelMap } from './toLabelMap.ts'

/**
 * Compiles a condition over an alert's labels, as routes and inhibitions write it. The standard labels are names of
 * their own, '' where an alert has none; `labels` holds all of them, the rule's own included.
 * @example compileLabelPredicate(kinds, 'severity == "critical" && kind in ["transfer.failed"]')
 */
export function compileLabelPredicate(
  kinds: readonly string[],
  text: string,
): Compiled<(labels: Readonly<Record<string, string>>) => boolean> {
  const environment = createEnvironment().registerVariable('labels', 'map<string, string>')
  for (const name of standardLabels) environment.registerVariable(name, 'string')
  const compiled = compileExpression(environment, text, {
    names: [...standardLabels, 'labels'],
    values: {
      kind: kinds,
      severity: ['critical', 'warning', 'info'],
      direction: [...directions, ''],
      chain: ['main', 'zone', ''],
    },
  })
  if (!compiled.ok) return compiled
  return {
    ok: true,
    run: (labels) => {
      const standard = Object.fromEntries(standardLabels.map((name) => [name, labels[name] ?? '']))
      return compiled.run({ ...standard, labels: toLabelMap(labels) })
    },
  }
}
