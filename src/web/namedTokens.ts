import type { TokenSetting } from '../ledger/lessons/tokenBook.ts'
import { nearest } from '../lib/nearest.ts'
import { cleanText } from '../lib/text.ts'

/** The contracts of a token that somebody names by its symbol or address; '' is the native currency, null is no token. */
export function findTokens(text: string, listed: readonly TokenSetting[]): readonly string[] | null {
  const word = text.trim().toLowerCase()
  if (/^0x[0-9a-f]{40}$/.test(word)) return [word]
  const contracts = listed.flatMap(({ symbol, address }) =>
    symbol.toLowerCase() === word ? [address.toLowerCase()] : [],
  )
  if (contracts.length > 0) return contracts
  return word === 'native' ? [''] : null
}

/** What is wrong with the name of a token; null when there is one of that name, or none was asked for. */
export function findTokenProblem(text: string, listed: readonly TokenSetting[]): string | null {
  if (text === '' || findTokens(text, listed) !== null) return null
  if (/^0x[0-9a-f]*$/i.test(text.trim()))
    return `expected an address of 40 hex digits after 0x, got "${cleanText(text, 60)}"`
  const symbols = [...new Set(listed.map(({ symbol }) => symbol)), 'native']
  const meant = nearest(text.trim(), symbols)
  const known = symbols.length > 20 ? 'one that bridge.tokens lists' : `one of ${symbols.join(', ')}`
  const hint =
    meant === null ? `: expected ${known}, or the address of a token` : `, did you mean \`${meant}\`?`
  return `bridge.tokens lists no token \`${cleanText(text, 60)}\`${hint}`
}
