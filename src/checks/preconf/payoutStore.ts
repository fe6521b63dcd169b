import { z } from 'zod'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { flag, instant, json, oneOf, type Read, table, text } from '../../store/table.ts'

/** What was to be explained of a payout, token units or base units as it was told. */
const unfit = json(z.array(z.object({ token: z.string(), raw: z.string() })).readonly())

/**
 * Payouts that were preconfirmed. `fits`: by then the list had shown what they pay; `unbacked`: it had not, and nothing
 * explains them; `late`: it had not, and a withdrawal explains them by now.
 */
const payouts = table('preconf_payouts', {
  hash: text,
  at: instant,
  verdict: oneOf('fits', 'unbacked', 'late'),
  /** Whether the bridge's own event named all that they pay. */
  named: flag,
  unfit,
})
export type PayoutRow = Read<typeof payouts>

/** How many of the newest are looked at. */
const newest = 200
/** A list that was late so often says nothing by what it does not show yet. */
const mostLate = 0.05
/** So many must have been shown before their payout. */
export const leastShown = 3
/** Bridges of which so many payouts name what they pay are known to name it. */
const mostlyNamed = 0.95

export function savePayout(db: Database, row: PayoutRow): void {
  db.prepare(`INSERT OR IGNORE ${payouts.into}`).run(...payouts.values(row))
}

export function readPayout(db: Database, hash: string): PayoutRow | null {
  return payouts.get(db, 'SELECT * FROM preconf_payouts WHERE hash = ?', hash)
}

/** A withdrawal explains by now what was unbacked. */
export function notePayoutLate(db: Database, hash: string): void {
  db.prepare("UPDATE preconf_payouts SET verdict = 'late' WHERE hash = ?").run(hash)
}

/** It was never paid: its transaction is in no block, or failed. */
export function dropPayout(db: Database, hash: string): void {
  db.prepare('DELETE FROM preconf_payouts WHERE hash = ?').run(hash)
}

export function purgePayouts(db: Database, before: UnixMs): void {
  db.prepare('DELETE FROM preconf_payouts WHERE at < ?').run(before)
}

/** What the list shows of withdrawals by the time that they are paid. */
export interface ListHabit {
  readonly shown: number
  readonly late: number
  /** Whether it shows nearly all of them by then, as far as enough were seen. */
  readonly isPrompt: boolean
  /** Whether nearly all payouts name in an event what they pay. */
  readonly namesOrigins: boolean
}

export function readHabit(db: Database): ListHabit {
  const sql = "SELECT * FROM preconf_payouts WHERE verdict IN ('fits', 'late') ORDER BY at DESC LIMIT ?"
  const rows = payouts.all(db, sql, newest)
  const shown = rows.filter(({ verdict }) => verdict === 'fits')
  const late = rows.length - shown.length
  const named = shown.filter((row) => row.named)
  return {
    shown: shown.length,
    late,
    isPrompt: shown.length >= leastShown && late <= mostLate * rows.length,
    namesOrigins: shown.length >= leastShown && named.length >= mostlyNamed * shown.length,
  }
}
