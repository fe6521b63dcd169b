import {
  countsSince,
  hasHappenedAt,
  leastChange,
  type OwedLeg,
  type OwedStart,
  rangeOfChange,
} from './owed.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { formatKey } from '../../../ledger/transfers/transferRows.ts'
import type { Database } from '../../../store/database.ts'
import { bigintText, columns, flag, int } from '../../../store/table.ts'
import { listLegs, numberOfKey, ofToken, type StoredLeg, writeLeg } from './legStore.ts'
import { type EscrowToken, readOwedStart, tokens } from './owedStore.ts'
import { sumSurplus } from './surplusStore.ts'

/** What a transfer now is to what is owed; null takes back what it was. */
export function saveOwedLeg(db: Database, key: string, leg: OwedLeg | null): void {
  openOwedLegs(db, [key])(key, leg)
}

/** The same for several: what tells the new ones among them, and where counting began, is read once. */
export function openOwedLegs(
  db: Database,
  keys: readonly string[],
): (key: string, leg: OwedLeg | null) => void {
  const sql = 'SELECT key FROM escrow_legs WHERE key IN (SELECT value FROM json_each(?))'
  const known = new Set(int.all(db, sql, JSON.stringify(keys.map(numberOfKey))).map(formatKey))
  const starts = new Map<string, OwedStart | null>()
  const startOf = (token: string) => {
    const start = starts.get(token) ?? readOwedStart(db, token)
    starts.set(token, start)
    return start
  }
  return (key, leg) => {
    saveLeg(db, key, leg, { isKnown: known.has(key), start: leg && startOf(leg.token) })
    if (leg) known.add(key)
  }
}

function saveLeg(
  db: Database,
  key: string,
  leg: OwedLeg | null,
  { isKnown, start }: { readonly isKnown: boolean; readonly start: OwedStart | null },
): void {
  const number = numberOfKey(key)
  const [before] = isKnown ? listLegs(db, 'key = ?', number) : []
  const isCounted = leg !== null && start !== null && countsSince(leg, start)
  if (leg && before && isSameLeg(before, { ...leg, isCounted })) return
  if (leg) writeLeg(db, number, { ...leg, isCounted }, before !== undefined)
  else if (before) db.prepare('DELETE FROM escrow_legs WHERE key = ?').run(number)
  if (before?.isCounted) addTotal(db, before.token, -leastChange(before))
  if (leg && isCounted) addTotal(db, leg.token, leastChange(leg))
}

/** Whether its row says the same: of a transaction on the main chain that says only whether there is one. */
function isSameLeg(a: StoredLeg, b: StoredLeg): boolean {
  return (
    a.token === b.token &&
    a.isCredit === b.isCredit &&
    a.amount === b.amount &&
    a.less === b.less &&
    a.more === b.more &&
    (a.mainHash === null) === (b.mainHash === null) &&
    a.mainHeight === b.mainHeight &&
    a.mainTime === b.mainTime &&
    a.zoneTime === b.zoneTime &&
    a.isCounted === b.isCounted
  )
}

/** What was counted of a token is another one's: the same by the address that it moves under. */
export function renameOwedToken(
  db: Database,
  from: string,
  to: string,
  decimals: { readonly before: number | null; readonly after: number | null },
): void {
  const { before, after } = decimals
  const by = before === null || after === null ? 0 : after - before
  for (const leg of listLegs(db, ofToken, from)) {
    saveOwedLeg(db, leg.key, {
      ...leg,
      token: to,
      amount: leg.amount === null ? null : scale(leg.amount, by),
      less: scale(leg.less, by),
      more: scale(leg.more, by),
    })
  }
}

/** Other amounts than before may be kept of a token's transfers: what was counted of them changes with that. */
export function reviseOwed(
  db: Database,
  token: string,
  keptOf: (leg: OwedLeg) => Pick<OwedLeg, 'less' | 'more'>,
): void {
  for (const leg of listLegs(db, ofToken, token)) {
    const { less, more } = keptOf(leg)
    if (less !== leg.less || more !== leg.more) saveOwedLeg(db, leg.key, { ...leg, less, more })
  }
}

function scale(amount: bigint, by: number): bigint {
  return by >= 0 ? amount * 10n ** BigInt(by) : amount / 10n ** BigInt(-by)
}

function addTotal(db: Database, token: string, change: bigint): void {
  if (change === 0n) return
  const total = bigintText.get(db, 'SELECT total FROM escrow_tokens WHERE token = ?', token) ?? 0n
  db.prepare('UPDATE escrow_tokens SET total = ? WHERE token = ?').run((total + change).toString(), token)
}

/**
 * The least that is owed of a token at a height: the baseline and every counted leg that had happened by then. Null when it
 * cannot be said: counting has not begun, or it is not known how much a withdrawal is. A deposit that does not say how much it
 * is adds nothing, so that it hides nothing that lacks beside it.
 */
export function readOwed(
  db: Database,
  token: string,
  at: { readonly height: number; readonly time: UnixMs },
  /** Withdrawals that left the zone are owed until they are paid. */
  isOwedUntilPaid = false,
): bigint | null {
  const known = tokens.get(db, 'SELECT * FROM escrow_tokens WHERE token = ?', token)
  if (known === null || known.startTime === null || known.baseline === null) return null
  // What was read before counting began says nothing of what was counted since.
  if (at.height < (known.startHeight ?? 0) || at.time < known.startTime) return null
  const unknown = db
    .prepare(
      `SELECT 1 FROM escrow_legs WHERE ${ofToken} AND amount IS NULL AND counted = 1 AND credit = 0 LIMIT 1`,
    )
    .get(token)
  if (unknown) return null
  const keys = `SELECT key FROM escrow_legs WHERE ${ofToken} AND main_height > ?2 UNION
    SELECT key FROM escrow_legs WHERE ${ofToken} AND zone_time > ?3 UNION
    SELECT key FROM escrow_legs WHERE ${ofToken} AND main_height IS NULL AND credit = 0 AND ?4`
  const later = listLegs(db, `key IN (${keys})`, token, at.height, at.time, isOwedUntilPaid ? 1 : 0).filter(
    (leg) => leg.isCounted && !hasHappenedAt(leg, at, isOwedUntilPaid),
  )
  const total = known.total - later.reduce((sum, leg) => sum + leastChange(leg), 0n)
  // What was paid for an origin that was paid before took nothing from what is owed.
  const from = known.startHeight
  const surplus = from === null ? 0n : sumSurplus(db, token, { from, to: at.height })
  const owed = known.baseline + total + surplus
  return owed < 0n ? 0n : owed
}

/** Transfers of a token of which something happened since a start. */
export function listOwedKeysSince(db: Database, token: string, { height, time }: OwedStart): string[] {
  const sql = `SELECT key FROM escrow_legs WHERE ${ofToken} AND (main_height > ?2 OR main_time > ?3 OR zone_time > ?3)`
  return int.all(db, sql, token, height ?? Number.MAX_SAFE_INTEGER, time).map(formatKey)
}

/** What was owed at a time: at the newest block until then that a transfer stands in; null too where an amount is not known. */
export function readOwedAt(db: Database, { token, start }: EscrowToken, time: UnixMs): bigint | null {
  const unknown = `SELECT 1 FROM escrow_legs WHERE ${ofToken} AND amount IS NULL AND counted = 1 LIMIT 1`
  if (db.prepare(unknown).get(token)) return null
  const height = Math.max(readMainHeightAt(db, token, time), start?.height ?? 0)
  return readOwed(db, token, { height, time })
}

/** The newest main block until a time that a transfer of a token stands in; 0 without one. */
export function readMainHeightAt(db: Database, token: string, time: UnixMs): number {
  const sql = `SELECT MAX(main_height) FROM escrow_legs WHERE ${ofToken} AND main_time <= ?2`
  return int.orNull().get(db, sql, token, time) ?? 0
}

/** Legs on the main chain above one height up to another, and what each may have changed the balance by, base units. */
export function listMainLegs(
  db: Database,
  token: string,
  from: number,
  to: number,
): { readonly hash: string | null; readonly least: bigint; readonly most: bigint }[] {
  return listLegs(db, `${ofToken} AND main_height > ?2 AND main_height <= ?3`, token, from, to).map(
    (leg) => ({ hash: leg.mainHash, ...rangeOfChange(leg) }),
  )
}

/** So many are looked at in one step: most of them are kept, or there are none that are not. */
const mostLooked = 5_000

const looked = columns({ key: int, isGone: flag.from('gone') })

/**
 * Forgets single legs from before a time, a step at a time; what they came to stays in the sum. One whose transfer is kept
 * yet may change, and would be counted once more then.
 * @param from the key behind which the step before ended
 * @returns where the next step goes on
 */
export function purgeOwedLegs(db: Database, before: UnixMs, from = 0): number {
  const isGone = 'zone_time < ?1 AND NOT EXISTS (SELECT 1 FROM transfers t WHERE t.key = l.key)'
  const sql = `SELECT key, coalesce(${isGone}, 0) AS gone FROM escrow_legs l WHERE key > ?2 ORDER BY key LIMIT ?3`
  const rows = looked.all(db, sql, before, from, mostLooked)
  const gone = rows.filter((row) => row.isGone).map(({ key }) => key)
  db.prepare('DELETE FROM escrow_legs WHERE key IN (SELECT value FROM json_each(?))').run(
    JSON.stringify(gone),
  )
  return rows.length < mostLooked ? 0 : (rows.at(-1)?.key ?? 0)
}
