import { formatUnits } from '../bridge/amount.ts'
import { saySources } from '../bridge/agreement.ts'
import { movedToken } from '../bridge/movedToken.ts'
import { groupDigits } from '../lib/groupDigits.ts'
import {
  leftNothing,
  type LegEvidence,
  type OriginProof,
  type TokenMove,
  type Transfer,
} from '../bridge/transfer.ts'

/** How many movements are listed one by one. */
const maxTold = 5

/**
 * What one answer said of a leg beside its status, for people; '' when it said nothing more.
 * @example describeEvidence(evidence, transfer) // 'moved 1.5 USDC from 0x… to 0x…'
 */
export function describeEvidence(evidence: LegEvidence, transfer: Transfer): string {
  const { moves, amount, amountRaw, reads, unasked, errorMessage } = evidence
  const told = (moves ?? []).slice(0, maxTold).map((move) => describeMove(move, transfer))
  const more = (moves?.length ?? 0) - told.length
  return [
    ...(moves?.length === 0 ? ['no token moved'] : []),
    ...told,
    ...(more > 0 ? [`${more} more ${more === 1 ? 'movement' : 'movements'}`] : []),
    ...(amount || amountRaw ? [`names the amount ${groupDigits(String(amount ?? amountRaw))}`] : []),
    ...(reads !== undefined && evidence.status === 'absent'
      ? [`not found in ${reads} ${reads === 1 ? 'reading' : 'readings'}`]
      : []),
    ...(unasked === undefined ? [] : [`${unasked} could not be asked`]),
    ...(evidence.agreement === undefined ? [] : [saySources(evidence.agreement).slice(2)]),
    ...(errorMessage === '' ? [] : [errorMessage]),
  ].join('; ')
}

/** What to add to what one answer says where another one was asked for in vain. */
export function tellUnasked({ unasked }: Pick<LegEvidence, 'unasked'>): string {
  return unasked === undefined ? '' : `; ${unasked} could not be asked`
}

function describeMove(move: TokenMove, { token }: Transfer): string {
  const isOwn = move.token === movedToken(token)
  const amount =
    move.amount ??
    (isOwn && token.decimals !== null && move.amountRaw !== null
      ? formatUnits(move.amountRaw, token.decimals)
      : null)
  const raw = move.amountRaw === null ? 'an unknown amount' : groupDigits(move.amountRaw.toString())
  const units = amount === null ? `${raw} base units of` : groupDigits(amount)
  const name = isOwn ? (token.symbol ?? move.token) : move.token || 'native currency'
  const id = move.tokenId === '' ? '' : ` #${move.tokenId}`
  return `moved ${units} ${name}${id} from ${move.from} to ${move.to}`
}

const proofWords: Readonly<Record<OriginProof, string>> = {
  proven: 'verified',
  unverified: 'unverified',
  failed: 'failed',
  absent: 'does not exist',
}

/** Whether the origin is proven, in a word or two; of one that failed also that the sender still has all of it. */
export function describeProof(transfer: Transfer): string {
  return `${proofWords[transfer.originProof]}${leftNothing(transfer) ? ', nothing left' : ''}`
}
