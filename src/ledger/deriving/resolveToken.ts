import { isRecord, isUnsaid, type Sighting } from '../sightings/sighting.ts'
import { toRawAmount } from '../../bridge/tokenFlow.ts'
import type { Leg, LegEvidence, TokenMove } from '../../bridge/transfer.ts'

/** What the events of a transfer say of it, where no record does. */
export interface EventClaim {
  readonly main: Leg | null
  readonly amountRaw: bigint | null
  /** Who has to get it; '' where the event names nobody, or anybody may. */
  readonly recipient: string
  readonly decimalsOf: (token: string) => number | null
}

/** Whether nothing says which token a transfer is of: it has no record, and its events name none. */
export function lacksToken(sightings: readonly Sighting[]): boolean {
  return sightings.every((one) => one.token === '' && (!isRecord(one) || isUnsaid(one, 'token')))
}

/**
 * The token that an event without one is about, by what its transaction moved: the only one of which the very amount
 * moved; else, so that a wrong amount is reported as one, the only one that moved at all. '' is the native currency, null
 * that nothing shows.
 */
export function resolveToken(claim: EventClaim, evidence: readonly LegEvidence[]): string | null {
  const { main, recipient } = claim
  const moves = evidence
    .filter((one) => one.chain === 'main' && one.hash === main?.hash && one.status === 'success')
    .flatMap((one) => one.moves ?? [])
    .filter((move) => recipient === '' || move.to === recipient)
  const exact = moves.filter((move) => isExact(claim, move))
  return onlyToken(exact) ?? (exact.length > 0 ? null : onlyToken(moves))
}

function isExact({ amountRaw, decimalsOf }: EventClaim, move: TokenMove): boolean {
  return amountRaw !== null && toRawAmount(move, decimalsOf(move.token)) === amountRaw
}

function onlyToken(moves: readonly TokenMove[]): string | null {
  const [token, ...others] = new Set(moves.map((move) => move.token))
  return token === undefined || others.length > 0 ? null : token
}
