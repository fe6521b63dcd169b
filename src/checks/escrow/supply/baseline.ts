import type { Database } from '../../../store/database.ts'
import type { EscrowToken } from '../owedStore.ts'
import { readCompared } from './supplyStore.ts'

/**
 * How it is known what a token's escrows owed when counting began. `proven`: what existed on the zone chain at the first
 * comparisons could be claimed in full. `assumed`: it is what was held then, and what lacked already does not show.
 */
export const baselineGrounds = ['configured', 'proven', 'assumed'] as const
export type BaselineGround = (typeof baselineGrounds)[number]

export function baselineGround(
  db: Database,
  { token, isAssumed }: Pick<EscrowToken, 'token' | 'isAssumed'>,
): BaselineGround {
  if (!isAssumed) return 'configured'
  const opening = readCompared(db, token)?.opening ?? null
  return opening !== null && opening <= 0n ? 'proven' : 'assumed'
}
