import { kinds } from '../checks/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createTokenBook, type TokenSetting } from '../ledger/tokenBook.ts'
import type { Database } from '../store/database.ts'
import type { BreakSources } from './readBreaks.ts'

/** Opened for each reading: tokens are learned meanwhile. */
export function openBreakSources(of: {
  readonly db: Database
  readonly ledger: Pick<Ledger, 'getTransfer'>
  readonly tokens: readonly TokenSetting[]
}): BreakSources {
  const { db, ledger, tokens } = of
  return { db, ledger, kinds, tokens: createTokenBook(db, tokens) }
}
