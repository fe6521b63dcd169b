import { type Decimal, formatDecimal } from '../../bridge/decimal.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { decimal } from '../../store/bridgeCodecs.ts'
import type { Database } from '../../store/database.ts'
import { instant, table, text } from '../../store/table.ts'
import type { Lack } from './flow.ts'
import type { Movement } from './lossStore.ts'

/** A payout that is compared with nothing: neither its record nor the zone says how much it is, or of which id. */
export interface UnjudgedPayout {
  readonly hash: string
  readonly payer: string
  readonly token: string
  /** What moved to the recipient, token units. */
  readonly amount: Decimal
  readonly lacks: Lack
}

/** A payout that nobody completes, as of now, seen since it was the first time; null once somebody does, and for any other transfer. */
export function saveUnjudged(
  db: Database,
  key: string,
  payout: UnjudgedPayout | null,
  times: { readonly at: UnixMs; readonly seenAt: UnixMs },
): void {
  if (payout === null) return forgetUnjudged(db, key)
  const { hash, payer, token, amount, lacks } = payout
  db.prepare(
    `INSERT INTO unjudged_payouts VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (transfer_key) DO UPDATE SET hash = excluded.hash, payer = excluded.payer, token = excluded.token,
       amount = excluded.amount, lacks = excluded.lacks, at = excluded.at`,
  ).run(key, hash, payer, token, formatDecimal(amount), lacks, times.at, times.seenAt)
}

export function forgetUnjudged(db: Database, key: string): void {
  db.prepare('DELETE FROM unjudged_payouts WHERE transfer_key = ?').run(key)
}

/** Those that no movement at an escrow is judged by. */
export function listUnjudgedPayouts(
  db: Database,
  seen: { readonly from: UnixMs; readonly until: UnixMs },
): (Movement & { readonly reason: string })[] {
  const sql = `SELECT * FROM unjudged_payouts AS payout WHERE seen_at BETWEEN ? AND ?
    AND NOT EXISTS (SELECT 1 FROM escrow_flows AS flow WHERE flow.hash = payout.hash AND flow.token = payout.token)
    LIMIT 5000`
  const rows = payouts.all(db, sql, seen.from, seen.until)
  return rows.map((row) => ({ ...row, unexplained: null, waitsFor: null }))
}

const payouts = table('unjudged_payouts', {
  hash: text,
  escrow: text.from('payer'),
  token: text,
  outward: decimal.from('amount'),
  reason: text.from('lacks'),
  at: instant,
})

export function purgeUnjudged(db: Database, before: UnixMs): void {
  db.prepare('DELETE FROM unjudged_payouts WHERE seen_at < ?').run(before)
}
