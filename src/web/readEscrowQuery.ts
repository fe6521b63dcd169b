import { canonicalToken } from '../bridge/movedToken.ts'
import { cleanText } from '../lib/text.ts'
import { type EscrowQuery, escrowPeriods } from './escrowTypes.ts'

/** Reads what is asked of escrows: a token by address or as `native`; null where none is named. What is no period is the past day. */
export function readEscrowQuery(
  token: string | undefined,
  query: (name: string) => string | undefined,
): Omit<EscrowQuery, 'token'> & { readonly token: string | null } {
  const name = cleanText(token ?? '', 100).toLowerCase()
  const period = escrowPeriods.find((one) => one === query('period')) ?? 'day'
  const isUnexplained = query('show') === 'unexplained'
  return { token: name === '' ? null : name === 'native' ? '' : canonicalToken(name), period, isUnexplained }
}
