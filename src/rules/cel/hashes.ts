import type { ASTNode } from '@marcbachmann/cel-js'
import { lowerHash } from '../../lib/lowerHash.ts'
import { dottedName, isText, listComparisons } from './comparisons.ts'
import { walk } from './walk.ts'

/** What is known of the names of an expression, as far as addresses and hashes go. */
export interface HashNames {
  /** Whether a name's addresses and hashes are in lower case: they may be written in any. */
  readonly isLowerCase?: (name: string) => boolean
  /** Whether a name stands for an address or a hash and nothing else: parts of it may be written in any case, too. */
  readonly isHash?: (name: string) => boolean
}

const partly = ['startsWith', 'endsWith', 'contains']

/**
 * Addresses are copied with capitals as checksums: what is held against those that we keep is made like them, wherever
 * in the expression it stands. What is compared with a name that is kept as it was written stays as it is.
 */
export function lowerHashes(root: ASTNode, { isLowerCase, isHash }: HashNames): void {
  if (isLowerCase === undefined) return
  const compared = new Map(
    listComparisons(root).flatMap((one) => one.literals.map((literal) => [literal as ASTNode, one] as const)),
  )
  const isSpared = namesWhatIsKept(root, isLowerCase)
  for (const node of walk(root)) {
    const by = compared.get(node)
    if (isText(node) && (by ? isLowerCase(by.name) : !isSpared)) {
      const isBegun = by !== undefined && !by.isWhole
      Object.assign(node, { args: isBegun ? lowerPart(node.args, /^0x/i) : lowerHash(node.args) })
    }
    const [method, of, [part]] = node.op === 'rcall' ? node.args : ['', null, []]
    const name = of === null ? null : dottedName(of)
    if (part === undefined || !isText(part) || name === null || !isHash?.(name)) continue
    if (partly.includes(method)) Object.assign(part, { args: lowerPart(part.args, /^/) })
    // A pattern cannot be put into lower case: \D is another thing than \d.
    if (method === 'matches' && /[A-F]/.test(part.args)) Object.assign(part, { args: `(?i)${part.args}` })
  }
}

/** What such a name is held against by way of a list or a variable cannot be told from what the others are. */
function namesWhatIsKept(root: ASTNode, isLowerCase: (name: string) => boolean): boolean {
  return [...walk(root)].some((node) => {
    const name = dottedName(node)
    return name !== null && /^(labels\.|transfer\.id$)/.test(name) && !isLowerCase(name)
  })
}

/** The beginning, the end or the middle of a hash. */
function lowerPart(text: string, from: RegExp): string {
  return from.test(text) && /^(0x)?[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text
}
