import type { Database } from '../../../store/database.ts'
import { bigintText, flag, int, type Read, table, text } from '../../../store/table.ts'
import { numberOfKey } from './legStore.ts'

/** A payout of an origin that was paid before. */
const rows = table('escrow_surplus', {
  key: int,
  token: text,
  /** What of it nothing stands behind, base units of the token that left. */
  amount: bigintText,
  /** Whether that is all of it. */
  isWhole: flag.from('whole'),
  /** Where it left; null for what did not leave the escrows. */
  height: int.orNull(),
})
export type Surplus = Omit<Read<typeof rows>, 'key'>

export function readSurplus(db: Database, key: string): Surplus | null {
  return rows.get(db, 'SELECT * FROM escrow_surplus WHERE key = ?', numberOfKey(key))
}

/** In place of what was said of it before; null takes that back. */
export function saveSurplus(db: Database, key: string, surplus: Surplus | null): void {
  const number = numberOfKey(key)
  if (surplus === null) db.prepare('DELETE FROM escrow_surplus WHERE key = ?').run(number)
  else db.prepare(`INSERT OR REPLACE ${rows.into}`).run(...rows.values({ ...surplus, key: number }))
}

/** How many of these transfers are more than a second payout of what another one paid. */
export function countBacked(db: Database, keys: readonly string[]): number {
  const sql =
    'SELECT COUNT(*) FROM escrow_surplus WHERE whole = 1 AND key IN (SELECT value FROM json_each(?))'
  return keys.length - (int.get(db, sql, JSON.stringify(keys.map(numberOfKey))) ?? 0)
}

/** What left of a token for origins that were paid before, above one height up to another. */
export function sumSurplus(
  db: Database,
  token: string,
  { from, to }: { readonly from: number; readonly to: number },
): bigint {
  const sql = 'SELECT * FROM escrow_surplus WHERE token = ? AND height > ? AND height <= ?'
  return rows.all(db, sql, token, from, to).reduce((sum, { amount }) => sum + amount, 0n)
}
