import type { Database } from '../../../store/database.ts'
import type { EscrowToken } from '../owed/owedStore.ts'
import { type ComparedSupply, readCompared } from './supplyStore.ts'

/**
 * How it is known what a token's escrows owed when counting began. `proven`: what existed on the zone chain at the first
 * comparisons could be claimed in full. `assumed`: it is what was held then, and what lacked already does not show.
 */
export const baselineGrounds = ['configured', 'proven', 'assumed'] as const
export type BaselineGround = (typeof baselineGrounds)[number]

export function baselineGround(
  db: Database,
  known: Pick<EscrowToken, 'token' | 'isAssumed'>,
): BaselineGround {
  return groundBy(known, known.isAssumed ? readCompared(db, known.token) : null)
}

export function groundBy(
  { isAssumed }: Pick<EscrowToken, 'isAssumed'>,
  compared: Pick<ComparedSupply, 'opening'> | null,
): BaselineGround {
  if (!isAssumed) return 'configured'
  return compared !== null && compared.opening <= 0n ? 'proven' : 'assumed'
}
