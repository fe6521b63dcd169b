import { movedToken } from '../bridge/movedToken.ts'
import type { LegEvidence, TransferToken } from '../bridge/transfer.ts'

type Money = Pick<TransferToken, 'address' | 'type' | 'movedAs' | 'isUnknown'>

/** What shows movements of tokens and none of native currency, and the other way round; a receipt is judged apart. */
export const tokenSources = ['E13', 'E2', 'E21'] as const
export const nativeSources = ['E15', 'E16', 'E7', 'E6'] as const

/**
 * Whether a transfer's money moves as native currency. A record that says what kind of token moved, and not which, is
 * about a token all the same; and an event that names none at all is asked of as one, which shows either.
 */
export function movesNative(token: Money): boolean {
  return !token.isUnknown && movedToken(token) === '' && (token.address !== '' || token.type === '')
}

/**
 * Whether an answer about a main transaction would show this money. One transaction may pay in both kinds, and each list
 * shows one of them: what the other one leaves out has not failed to move, and is there. That the transaction failed is
 * said of both.
 * @param hasEvent an event of the transaction showed the transfer: where its logs are gone it is, too
 */
export function showsMoney(
  token: Money,
  { source, status, isWhole, unasked }: Pick<LegEvidence, 'source' | 'status' | 'isWhole' | 'unasked'>,
  hasEvent = false,
): boolean {
  if (isWhole === true || status === 'failed' || status === 'unknown') return true
  const isNative = movesNative(token)
  if (status === 'absent') {
    const isLogGone = hasEvent && unasked === undefined
    // What may be native currency is not absent where tokens alone are listed.
    return !isOneOf(tokenSources, source) || !(isNative || (token.isUnknown && !isLogGone))
  }
  return token.isUnknown === true || !isOneOf(isNative ? tokenSources : nativeSources, source)
}

function isOneOf(sources: readonly string[], source: string): boolean {
  return sources.includes(source)
}
