import type { ASTNode } from '@marcbachmann/cel-js'
import { readPattern } from '../../lib/linearPattern.ts'
import { suggest } from '../../lib/nearest.ts'
import { type Comparison, dottedName, isText, listComparisons } from './comparisons.ts'
import { walk } from './walk.ts'

/** Values that a name can have at all, by dotted name; a name that never is a text has none. */
export type KnownValues = Readonly<Record<string, readonly string[]>>

interface Impossible {
  readonly message: string
  readonly offset: number
}

/** `matches` by the name that it has once an expression is parsed: that of the library runs JavaScript's patterns. */
export const linearMatches = 'matchesInLinearTime'

/** `transfer.direction == "zoneToMain"`, `transfer.direction.startsWith("zone")`: right in type, and never true. */
export function findImpossible(
  root: ASTNode,
  { values, ownValues = {} }: { readonly values: KnownValues; readonly ownValues?: KnownValues },
): Impossible | null {
  for (const comparison of listComparisons(root)) {
    const problem = checkWhole(comparison, values, 'every') ?? checkWhole(comparison, ownValues, 'some')
    if (problem) return problem
  }
  for (const node of walk(root)) {
    const problem = checkPart(node, { ...values, ...ownValues })
    if (problem) return problem
  }
  return null
}

/** Of a list a word that there is not is a mistake; one that is another rule's is none beside this one's. */
function checkWhole(
  { name, literals, isWhole }: Comparison,
  values: KnownValues,
  needed: 'every' | 'some',
): Impossible | null {
  const known = values[name]
  if (known === undefined || !isWhole) return null
  const literal = literals.find(({ args }) => !known.includes(args))
  if (literal === undefined) return null
  if (needed === 'some' && literals.some(({ args }) => known.includes(args))) return null
  return {
    message: `${name} is never "${literal.args}"${hintOf(literal.args, known)}`,
    offset: literal.start,
  }
}

/** What asks for a part of a text, by its name in an expression. */
const parts: Readonly<Record<string, (value: string, part: string) => boolean>> = {
  startsWith: (value, part) => value.startsWith(part),
  endsWith: (value, part) => value.endsWith(part),
  contains: (value, part) => value.includes(part),
  [linearMatches](value, part) {
    const read = readPattern(part, 'line')
    return !read.ok || read.pattern.isIn(value)
  },
}

function checkPart(node: ASTNode, values: KnownValues): Impossible | null {
  if (node.op !== 'rcall') return null
  const [method, of, [part]] = node.args
  const name = dottedName(of)
  const known = name === null ? undefined : values[name]
  const fits = parts[method]
  if (known === undefined || fits === undefined || part === undefined || !isText(part)) return null
  if (known.some((value) => fits(value, part.args))) return null
  return {
    message: `${name} is nothing of which ${method.replace(linearMatches, 'matches')}("${part.args}") is true${hintOf('', known)}`,
    offset: part.start,
  }
}

/** The nearest value, else all of them where they are few enough to read. */
function hintOf(text: string, known: readonly string[]): string {
  if (known.length === 0) return ', which is no text; what is not known is null'
  const [only = '', ...others] = known.filter((one) => one !== '')
  const all =
    known.length > 8
      ? ''
      : others.length === 0
        ? `; it is ${only}`
        : `; it is one of ${[only, ...others].join(', ')}`
  return suggest(text, known) || all
}
