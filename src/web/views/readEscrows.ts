import { formatUnits } from '../../bridge/amount.ts'
import { type EscrowAccounts, toAccountUnits } from '../../checks/escrow/accounts/accountUnits.ts'
import { type EscrowToken, listEscrowTokens } from '../../checks/escrow/owed/owedStore.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { createTokenBook, type TokenBook, type TokenSetting } from '../../ledger/lessons/tokenBook.ts'
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
  /** False where nothing ever came to rest, as far as was seen: what comes in is passed on, or burned. */
  readonly isHeld: boolean
  /** What is held, account by account: the sum of all of them, exact. */
  readonly accounts: EscrowAccounts | null
}

/** What the escrows of each token hold and owe, by the newest judgement; null when none are watched. */
export function readEscrows(db: Database, settings: readonly TokenSetting[]): EscrowLine[] | null {
  const book = createTokenBook(db, settings)
  const lines = listEscrowTokens(db).map((known) => toEscrowLine(known, book))
  return lines.length === 0 ? null : lines
}

export function toEscrowLine(
  { token, judged, accounts, isHeld }: EscrowToken,
  book: Pick<TokenBook, 'find'>,
): EscrowLine {
  const { symbol, decimals } = book.find(token)
  const units = (raw: bigint | undefined) => (raw === undefined ? null : formatRaw(raw, decimals))
  return {
    token: { address: token, symbol, name: '', decimals },
    holds: units(judged?.holdings),
    owes: units(judged?.owed),
    inTransit: units(judged?.openOut),
    at: judged?.at ?? null,
    isHeld,
    accounts: accounts === null || decimals === null ? null : toAccountUnits(accounts, decimals),
  }
}

/** In token units; null where the decimals are not known. More can have been credited than was ever locked: it may be below zero. */
export function formatRaw(raw: bigint, decimals: number | null): string | null {
  if (decimals === null) return null
  return raw < 0n ? `-${formatUnits(-raw, decimals)}` : formatUnits(raw, decimals)
}
