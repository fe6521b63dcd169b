import type { Chain } from '../bridge/observation.ts'
import type { Agreement } from '../bridge/agreement.ts'
import type { EvidenceSource, TokenMove } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { chain, evidenceSource } from '../store/bridgeCodecs.ts'
import type { Database } from '../store/database.ts'
import { endsOf, hasEnds, hash, indexOfHash, isHash, textOfHash, toHashCell } from '../store/hash.ts'
import { MonitorError } from '../lib/errors.ts'
import { known, knownOf, knownOfAnswers } from './knownTexts.ts'
import { dropSettled, readSettled, readSettledOf, writeSettled } from './settledAnswers.ts'
import { learnNames, namesOf } from '../store/names.ts'
import { pack } from '../store/pack.ts'
import { staysTrue } from '../store/staysTrue.ts'
import {
  columns,
  instant,
  int,
  jsonOf,
  oneOf,
  packed,
  type Read,
  readPacked,
  type Row,
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
const answerCells = 5

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
        write(db, id ?? nextId(db), answers)
      }
    },
  }
}

function readLegs(db: Database, hashes: readonly string[]): Read<typeof legs>[] {
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

function readOld(db: Database, hashes: readonly string[]) {
  return isAllMoved(db)
    ? []
    : listOld(db, 'WHERE hash IN (SELECT value FROM json_each(?))', JSON.stringify(hashes))
}

function write(db: Database, id: number, answers: readonly LegAnswer[]): void {
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

function toCells(answers: readonly LegAnswer[]): unknown[] {
  return answers.flatMap(
    ({ chain, source, at, status, body }): PackedAnswer => [chain, source, at, status, body],
  )
}

/** What a token moves in comes back; who moved it need not. */
function tokensIn(answers: readonly LegAnswer[]): string[] {
  return answers.flatMap(({ body }) => body.moves?.map((move) => move.token) ?? [])
}

/** Whether it says more than that the leg succeeded. */
function isTelling({ status, body }: LegAnswer): boolean {
  return status !== 'success' || 'moves' in body || 'amount' in body || 'amountRaw' in body
}

function toAnswers(
  db: Database,
  { id, hash, answers }: Read<typeof legs>,
): (LegAnswer & { readonly id: number })[] {
  const cells = readPacked(answers, [hash], namesOf(db))
  if (!Array.isArray(cells))
    throw new MonitorError(
      'state.invalid',
      `The ledger cannot be read: leg_answers, column answers of id ${id}: expected packed answers.`,
    )
  return splitAnswers(hash, cells).map((answer) => ({ id, ...answer }))
}

/** One behind the other; in rows of before each is a list of its own. */
function splitAnswers(hash: string, cells: readonly unknown[]): LegAnswer[] {
  // Packed by `write`.
  const rows = Array.isArray(cells[0])
    ? (cells as unknown as PackedAnswer[])
    : Array.from(
        { length: cells.length / answerCells },
        (_, place) => cells.slice(place * answerCells, (place + 1) * answerCells) as unknown as PackedAnswer,
      )
  return rows.map(([chain, source, at, status, body]) => ({ hash, chain, source, at, status, body }))
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
    if (!but.has(hash)) write(db, id, splitAnswers(hash, cells))
  }
}

const isAsked = 'SELECT 1 FROM evidence_queue WHERE hash = ? LIMIT 1'
const bearers = `SELECT key, state, ${[...known, ...knownOfAnswers].join(', ')} FROM transfers WHERE ${isHash('zone_hash', '?1')} OR ${isHash('main_hash', '?1')} LIMIT 2`

/** What a look at some rows came to. */
export interface Settling {
  /** The id to go on behind. */
  readonly next: number
  readonly isAtEnd: boolean
  /** Of how many transfers answers were settled. */
  readonly settled: number
  /** The lowest id of those that are soon settled: the others are shared, of no transfer, or of one that failed. */
  readonly waiting: number | null
}

/**
 * Settles answers about the legs of transfers that are over: of so many rows behind an id, where nothing is asked any more and one
 * transfer alone bears the hash. The newest `keep` stay: they are asked for as such.
 */
export function settleAnswers(
  db: Database,
  { after, count, keep }: { readonly after: number; readonly count: number; readonly keep: number },
): Settling {
  const until = (int.orNull().get(db, 'SELECT max(id) FROM leg_answers') ?? 0) - keep
  const sql = `SELECT ${legs.list()} FROM leg_answers WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`
  const rows = legs.all(db, sql, after, until, count)
  const bearing = new Map<number, { readonly bearer: Row; readonly id: number }>()
  for (const { id, hash } of rows) {
    const bearer = findBearer(db, hash)
    const key = Number(bearer?.['key'])
    if (bearer !== null && isOrWillBeOver(db, bearer) && !bearing.has(key)) bearing.set(key, { bearer, id })
  }
  // Pages are full where rows come in their order.
  const inOrder = [...bearing].sort(([a], [b]) => a - b)
  const left = inOrder.filter(([key, { bearer }]) => !settleLegs(db, key, bearer, until))
  const waiting = left.map(([, { id }]) => id)
  return {
    next: rows.at(-1)?.id ?? Math.max(after, until),
    isAtEnd: rows.length < count,
    settled: inOrder.length - left.length,
    waiting: waiting.length === 0 ? null : Math.min(...waiting),
  }
}

function isOrWillBeOver(db: Database, bearer: Row): boolean {
  const [, zoneHash, mainHash] = knownOf(db, bearer)
  return zoneHash !== mainHash && ['completed', 'pending'].includes(String(bearer['state']))
}

/** The one transfer with this hash. */
function findBearer(db: Database, hash: string): Row | null {
  const [bearer, another] = db.prepare(bearers).all(hash)
  return another === undefined ? (bearer ?? null) : null
}

function settleLegs(db: Database, key: number, bearer: Row, until: number): boolean {
  if (bearer['state'] !== 'completed') return false
  const [, zoneHash = '', mainHash = ''] = knownOf(db, bearer)
  const both = [zoneHash, mainHash]
  if (both.some((hash) => db.prepare(isAsked).get(toHashCell(hash)) !== undefined)) return false
  const own = both.filter((hash) => hash !== '' && findBearer(db, hash) !== null)
  const moved = readLegs(db, own).filter(({ id }) => id <= until)
  const answers = [
    ...moved.flatMap((row) => toAnswers(db, row)),
    ...[...(readSettledOf(db, key)?.ofHash ?? [])].flatMap(([hash, cells]) => splitAnswers(hash, cells)),
  ]
  const ofHash = new Map(
    [...Map.groupBy(answers, ({ hash }) => hash)].map(([hash, of]) => [hash, toCells(of)]),
  )
  writeSettled(db, { key, ofHash }, { bearer, isTelling: answers.some(isTelling), tokens: tokensIn(answers) })
  for (const { id } of moved) db.prepare('DELETE FROM leg_answers WHERE id = ?').run(id)
  return true
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
  for (const row of legs.all(db, sql, after, until)) write(db, row.id, toAnswers(db, row))
}

/** The highest id there is; 0 without one. */
export function lastAnswerId(db: Database): number {
  return int.orNull().get(db, 'SELECT max(id) FROM leg_answers') ?? 0
}
