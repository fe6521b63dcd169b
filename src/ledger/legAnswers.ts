import type { Chain } from '../bridge/observation.ts'
import type { Agreement } from '../bridge/agreement.ts'
import type { EvidenceSource, TokenMove } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { chain, evidenceSource } from '../store/bridgeCodecs.ts'
import type { Database } from '../store/database.ts'
import { hash, isAnyHash, isHash, textOfHash, toHashCell } from '../store/hash.ts'
import { MonitorError } from '../lib/errors.ts'
import { pack } from '../store/pack.ts'
import {
  columns,
  instant,
  int,
  jsonOf,
  oneOf,
  packed,
  type Read,
  readPacked,
  table,
  text,
} from '../store/table.ts'

const answerStatus = oneOf('success', 'failed', 'unknown', 'absent')

/** The newest answer of one source about one leg, as it is stored. */
export interface LegAnswer {
  readonly chain: Chain
  readonly hash: string
  readonly source: EvidenceSource
  readonly at: UnixMs
  readonly status: Read<typeof answerStatus>
  readonly body: AnswerBody
}

/** The rest of an answer, as JSON: what there is nothing to say of is left out. */
export interface AnswerBody {
  /** The request of the first answer that said the same; left out, it was this one. */
  readonly since?: UnixMs
  readonly errorMessage?: string
  readonly moves?: readonly (Omit<TokenMove, 'amountRaw'> & { readonly amountRaw: string | null })[]
  readonly whole?: boolean
  readonly amountRaw?: string
  readonly amount?: string
  readonly reads?: number
  readonly unasked?: EvidenceSource
  readonly agreement?: Agreement
  readonly height?: number
  readonly time?: UnixMs
  readonly actionType?: string
  readonly action?: string
  readonly paidIn?: string
  readonly recipient?: string
}

type PackedAnswer = readonly [LegAnswer['chain'], EvidenceSource, UnixMs, LegAnswer['status'], AnswerBody]

const legs = table('leg_answers', { id: int, hash, answers: packed })
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
  if (hashes.length === 0) return []
  const wanted = JSON.stringify(hashes)
  return [
    ...legs
      .all(db, `SELECT ${legs.list()} FROM leg_answers WHERE ${isAnyHash('hash', '?1')}`, wanted)
      .flatMap(toAnswers),
    ...listOld(db, 'WHERE hash IN (SELECT value FROM json_each(?))', wanted),
  ]
}

/** In place of what the same source said of the same leg before. */
export function saveAnswer(db: Database, answer: LegAnswer): void {
  const [row] = legs.all(
    db,
    `SELECT ${legs.list()} FROM leg_answers WHERE ${isHash('hash', '?1')}`,
    answer.hash,
  )
  const old = listOld(db, 'WHERE hash = ?', answer.hash)
  const others = [...(row ? toAnswers(row) : []), ...old].filter(
    (one) => one.chain !== answer.chain || one.source !== answer.source,
  )
  if (old.length > 0) db.prepare('DELETE FROM leg_evidence WHERE hash = ?').run(answer.hash)
  write(db, row?.id ?? old[0]?.id ?? nextId(db), [...others, answer])
}

function write(db: Database, id: number, answers: readonly LegAnswer[]): void {
  const [first] = answers
  if (first === undefined) return
  const cells = answers.map(
    ({ chain, source, at, status, body }): PackedAnswer => [chain, source, at, status, body],
  )
  db.prepare('INSERT OR REPLACE INTO leg_answers (id, hash, telling, answers) VALUES (?, ?, ?, ?)').run(
    id,
    toHashCell(first.hash),
    answers.some(isTelling) ? 1 : 0,
    pack(cells, [first.hash]),
  )
}

/** Whether it says more than that the leg succeeded. */
function isTelling({ status, body }: LegAnswer): boolean {
  return status !== 'success' || 'moves' in body || 'amount' in body || 'amountRaw' in body
}

function toAnswers({ id, hash, answers }: Read<typeof legs>): (LegAnswer & { readonly id: number })[] {
  const cells = readPacked(answers, [hash])
  if (!Array.isArray(cells))
    throw new MonitorError(
      'state.invalid',
      `The ledger cannot be read: leg_answers, column answers of id ${id}: expected packed answers.`,
    )
  // Packed by `write`.
  return (cells as PackedAnswer[]).map(([chain, source, at, status, body]) => ({
    id,
    hash,
    chain,
    source,
    at,
    status,
    body,
  }))
}

function listOld(db: Database, where: string, ...values: (string | number)[]) {
  return oldAnswers.all(db, `SELECT ${oldAnswers.list()} FROM leg_evidence ${where}`, ...values)
}

/** Behind all that is there, in both forms: the newest have the highest. */
function nextId(db: Database): number {
  const highest = (name: string) => int.orNull().get(db, `SELECT max(id) FROM ${name}`) ?? 0
  return Math.max(highest('leg_answers'), highest('leg_evidence')) + 1
}

/** Of the transactions that were asked about last so many, the newest first. */
export function listNewestAnswers(db: Database, count: number): LegAnswer[] {
  const newest = (name: string) => `FROM ${name} ORDER BY id DESC LIMIT ?`
  return [
    ...legs.all(db, `SELECT ${legs.list()} ${newest('leg_answers')}`, count).flatMap(toAnswers),
    ...oldAnswers.all(db, `SELECT ${oldAnswers.list()} ${newest('leg_evidence')}`, count),
  ].toSorted((a, b) => b.id - a.id)
}

/** Forgets what was said of the legs of a transaction. */
export function deleteAnswers(db: Database, name: string): void {
  db.prepare(`DELETE FROM leg_answers WHERE ${isHash('hash', '?1')}`).run(name)
  db.prepare('DELETE FROM leg_evidence WHERE hash = ?').run(name)
}

export function hasAnswers(db: Database): boolean {
  return ['leg_answers', 'leg_evidence'].some(
    (name) => db.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() !== undefined,
  )
}

/** In SQL: whether any answer about the hash of a column says more than that its leg succeeded. */
export function isToldOf(column: string): string {
  const prefix = `substr(${textOfHash(column)}, 3)`
  return `(EXISTS (SELECT 1 FROM leg_answers e WHERE e.telling = 1
      AND substr(e.hash, 1, 8) IN (substr(${column}, 1, 8), substr(unhex(${prefix}), 1, 8)) AND ${textOfHash('e.hash')} = ${textOfHash(column)})
    OR EXISTS (SELECT 1 FROM leg_evidence e WHERE e.hash = ${textOfHash(column)}
      AND (e.status <> 'success' OR instr(e.body, '"moves"') OR instr(e.body, '"amount'))))`
}

const counted = columns({ hash: text })

/** Moves answers of before about so many transactions into the form of now. @returns whether there are more */
export function moveOldAnswers(db: Database, count: number): boolean {
  const hashes = counted
    .all(db, 'SELECT DISTINCT hash FROM leg_evidence ORDER BY hash LIMIT ?', count)
    .map((row) => row.hash)
  for (const one of hashes) {
    const [newest] = listOld(db, 'WHERE hash = ? ORDER BY id DESC LIMIT 1', one)
    if (newest) saveAnswer(db, newest)
  }
  return hashes.length === count
}
