import type { ASTNode } from '@marcbachmann/cel-js'
import { isText } from './comparisons.ts'
import { createEnvironment } from './createEnvironment.ts'
import { walk } from './walk.ts'

interface Contradiction {
  readonly message: string
  readonly offset: number
}

/** What is compared, and with what that is written out: both as they stand in the expression. */
interface Bound {
  readonly of: string
  readonly operator: string
  readonly value: string
  readonly node: ASTNode
}

/** `a > 5 && a < 3` is never true and `a != "x" || a != "y"` always: whoever writes one means something else. */
export function findContradiction(text: string, root: ASTNode): Contradiction | null {
  for (const node of walk(root)) {
    if (node.op !== '&&' && node.op !== '||') continue
    const isAll = node.op === '&&'
    const bounds = listParts(node, node.op).flatMap((part) => readBound(text, part, isAll))
    const found = findPair(bounds)
    if (found === null) continue
    const [first, second] = found.map((bound) => text.slice(bound.node.start, bound.node.end))
    const message = isAll
      ? `\`${first}\` and \`${second}\` are never true together`
      : `\`${first}\` or \`${second}\` is always true`
    return { message, offset: found[1].node.start }
  }
  return null
}

function listParts(node: ASTNode, op: '&&' | '||'): readonly ASTNode[] {
  return node.op === op ? node.args.flatMap((part) => listParts(part, op)) : [node]
}

const opposite: Readonly<Record<string, string>> = {
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
}
const turned: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

/** Of what is joined by `||` what would make it false. */
function readBound(text: string, node: ASTNode, isAll: boolean): Bound[] {
  if (opposite[node.op] === undefined) return []
  const [left, right] = node.args as [ASTNode, ASTNode]
  const isTurned = isWritten(left)
  if (isTurned === isWritten(right)) return []
  const [named, written] = isTurned ? [right, left] : [left, right]
  const asked = (isTurned ? turned[node.op] : undefined) ?? node.op
  return [
    {
      of: text.slice(named.start, named.end),
      operator: isAll ? asked : (opposite[asked] ?? asked),
      // Addresses and hashes compare in any case, as it stands in the tree.
      value: isText(written) ? JSON.stringify(written.args) : text.slice(written.start, written.end),
      node,
    },
  ]
}

/** Holds no name, so that it is always the same. */
function isWritten(node: ASTNode): boolean {
  return [...walk(node)].every(({ op }) => op !== 'id')
}

function findPair(bounds: readonly Bound[]): readonly [Bound, Bound] | null {
  for (const [index, second] of bounds.entries()) {
    const first = bounds.slice(0, index).find((one) => one.of === second.of && excludes(one, second))
    if (first !== undefined) return [first, second]
  }
  return null
}

function excludes(a: Bound, b: Bound): boolean {
  if (a.operator === '==') return isFalse(`${a.value} ${b.operator} ${b.value}`)
  if (b.operator === '==') return isFalse(`${b.value} ${a.operator} ${a.value}`)
  const [low, high] = a.operator.startsWith('>') ? [a, b] : [b, a]
  if (!low.operator.startsWith('>') || !high.operator.startsWith('<')) return false
  const isShared = low.operator === '>=' && high.operator === '<='
  return isFalse(`${low.value} ${isShared ? '<=' : '<'} ${high.value}`)
}

/** Where it cannot be said, such as of values of two types, the expression's own check has its words. */
function isFalse(comparison: string): boolean {
  try {
    return createEnvironment().evaluate(comparison) === false
  } catch {
    return false
  }
}
