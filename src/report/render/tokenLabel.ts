import { canonicalToken } from '../../bridge/movedToken.ts'
import { part } from '../../delivery/channels/textParts.ts'
import { inBrackets } from '../../lib/text.ts'
import { type ReportToken, unknownAddress } from '../reportToken.ts'

/** The symbol where the configuration lists the token; a name from the chain stands in brackets, for it proves nothing. */
export function tokenLabel({ symbol, name, address }: ReportToken): string {
  if (symbol !== null) return part(symbol, 64)
  if (name !== '') return inBrackets(name)
  if (address === unknownAddress) return 'unknown token'
  return canonicalToken(address) === '' ? 'native currency' : address
}
