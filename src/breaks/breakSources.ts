import { kinds } from '../checks/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createTokenBook, type TokenSetting } from '../ledger/lessons/tokenBook.ts'
import type { Database } from '../store/database.ts'
import type { BreakSources } from './readBreaks.ts'

/** What breaks are read from. */
export interface BreakLedger {
  readonly db: Database
  readonly ledger: Pick<Ledger, 'getTransfer' | 'listSharing'>
  readonly tokens: readonly TokenSetting[]
}

/** Opened for each reading: tokens are learned meanwhile. */
export function openBreakSources({ db, ledger, tokens }: BreakLedger): BreakSources {
  return { db, ledger, kinds, tokens: createTokenBook(db, tokens) }
}
