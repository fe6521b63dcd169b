import { toBaseUnits } from '../../../bridge/decimal.ts'
import type { Holding } from '../../../kernel/reads/balanceReads.ts'
import type { Database } from '../../../store/database.ts'
import { sumListed } from '../flows/flowSums.ts'
import { listMainLegs } from '../owed/owedLegs.ts'
import type { EscrowAnchor } from '../flows/readingStore.ts'

export interface BalanceAt {
  readonly height: number
  readonly balance: bigint
}

/** What a balance changed by since the one before beyond what listed movements and known legs may make, base units. */
export function balanceRest(
  db: Database,
  { place, anchor, decimals }: { place: Holding; anchor: EscrowAnchor; decimals: number },
  { height, balance }: BalanceAt,
): bigint {
  const { address: escrow, token } = place
  const listed = sumListed(db, { escrow, token }, anchor.height, height)
  const change = toBaseUnits(listed.sum, decimals)
  if (change === null) return 0n
  const rest = balance - anchor.balance - change
  // A list that shows fewer digits than the token has is off by a little at each movement.
  const isRounded = listed.finest >= 6 && listed.finest < decimals
  const dust = isRounded ? BigInt(listed.count) * 10n ** BigInt(decimals - listed.finest) : 0n
  if ((rest < 0n ? -rest : rest) <= dust) return 0n
  const unlisted = listMainLegs(db, token, anchor.height, height).filter(
    ({ hash }) => hash === null || !listed.hashes.has(hash),
  )
  const least = unlisted.reduce((sum, leg) => sum + leg.least, 0n)
  const most = unlisted.reduce((sum, leg) => sum + leg.most, 0n)
  if (rest < least) return rest - least
  return rest > most ? rest - most : 0n
}
