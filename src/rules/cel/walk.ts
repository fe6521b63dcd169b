import type { ASTNode } from '@marcbachmann/cel-js'

/** Every node of a syntax tree, a macro as it was written; depth is bounded by the environment's limits. */
export function* walk(node: ASTNode): Generator<ASTNode> {
  yield node
  for (const child of childrenOf(node)) yield* walk(child)
}

export function childrenOf({ args }: ASTNode): ASTNode[] {
  return nodesIn(args)
}

function nodesIn(value: unknown): ASTNode[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn)
  return isNode(value) ? [value] : []
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value
}
