import type { UnixMs } from '../../../lib/clock.ts'
import { decimal } from '../../../store/bridgeCodecs.ts'
import type { Database } from '../../../store/database.ts'
import { nameOf, numberOf } from '../../../store/names.ts'
import { hash } from '../../../store/hash.ts'
import { columns, instant, int, type Read, table, text } from '../../../store/table.ts'

/** A part of a failed deposit that a movement gives back. */
const refunds = table('refunds', {
  /** The movement's row. */
  flow: int,
  /** The main transaction by which it came in. */
  deposit: text,
  /** '' for tokens without ids. */
  tokenId: text,
  /** Token units. */
  amount: decimal,
})
export type Refund = Read<typeof refunds>

/** What of its token gives these deposits back, and what this movement does. */
export function listRefunds(
  db: Database,
  { id, token }: { readonly id: number; readonly token: string },
  deposits: readonly string[],
): Refund[] {
  const sql = `SELECT ${refunds.list('r')} FROM refunds r JOIN escrow_flows f ON f.id = r.flow
    WHERE (r.deposit IN (SELECT value FROM json_each(?1)) OR r.flow = ?2) AND +f.token = ${numberOf('?3')}`
  return refunds.all(db, sql, JSON.stringify(deposits), id, token)
}

/** What movements of a token above one height up to another give back, and of which deposits. */
export function listGivenBack(
  db: Database,
  token: string,
  { from, to }: { readonly from: number; readonly to: number },
): Refund[] {
  const sql = `SELECT ${refunds.list('r')} FROM refunds r JOIN escrow_flows f ON f.id = r.flow
    WHERE +f.token = ${numberOf('?1')} AND f.verdict = 'refund' AND f.height > ?2 AND f.height <= ?3`
  return refunds.all(db, sql, token, from, to)
}

const given = columns({ token: text, amount: decimal })

/** What was given back of failed deposits in a window, and of which token: as long as transfers are kept. */
export function listGivenBackIn(
  db: Database,
  { from, until }: { readonly from: UnixMs; readonly until: UnixMs },
): Read<typeof given>[] {
  const sql = `SELECT ${nameOf('f.token')} AS token, r.amount FROM refunds r JOIN escrow_flows f ON f.id = r.flow
    WHERE f.verdict = 'refund' AND f.at >= ? AND f.at < ?`
  return given.all(db, sql, from, until)
}

const returned = columns({ ...refunds.shape, token: text, hash, at: instant })

/** A part of a failed deposit that a movement gave back, and which one. */
export type Returned = Read<typeof returned>

/** What was given back of the deposits of a main transaction, the oldest first. */
export function listReturned(db: Database, deposit: string): Returned[] {
  const sql = `SELECT ${refunds.list('r')}, ${nameOf('f.token')} AS token, f.hash, f.at FROM refunds r JOIN escrow_flows f ON f.id = r.flow
    WHERE r.deposit = ? AND f.verdict = 'refund' ORDER BY f.at, f.id`
  return returned.all(db, sql, deposit)
}

/** In place of what the movement gave back before. @returns whether it gave something */
export function saveRefunds(db: Database, flow: number, given: readonly Refund[]): boolean {
  const { changes } = db.prepare('DELETE FROM refunds WHERE flow = ?').run(flow)
  const insert = db.prepare(`INSERT ${refunds.into}`)
  for (const refund of given) insert.run(...refunds.values(refund))
  return Number(changes) > 0
}

/** Deposits of these main transactions are other than they were: what gave them back is judged anew. */
export function wakeRefunds(db: Database, deposits: readonly string[], now: UnixMs): void {
  if (deposits.length === 0) return
  const sql = `UPDATE escrow_flows SET check_at = ?1, checks = 0
    WHERE id IN (SELECT flow FROM refunds WHERE deposit IN (SELECT value FROM json_each(?2)))`
  db.prepare(sql).run(now, JSON.stringify(deposits))
}

/** Of movements that are forgotten. */
export function purgeRefunds(db: Database): void {
  db.prepare('DELETE FROM refunds WHERE flow NOT IN (SELECT id FROM escrow_flows)').run()
}
