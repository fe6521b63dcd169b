import type { Database } from '../../store/database.ts'
import { isHash, toHashCell } from '../../store/hash.ts'
import { int, type Row } from '../../store/table.ts'
import { known, knownOf, knownOfAnswers } from '../sightings/knownTexts.ts'
import { isTelling, splitAnswers, toCells, tokensIn } from './legAnswer.ts'
import { legs, readLegs, toAnswers } from './legRows.ts'
import { readSettledOf, writeSettled } from './settledAnswers.ts'

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
