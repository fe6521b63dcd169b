import { z } from 'zod'
import { parseDecimal } from '../../bridge/amount.ts'
import { toBaseUnits } from '../../bridge/decimal.ts'
import type { Absence } from '../../clients/explorer/absence.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { bigintText, columns, instant, int, json, table, text } from '../../store/table.ts'
import { type BurnHour, noteBurn, toBurnHour } from './burn.ts'

/** What is known of an address that works for the bridge. */
export interface StoredOperator {
  readonly address: string
  /** Wei. */
  readonly balance: bigint | null
  readonly balanceAt: UnixMs | null
  /** The newest transaction that it sent. */
  readonly last: { readonly hash: string; readonly height: number; readonly at: UnixMs } | null
  /** What readings found since; null where nothing is proven by them. */
  readonly absence: Absence | null
  /** Request time of the newest answer that can be trusted. */
  readonly readAt: UnixMs | null
}

/** What the configuration wants an operator to hold at least, wei. */
export function leastOf({ minBalance }: { readonly minBalance: string | null }): bigint | null {
  const least = minBalance === null ? null : parseDecimal(minBalance)
  return least && toBaseUnits(least, 18)
}

export function listOperators(db: Database): StoredOperator[] {
  return operators.all(db, 'SELECT * FROM operators ORDER BY address').map((row) => {
    const { lastHash: hash, lastHeight: height, lastAt: at, ...rest } = row
    return { ...rest, last: hash === null || height === null || at === null ? null : { hash, height, at } }
  })
}

const time = z.number().nullable().default(null)
const absences = json<Absence>(
  z.object({ firstAt: time, lastAt: time, reads: z.number().default(0), controlAt: time }),
)

const operators = table('operators', {
  address: text,
  /** Wei. */
  balance: bigintText.orNull(),
  balanceAt: instant.orNull(),
  lastHash: text.orNull(),
  lastHeight: int.orNull(),
  lastAt: instant.orNull(),
  absence: absences.orNull(),
  readAt: instant.orNull(),
})

/** Keeps a balance, and what it lost since the one before. Belongs inside a commit. */
export function saveOperatorBalance(
  db: Database,
  { address, balance, at }: { readonly address: string; readonly balance: bigint; readonly at: UnixMs },
): void {
  const before = operators.get(db, 'SELECT * FROM operators WHERE address = ?', address)
  db.prepare(
    `INSERT INTO operators (address, balance, balance_at) VALUES (?, ?, ?)
     ON CONFLICT (address) DO UPDATE SET balance = excluded.balance, balance_at = excluded.balance_at`,
  ).run(address, balance.toString(), at)
  const was = before?.balance ?? null
  const wasAt = before?.balanceAt ?? null
  const last = was === null || wasAt === null ? { balance, at } : { balance: was, at: wasAt }
  const [hour = null] = listBurn(db, address, toBurnHour(at))
  db.prepare(`INSERT OR REPLACE ${burn.into}`).run(
    ...burn.values({ address, ...noteBurn(hour, last, { balance, at }) }),
  )
}

const burn = table('operator_burn', {
  address: text,
  at: instant,
  spent: bigintText,
  coveredMs: int,
  lastDrop: bigintText,
  least: bigintText,
})

const burnHours = columns({
  at: instant,
  spent: bigintText,
  coveredMs: int,
  lastDrop: bigintText,
  least: bigintText,
})

/** What an operator's balance lost, hour by hour since one, oldest first. */
export function listBurn(db: Database, address: string, since: UnixMs): BurnHour[] {
  const sql = 'SELECT * FROM operator_burn WHERE address = ? AND at >= ? ORDER BY at'
  return burnHours.all(db, sql, address, since)
}

export function purgeBurn(db: Database, before: UnixMs, limit: number): void {
  db.prepare(
    `DELETE FROM operator_burn WHERE (address, at) IN
      (SELECT address, at FROM operator_burn WHERE at < ? LIMIT ?)`,
  ).run(before, limit)
}

export function saveOperatorActivity(
  db: Database,
  { address, last, absence, readAt }: Pick<StoredOperator, 'address' | 'last' | 'absence' | 'readAt'>,
): void {
  db.prepare(
    `INSERT INTO operators (address, last_hash, last_height, last_at, absence, read_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (address) DO UPDATE SET last_hash = excluded.last_hash, last_height = excluded.last_height,
       last_at = excluded.last_at, absence = excluded.absence, read_at = excluded.read_at`,
  ).run(
    address,
    last?.hash ?? null,
    last?.height ?? null,
    last?.at ?? null,
    absences.orNull().write(absence),
    readAt,
  )
}
