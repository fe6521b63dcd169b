import { type Document, isPair, isScalar, visit } from 'yaml'

/** Which values are never shown. */
export interface YamlMask {
  /** By the keys above a value, list positions left out: `['channels', 'ops', 'url']`. */
  isSecret(keys: readonly string[]): boolean
  /** Keys whose values are covered wherever they stand, also in a file too broken to have a structure. */
  readonly keys: readonly string[]
}

/**
 * Covers literal values of secret keys, length for length so that the caret keeps its place. By node where there is
 * one; by pattern as well, because a file that is broken as YAML may have none.
 */
export function maskSecrets(text: string, document: Document.Parsed, mask: YamlMask): string {
  const ranges: (readonly [number, number])[] = []
  visit(document, {
    Scalar(key, scalar, ancestors) {
      const keys = ancestors.flatMap((node) =>
        isPair(node) && isScalar(node.key) ? [String(node.key.value)] : [],
      )
      const range = rangeOf(scalar)
      if (key !== 'key' && range && mask.isSecret(keys)) ranges.push(range)
    },
  })
  const byNode = ranges.reduce(
    (masked, [start, end]) =>
      masked.slice(0, start) + coverSecret(masked.slice(start, end)) + masked.slice(end),
    text,
  )
  const pattern = new RegExp(
    `((?:^|[\\s{,"'])(?:${mask.keys.join('|')})["']?[ \\t]*:[ \\t]*)("(?:[^"\\\\\\n]|\\\\.)*"?|'[^'\\n]*'?|[^\\s,}#][^,}\\n]*)`,
    'gm',
  )
  return coverCredentials(
    byNode.replace(pattern, (_, before: string, value: string) => before + coverSecret(value)),
  )
}

/**
 * Covers the user name and password of addresses, wherever they stand: where none belong they are refused, and the
 * refusal quotes what came.
 * @example coverCredentials('https://ana:pw@a.example') // 'https://******@a.example'
 */
export function coverCredentials(text: string): string {
  return text.replace(
    /(:\/\/)([^\s/?#"']+)(?=@)/g,
    (_, before: string, credentials: string) => before + '*'.repeat(credentials.length),
  )
}

/** A reference names a secret without being one, and an address is public. */
function coverSecret(value: string): string {
  const trimmed = value.trimEnd()
  if (/^["']?(\$\{[^}]*\}|0x[0-9a-fA-F]{0,40})["']?$/.test(trimmed)) return value
  // Lengths stay: positions and line numbers are taken from the text as written.
  return trimmed.replace(/[^\r\n]/g, '*') + value.slice(trimmed.length)
}

/** Where a node stands in its text, from and to. */
export function rangeOf(node: unknown): readonly [number, number] | null {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range))
    return null
  const [start, end] = node.range
  return typeof start === 'number' && typeof end === 'number' ? [start, end] : null
}
