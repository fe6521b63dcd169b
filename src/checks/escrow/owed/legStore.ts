import type { SQLInputValue } from 'node:sqlite'
import { formatKey, parseKey } from '../../../ledger/transfers/transferRows.ts'
import { wholeNumber } from '../../../store/compactCodecs.ts'
import type { Database } from '../../../store/database.ts'
import { hash } from '../../../store/hash.ts'
import { nameNumber, nameOf, numberOf } from '../../../store/names.ts'
import { columns, flag, instant, int, type Read, table, text } from '../../../store/table.ts'
import type { OwedLeg } from './owed.ts'

const legRows = table('escrow_legs', {
  key: int,
  token: int,
  isCredit: flag.from('credit'),
  amount: wholeNumber.orNull(),
  less: wholeNumber.from('fee'),
  more: wholeNumber,
  isOnMain: flag.from('on_main'),
  mainHeight: int.orNull(),
  mainTime: instant.orNull(),
  zoneTime: instant.orNull(),
  isCounted: flag.from('counted'),
})
const legs = columns({ ...legRows.shape, token: text, mainHash: hash.orNull() })
type LegRow = Read<typeof legs>
export type StoredLeg = OwedLeg & { readonly isCounted: boolean }

/** What its transaction on the main chain is called stands in the transfer's own row. */
const selectLegs = `SELECT key, ${nameOf('token')} AS token, credit, amount, fee, more, on_main, main_height, main_time, zone_time, counted,
    iif(on_main, coalesce((SELECT t.main_hash FROM transfers t WHERE t.key = l.key), ''), NULL) AS main_hash FROM escrow_legs l`
/** Of the token that the first parameter gives. */
export const ofToken = `token = ${numberOf('?1')}`

export function listLegs(db: Database, where: string, ...values: SQLInputValue[]): StoredLeg[] {
  return legs.all(db, `${selectLegs} WHERE ${where}`, ...values).map(toLeg)
}

function toLeg(row: LegRow): StoredLeg {
  return { ...row, key: formatKey(row.key) }
}

/** Not `INSERT OR REPLACE`: for each of those SQLite keeps what its pages held before, which takes longer than to write them. */
export function writeLeg(db: Database, key: number, leg: StoredLeg, isKnown: boolean): void {
  const row = { ...leg, key, token: nameNumber(db, leg.token), isOnMain: leg.mainHash !== null }
  const sql = isKnown ? `UPDATE escrow_legs SET ${legRows.set} WHERE key = ?1` : `INSERT ${legRows.into}`
  db.prepare(sql).run(...legRows.values(row))
}

export function numberOfKey(key: string): number {
  const number = parseKey(key)
  if (number === null) throw new RangeError(`expected the key of a transfer, found ${key}`)
  return number
}
