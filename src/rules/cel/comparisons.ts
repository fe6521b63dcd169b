import type { ASTNode } from '@marcbachmann/cel-js'
import { walk } from './walk.ts'

/** A text that is written out in an expression. */
export type TextNode = ASTNode & { readonly op: 'value'; readonly args: string }

/** A name, and the texts that an expression compares it with. */
export interface Comparison {
  /** Dotted, a label as `labels.name` however it is written. */
  readonly name: string
  readonly literals: readonly TextNode[]
  /** Whether it is the whole value, or its beginning. */
  readonly isWhole: boolean
}

/** @example listComparisons(ast of `labels["team"] == "a" || chain in ["main", "zone"]`) // labels.team, chain */
export function listComparisons(root: ASTNode): readonly Comparison[] {
  return [...walk(root)].flatMap((node): Comparison[] => {
    const sides = sidesOf(node)
    const name = sides?.map(dottedName).find((one) => one !== null)
    if (!sides || !name) return []
    const literals = sides.flatMap(valuesOf).filter(isText)
    return [{ name, literals, isWhole: node.op !== 'rcall' }]
  })
}

function sidesOf(node: ASTNode): readonly ASTNode[] | null {
  if (node.op === '==' || node.op === '!=' || node.op === 'in') return node.args
  return node.op === 'rcall' && node.args[0] === 'startsWith' ? [node.args[1], ...node.args[2]] : null
}

/** What a side compares with: of a list its elements, of a map its keys. */
function valuesOf(side: ASTNode): readonly ASTNode[] {
  if (side.op === 'list') return side.args
  return side.op === 'map' ? side.args.flatMap(([key]) => key) : [side]
}

export function isText(node: ASTNode): node is TextNode {
  return node.op === 'value' && typeof node.args === 'string'
}

/** @example dottedName(ast of `transfer.token.symbol`) // 'transfer.token.symbol' */
export function dottedName(node: ASTNode): string | null {
  if (node.op === 'id') return node.args
  if (node.op !== '.' && node.op !== '[]') return null
  const left = dottedName(node.args[0])
  if (left === null) return null
  if (node.op === '.') return `${left}.${node.args[1]}`
  return isText(node.args[1]) ? `${left}.${node.args[1].args}` : null
}
