/** What each endpoint tells of, for people who do not know its number. */
const words: Readonly<Record<string, string>> = {
  E1: 'transfers of a token',
  E2: 'token movements',
  E3: 'list of transfers',
  E4: 'zone block',
  E5: 'zone blocks',
  E6: 'transactions of an address',
  E7: 'main blocks',
  E8: 'internal movements of an address',
  E9: 'zone transaction',
  E10: 'transactions of an operator',
  E11: 'main block',
  E12: "transfer's record",
  E13: 'token movements',
  E14: 'zone transaction',
  E15: 'internal movements',
  E16: 'internal movements',
  E17: 'contract source',
  E18: 'logs',
  E19: 'logs',
  E20: 'logs',
  E21: 'logs of a transaction',
  canonical: 'node of the main chain',
}

/**
 * Sources of evidence with what they are.
 * @example nameSources('E3, E12') // "E3 (list of transfers), E12 (transfer's record)"
 */
export function nameSources(sources: string): string {
  return sources
    .split(', ')
    .map((source) => (words[source] === undefined ? source : `${source} (${words[source]})`))
    .join(', ')
}
