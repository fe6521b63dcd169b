import type { LegAnswer } from '../../src/ledger/evidence/legAnswer.ts'
import { listAnswers, listNewestAnswers } from '../../src/ledger/evidence/legAnswers.ts'
import { readSettledOf } from '../../src/ledger/evidence/settledAnswers.ts'
import type { Database } from '../../src/store/database.ts'
import { int } from '../../src/store/table.ts'

/** All that second sources said. */
export function listEveryAnswer(db: Database): LegAnswer[] {
  const settled = int
    .all(db, 'SELECT key FROM settled_answers ORDER BY key DESC')
    .flatMap((key) => listAnswers(db, [...(readSettledOf(db, key)?.ofHash.keys() ?? [])]))
  return [...listNewestAnswers(db, Number.MAX_SAFE_INTEGER), ...settled]
}

/** How many transactions anything was said of. */
export function countAsked(db: Database, chain?: LegAnswer['chain']): number {
  const asked = listEveryAnswer(db).filter((one) => chain === undefined || one.chain === chain)
  return new Set(asked.map(({ hash }) => hash)).size
}
