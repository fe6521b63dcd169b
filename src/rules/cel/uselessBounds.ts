import type { ASTNode } from '@marcbachmann/cel-js'
import { formatDuration } from '../../lib/duration.ts'
import { dottedName, isText } from './comparisons.ts'
import { walk } from './walk.ts'

interface UselessBound {
  readonly message: string
  readonly offset: number
}

interface KnownBounds {
  /** No finding is younger, ms; null where that is not known. */
  readonly leastAgeMs: number | null
  /** Names of facts that are whole numbers of per cent. */
  readonly percents: readonly string[]
}

/** Right in type, and always so or never, by what the kind and its parameters say already. */
export function findUselessBounds(root: ASTNode, known: KnownBounds): UselessBound[] {
  return [...walk(root)].flatMap((node) => {
    const bound = readBound(node)
    const message = bound && (checkAge(bound, known) ?? checkPercent(bound, known))
    return message ? [{ message, offset: node.start }] : []
  })
}

interface Bound {
  readonly name: string
  readonly isAbove: boolean
  readonly written: ASTNode
}

function readBound(node: ASTNode): Bound | null {
  if (node.op !== '<' && node.op !== '<=' && node.op !== '>' && node.op !== '>=') return null
  const [left, right] = node.args
  const isUp = node.op.startsWith('>')
  const [first, last] = [dottedName(left), dottedName(right)]
  if (first !== null) return { name: first, isAbove: isUp, written: right }
  return last === null ? null : { name: last, isAbove: !isUp, written: left }
}

function checkAge({ name, isAbove, written }: Bound, { leastAgeMs }: KnownBounds): string | null {
  const ms = name === 'age' ? readDuration(written) : null
  if (ms === null || leastAgeMs === null || ms > leastAgeMs) return null
  const said = `by \`after\`, \`age\` is ${formatDuration(leastAgeMs)} or more`
  return isAbove
    ? `${said}: this is always so; what is to be found earlier needs a lower \`after\``
    : `${said}: this is never so`
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Of `duration("1h30m")`; null of anything else. */
function readDuration(node: ASTNode): number | null {
  if (node.op !== 'call' || node.args[0] !== 'duration') return null
  const [text] = node.args[1]
  if (text === undefined || !isText(text)) return null
  const parts = [...text.args.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)]
  return parts.reduce((sum, [, count = '', unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0), 0)
}

function checkPercent({ name, written }: Bound, { percents }: KnownBounds): string | null {
  if (!percents.includes(name) || written.op !== 'value' || typeof written.args !== 'number') return null
  const share = written.args
  if (share <= 0 || share >= 1) return null
  return `\`${name}\` is a whole number of per cent: ${share} is less than one, write ${Math.round(share * 100)}`
}
