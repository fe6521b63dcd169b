import type { Database } from '../../store/database.ts'
import { endsOf, hasEnds } from '../../store/hash.ts'
import { noteMisread } from '../../store/misread.ts'
import { learnNames, namesOf } from '../../store/names.ts'
import { pack } from '../../store/pack.ts'
import { flag, int, packed, readPacked, type Row, table } from '../../store/table.ts'
import { areAnswers } from './legAnswer.ts'
import { known, knownOf, knownOfAnswers, timesOf } from '../sightings/knownTexts.ts'

/*
 * Answers about the legs of a transfer that is over, in one row by the transfer's key. A hash stands in `leg_answers` or here,
 * never in both; whoever changes what the transfer's own row says of `known` moves them back first.
 */

const settled = table('settled_answers', { key: int, isTelling: flag.from('telling'), answers: packed })

/** What is packed about one hash, as `leg_answers` has it. */
type Cells = readonly unknown[]

export interface Settled {
  readonly key: number
  readonly ofHash: ReadonlyMap<string, Cells>
}

const columns = `t.${[...known, ...knownOfAnswers].join(', t.')}, s.key, s.telling, s.answers`
const from = `FROM settled_answers s JOIN transfers t ON t.key = s.key`
const byHashes = `SELECT ${columns} ${from} WHERE s.key IN (
  SELECT key FROM transfers WHERE ${hasEnds('zone_hash', '?1')} UNION ALL SELECT key FROM transfers WHERE ${hasEnds('main_hash', '?1')})`

/** The rows that may hold answers about one of these. */
export function readSettled(db: Database, hashes: readonly string[]): Settled[] {
  if (hashes.length === 0 || !hasSettled(db)) return []
  const ends = JSON.stringify(hashes.map(endsOf))
  return db
    .prepare(byHashes)
    .all(ends)
    .map((row) => toSettled(db, row))
}

/** What is settled of a transfer; null where nothing is. */
export function readSettledOf(db: Database, key: number): Settled | null {
  const row = db.prepare(`SELECT ${columns} ${from} WHERE s.key = ?`).get(key)
  return row === undefined ? null : toSettled(db, row)
}

function hasSettled(db: Database): boolean {
  return db.prepare('SELECT 1 FROM settled_answers LIMIT 1').get() !== undefined
}

/** Both legs one behind the other; null for one of which nothing is here. */
export function writeSettled(
  db: Database,
  { key, ofHash }: Settled,
  of: { readonly bearer: Row; readonly isTelling: boolean; readonly tokens: readonly string[] },
): void {
  learnNames(db, of.tokens)
  const texts = knownOf(db, of.bearer)
  const both = legsOf(texts).map((hash) => ofHash.get(hash) ?? null)
  const answers = pack(both, texts, namesOf(db), timesOf(of.bearer, knownOfAnswers))
  db.prepare('INSERT OR REPLACE INTO settled_answers (key, telling, answers) VALUES (?, ?, ?)').run(
    key,
    flag.write(of.isTelling),
    answers,
  )
}

export function dropSettled(db: Database, key: number): void {
  db.prepare('DELETE FROM settled_answers WHERE key = ?').run(key)
}

function toSettled(db: Database, row: Row): Settled {
  const { key, answers } = settled.read(row)
  const texts = knownOf(db, row)
  const both = readPacked(answers, texts, namesOf(db), timesOf(row, knownOfAnswers))
  const legs = Array.isArray(both) ? legsOf(texts).map((hash, at): [string, unknown] => [hash, both[at]]) : []
  const isWhole = ([, cells]: [string, unknown]) => cells === null || areAnswers(cells)
  if (legs.length === 0 || !legs.every(isWhole)) noteMisread(db, `answers about transfer t${key}`)
  const ofHash = new Map(legs.filter((leg): leg is [string, Cells] => areAnswers(leg[1])))
  return { key, ofHash }
}

function legsOf([, zoneHash = '', mainHash = '']: readonly string[]): [string, string] {
  return [zoneHash, mainHash]
}
