import { formatUnits } from '../../bridge/amount.ts'
import { listEscrowTokens } from '../../checks/escrow/owedStore.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { createTokenBook, type TokenSetting } from '../../ledger/tokenBook.ts'
import type { ReportToken } from '../../report/reportToken.ts'
import type { Database } from '../../store/database.ts'

/** All escrows of a token together, at the newest block where both sides are known. Token units; null: unknown. */
export interface EscrowLine {
  readonly token: ReportToken
  readonly holds: string | null
  readonly owes: string | null
  /** Had left the escrow for transfers that were not judged yet. */
  readonly inTransit: string | null
  readonly at: UnixMs | null
}

/** What the escrows of each token hold and owe, by the newest judgement; null when none are watched. */
export function readEscrows(db: Database, settings: readonly TokenSetting[]): EscrowLine[] | null {
  const book = createTokenBook(db, settings)
  const lines = listEscrowTokens(db).map(({ token, judged }): EscrowLine => {
    const { symbol, decimals } = book.find(token)
    const units = (raw: bigint | undefined) =>
      raw === undefined || decimals === null ? null : formatSigned(raw, decimals)
    const of: ReportToken = { address: token, symbol, name: '', decimals }
    return {
      token: of,
      holds: units(judged?.holdings),
      owes: units(judged?.owed),
      inTransit: units(judged?.openOut),
      at: judged?.at ?? null,
    }
  })
  return lines.length === 0 ? null : lines
}

/** More can have been credited than was ever locked: what is owed may be below zero. */
function formatSigned(raw: bigint, decimals: number): string {
  return raw < 0n ? `-${formatUnits(-raw, decimals)}` : formatUnits(raw, decimals)
}
