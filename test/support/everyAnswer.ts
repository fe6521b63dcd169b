import { type LegAnswer, listNewestAnswers } from '../../src/ledger/legAnswers.ts'
import type { Database } from '../../src/store/database.ts'

/** All that second sources said. */
export function listEveryAnswer(db: Database): LegAnswer[] {
  return listNewestAnswers(db, Number.MAX_SAFE_INTEGER)
}

/** How many transactions anything was said of. */
export function countAsked(db: Database, chain?: LegAnswer['chain']): number {
  const asked = listEveryAnswer(db).filter((one) => chain === undefined || one.chain === chain)
  return new Set(asked.map(({ hash }) => hash)).size
}
