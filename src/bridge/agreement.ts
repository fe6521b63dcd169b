/** Who says what an accusation rests on, and who could not tell: silent, or not so far yet; by the names that messages call sources. */
export interface Agreement {
  readonly by: readonly string[]
  readonly silent: readonly string[]
}

/**
 * Who says it, after what is said: the one place of these words.
 * @example saySources({ by: ['a'], silent: ['b'] }) // '; one source (a): b could not tell'
 */
export function saySources(agreement: Agreement | null | undefined): string {
  if (!agreement) return ''
  const { by, silent } = agreement
  const sources = by.length === 1 ? 'one source' : `${by.length} sources`
  return `; ${sources} (${by.join(', ')})${silent.length === 0 ? '' : `: ${silent.join(', ')} could not tell`}`
}
