import { chain, evidenceSource } from '../../store/bridgeCodecs.ts'
import type { Database } from '../../store/database.ts'
import { indexOfHash, isHash, textOfHash } from '../../store/hash.ts'
import { staysTrue } from '../../store/staysTrue.ts'
import { columns, instant, int, jsonOf, table, text } from '../../store/table.ts'
import { type AnswerBody, answerStatus, type LegAnswer, splitAnswers } from './legAnswer.ts'
import { legs, readLegs, toAnswers, writeLegs } from './legRows.ts'
import { dropSettled, readSettled, readSettledOf } from './settledAnswers.ts'

/** As each answer had a row of its own; what is still there is moved little by little. */
const oldAnswers = table('leg_evidence', {
  id: int,
  chain,
  hash: text,
  source: evidenceSource,
  at: instant.from('requested_at'),
  status: answerStatus,
  body: jsonOf<AnswerBody>(),
})

/** Everything that was answered about the legs of these transactions. */
export function listAnswers(db: Database, hashes: readonly string[]): LegAnswer[] {
  return [
    ...readLegs(db, hashes).flatMap((row) => toAnswers(db, row)),
    ...listSettled(db, hashes).flatMap(({ answers }) => answers),
    ...readOld(db, hashes),
  ]
}

/** What is settled of these hashes, each with the transfer that it is kept with. */
function listSettled(
  db: Database,
  hashes: readonly string[],
): { readonly key: number; readonly hash: string; readonly answers: readonly LegAnswer[] }[] {
  const wanted = new Set(hashes)
  return readSettled(db, hashes).flatMap(({ key, ofHash }) =>
    [...ofHash].flatMap(([hash, cells]) =>
      wanted.has(hash) ? [{ key, hash, answers: splitAnswers(hash, cells) }] : [],
    ),
  )
}

/** The answers about the legs of some transactions, read at once. */
export interface OpenAnswers {
  of(hash: string): readonly LegAnswer[]
  /** In place of what the same source said of the same leg before; in the ledger with `save`. */
  put(answer: LegAnswer): void
  save(): void
}

interface Kept {
  /** Null before it has a row. */
  readonly id: number | null
  readonly answers: readonly LegAnswer[]
  readonly isOld: boolean
  /** The transfer that they are settled with. */
  readonly settledWith: number | null
  readonly isChanged: boolean
}

const none: Kept = { id: null, answers: [], isOld: false, settledWith: null, isChanged: false }

export function openAnswers(db: Database, hashes: readonly string[]): OpenAnswers {
  const byHash = new Map<string, Kept>()
  const of = (hash: string) => byHash.get(hash) ?? none
  for (const row of readLegs(db, hashes))
    byHash.set(row.hash, { ...none, id: row.id, answers: toAnswers(db, row) })
  for (const { key, hash, answers } of listSettled(db, hashes))
    byHash.set(hash, { ...none, answers, settledWith: key })
  for (const answer of readOld(db, hashes)) {
    const { id, answers } = of(answer.hash)
    byHash.set(answer.hash, { ...none, id: id ?? answer.id, answers: [...answers, answer], isOld: true })
  }
  return {
    of: (hash) => of(hash).answers,
    put(answer) {
      const { hash, chain, source } = answer
      const kept = of(hash)
      const others = kept.answers.filter((one) => one.chain !== chain || one.source !== source)
      byHash.set(hash, { ...kept, answers: [...others, answer], isChanged: true })
    },
    save() {
      const changed = new Set(byHash.keys().filter((hash) => of(hash).isChanged))
      for (const hash of changed) {
        const { settledWith } = of(hash)
        if (settledWith !== null) unsettleAnswers(db, settledWith, changed)
      }
      for (const [hash, { id, answers, isOld, isChanged }] of byHash) {
        if (!isChanged) continue
        if (isOld) db.prepare('DELETE FROM leg_evidence WHERE hash = ?').run(hash)
        writeLegs(db, id ?? nextId(db), answers)
      }
    },
  }
}

function readOld(db: Database, hashes: readonly string[]) {
  return isAllMoved(db)
    ? []
    : listOld(db, 'WHERE hash IN (SELECT value FROM json_each(?))', JSON.stringify(hashes))
}

function listOld(db: Database, where: string, ...values: (string | number)[]) {
  return oldAnswers.all(db, `SELECT ${oldAnswers.list()} FROM leg_evidence ${where}`, ...values)
}

/** Whether no answer of before is left: nobody writes them any more. */
const isAllMoved = staysTrue((db) => int.orNull().get(db, 'SELECT max(id) FROM leg_evidence') === null)

/** Behind all that is there, in both forms: the newest have the highest. */
function nextId(db: Database): number {
  const highest = (name: string) => int.orNull().get(db, `SELECT max(id) FROM ${name}`) ?? 0
  return Math.max(highest('leg_answers'), highest('leg_evidence')) + 1
}

/** Of the transactions that were asked about last so many, the newest first. */
export function listNewestAnswers(db: Database, count: number): LegAnswer[] {
  const newest = (name: string) => `FROM ${name} ORDER BY id DESC LIMIT ?`
  return [
    ...legs
      .all(db, `SELECT ${legs.list()} ${newest('leg_answers')}`, count)
      .flatMap((row) => toAnswers(db, row)),
    ...oldAnswers.all(db, `SELECT ${oldAnswers.list()} ${newest('leg_evidence')}`, count),
  ].toSorted((a, b) => b.id - a.id)
}

/**
 * What is settled with a transfer stands by its hashes again, but for those that are written anyway: among the oldest, as which
 * the rows of newer ones are found.
 */
export function unsettleAnswers(db: Database, key: number, but: ReadonlySet<string> = new Set()): void {
  const settled = readSettledOf(db, key)
  if (settled === null) return
  dropSettled(db, key)
  for (const [hash, cells] of settled.ofHash) {
    const id = (int.orNull().get(db, 'SELECT min(id) FROM leg_answers') ?? 1) - 1
    if (!but.has(hash)) writeLegs(db, id, splitAnswers(hash, cells))
  }
}

/** Forgets what was said of the legs of a transaction. */
export function deleteAnswers(db: Database, name: string): void {
  db.prepare(`DELETE FROM leg_answers WHERE ${isHash('hash', '?1')}`).run(name)
  db.prepare('DELETE FROM leg_evidence WHERE hash = ?').run(name)
}

export function hasAnswers(db: Database): boolean {
  return ['leg_answers', 'settled_answers', 'leg_evidence'].some(
    (name) => db.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() !== undefined,
  )
}

/** In SQL: whether any answer about the hash of a column, named with its table, says more than that its leg succeeded, or one about its transfer's other leg. */
export function isToldOf(column: string): string {
  const prefix = `substr(${textOfHash(column)}, 3)`
  const isSame = (other: string) =>
    `${indexOfHash(other)} IN (${indexOfHash(column)}, ${indexOfHash(`unhex(${prefix})`)}) AND ${textOfHash(other)} = ${textOfHash(column)}`
  const settled = ['t.zone_hash', 't.main_hash'].map(
    (other) =>
      `EXISTS (SELECT 1 FROM transfers t JOIN settled_answers s ON s.key = t.key WHERE s.telling = 1 AND ${other} IS NOT NULL AND ${isSame(other)})`,
  )
  return `(EXISTS (SELECT 1 FROM leg_answers e WHERE e.telling = 1 AND ${isSame('e.hash')})
    OR ${settled.join(' OR ')}
    OR EXISTS (SELECT 1 FROM leg_evidence e WHERE e.hash = ${textOfHash(column)}
      AND (e.status <> 'success' OR instr(e.body, '"moves"') OR instr(e.body, '"amount'))))`
}

const counted = columns({ hash: text })

/** Moves answers of before about so many transactions into the form of now. @returns whether there are more */
export function moveOldAnswers(db: Database, count: number): boolean {
  const hashes = counted
    .all(db, 'SELECT DISTINCT hash FROM leg_evidence ORDER BY hash LIMIT ?', count)
    .map((row) => row.hash)
  const answers = openAnswers(db, hashes)
  for (const one of hashes) for (const answer of answers.of(one)) answers.put(answer)
  answers.save()
  return hashes.length === count
}

/** Writes rows of before, behind one id and up to another, in the form of now. */
export function repackAnswers(db: Database, after: number, until: number): void {
  const sql = `SELECT ${legs.list()} FROM leg_answers WHERE id > ? AND id <= ? AND substr(answers, 1, 1) = x'01'`
  for (const row of legs.all(db, sql, after, until)) writeLegs(db, row.id, toAnswers(db, row))
}
