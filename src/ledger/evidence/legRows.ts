import type { Database } from '../../store/database.ts'
import { endsOf, hasEnds, hash, isHash, toHashCell } from '../../store/hash.ts'
import { noteMisread } from '../../store/misread.ts'
import { learnNames, namesOf } from '../../store/names.ts'
import { pack } from '../../store/pack.ts'
import { int, packed, type Read, readPacked, table } from '../../store/table.ts'
import { areAnswers, isTelling, type LegAnswer, splitAnswers, toCells, tokensIn } from './legAnswer.ts'

/** What was answered about the legs of one transaction, together. */
export const legs = table('leg_answers', { id: int, hash, answers: packed })

export function readLegs(db: Database, hashes: readonly string[]): Read<typeof legs>[] {
  const [first] = hashes
  const sql = `SELECT ${legs.list()} FROM leg_answers WHERE`
  if (first === undefined) return []
  const wanted = new Set(hashes)
  return hashes.length === 1
    ? legs.all(db, `${sql} ${isHash('hash', '?1')}`, first)
    : legs
        .all(db, `${sql} ${hasEnds('hash', '?1')}`, JSON.stringify(hashes.map(endsOf)))
        .filter((row) => wanted.has(row.hash))
}

export function writeLegs(db: Database, id: number, answers: readonly LegAnswer[]): void {
  const [first] = answers
  if (first === undefined) return
  learnNames(db, tokensIn(answers))
  db.prepare('INSERT OR REPLACE INTO leg_answers (id, hash, telling, answers) VALUES (?, ?, ?, ?)').run(
    id,
    toHashCell(first.hash),
    answers.some(isTelling) ? 1 : 0,
    pack(toCells(answers), [first.hash], namesOf(db)),
  )
}

/** None where they cannot be read: as of a leg that nobody was asked about. */
export function toAnswers(
  db: Database,
  { id, hash, answers }: Read<typeof legs>,
): (LegAnswer & { readonly id: number })[] {
  const cells = readPacked(answers, [hash], namesOf(db))
  if (Array.isArray(cells) && areAnswers(cells))
    return splitAnswers(hash, cells).map((answer) => ({ id, ...answer }))
  noteMisread(db, `answers about ${hash}`)
  return []
}
