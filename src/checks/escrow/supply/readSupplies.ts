import { readAgreement } from '../../../kernel/sources/sourceWords.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import type { Database } from '../../../store/database.ts'
import type { SupplyFact } from '../holding.ts'
import { readEscrowToken } from '../owed/owedStore.ts'
import { type EscrowWatch, symbolOf } from '../watched/watch.ts'
import type { SupplyToken } from './pollSupply.ts'
import { type ComparedSupply, listSupplies } from './supplyStore.ts'

/** The tokens whose supply is to be compared, and since when this process would: since its start, or the machine's last sleep. */
export interface SupplyWatch {
  readonly tokens: readonly SupplyToken[]
  readonly hasNode: boolean
  since: UnixMs
}

/** What was found of each of them. */
export function readSupplies({
  db,
  watch,
  supplies,
  compared,
}: {
  readonly db: Database
  readonly watch: EscrowWatch
  readonly supplies: SupplyWatch
  readonly compared: ReadonlyMap<string, ComparedSupply>
}): SupplyFact[] {
  return supplies.tokens.map(({ token, zoneAddress }) => {
    const { judged = null, excesses = 0, opening = 0n } = compared.get(token) ?? {}
    const isAssumed = opening > 0n && readEscrowToken(db, token)?.isAssumed === true
    return {
      token,
      zoneToken: zoneAddress,
      symbol: symbolOf(watch, token),
      judged,
      excesses,
      before: isAssumed ? opening : 0n,
      agreement: excesses > 0 ? readAgreement(db, 'supply', token) : null,
      watchedSince: supplies.since,
      // Asked where it is to be told: of each token each second it is not.
      get why() {
        return sayWhy(db, token, supplies)
      },
    }
  })
}

function sayWhy(db: Database, token: string, { hasNode }: SupplyWatch): string {
  if (!hasNode) return 'no node of the zone chain is configured (zoneRpc)'
  return listSupplies(db, token, Number.MAX_SAFE_INTEGER).length > 0
    ? 'what the escrows held at that moment is not judged yet'
    : "the zone's node gave no newer totalSupply of this contract"
}
