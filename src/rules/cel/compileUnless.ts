import { suggest } from '../../lib/nearest.ts'
import { type Compiled, compileExpression, type TextProblem, walk } from './compileExpression.ts'
import { createEnvironment } from './createEnvironment.ts'

/** Compiles a rule's `unless`: a condition over `open("kind")`, which asks whether an alert of that kind is firing. */
export function compileUnless(
  kinds: readonly string[],
  text: string,
): Compiled<(open: (kind: string) => boolean) => boolean> {
  // The expression is evaluated in one go, so that what `open` asks cannot change under it.
  let ask: (kind: string) => boolean = () => false
  const environment = createEnvironment().registerFunction('open(string): bool', (kind: string) => ask(kind))
  const problem = findUnknownKind(environment, kinds, text)
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

function findUnknownKind(
  environment: ReturnType<typeof createEnvironment>,
  kinds: readonly string[],
  text: string,
): TextProblem | null {
  try {
    for (const node of walk(environment.parse(text).ast)) {
      if (node.op !== 'call' || node.args[0] !== 'open') continue
      const kind = node.args[1][0]
      if (kind?.op !== 'value' || typeof kind.args !== 'string') continue
      if (!kinds.includes(kind.args)) {
        return {
          message: `unknown kind \`${kind.args}\`${suggest(kind.args, kinds)}`,
          offset: kind.start,
        }
      }
    }
  } catch {
    // Not parsable: compileExpression says so with its own words.
  }
  return null
}
