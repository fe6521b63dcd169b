import { addDecimals, noAmount, toBaseUnits } from '../../bridge/decimal.ts'
import type { Holding } from '../../kernel/reads/balanceReads.ts'
import { coverageOf, type Interval, listCovered } from '../../kernel/running/coverage.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { decimal } from '../../store/bridgeCodecs.ts'
import { wholeNumber } from '../../store/compactCodecs.ts'
import type { Database } from '../../store/database.ts'
import { indexOfHash } from '../../store/hash.ts'
import { nameOf, numberOf } from '../../store/names.ts'
import { bigintText, columns, instant, int, table, text, texts } from '../../store/table.ts'
import { sumOpen } from './flows/flowSums.ts'
import { flowsKeptMs } from './flows/flowStore.ts'
import type { EscrowFlowSum, EscrowHeadroom } from './holding.ts'
import { sumOf } from './balances/judgeOwed.ts'
import type { EscrowReading } from './flows/readingStore.ts'
import type { OwedStart } from './owed/owed.ts'
import { readEscrowToken } from './owed/owedStore.ts'
import { decimalsOf, type EscrowWatch, symbolOf } from './watched/watch.ts'

interface Watching {
  readonly db: Database
  readonly watch: EscrowWatch
}

const rooms = table('escrow_headroom', {
  token: text,
  payers: texts,
  held: bigintText,
  onItsWay: bigintText.orNull(),
  height: int,
  at: instant,
})

/** By how many of the newest payouts it is known which escrows pay. */
const payoutsLookedAt = 50
const dayMs = 86_400_000
/** A gap of so little of a window is no blindness. */
const observedShare = 0.95

/** Keeps what a reading leaves to spare, once list and movements have passed its block. Belongs inside a commit. */
export function noteHeadroom(
  { db, watch }: Watching,
  reading: EscrowReading,
  places: readonly Holding[],
): void {
  const { token, balances, high: height, readAt: at } = reading
  const known = readEscrowToken(db, token)
  if (known?.isHeld === false) {
    db.prepare('DELETE FROM escrow_headroom WHERE token = ?').run(token)
    return
  }
  const seen = listPayers(db, token, places)
  const isUnseen =
    seen.length === 0 && places.length === 1 && !isPaidElsewhere({ db, watch }, reading, known?.start ?? null)
  const payers = isUnseen ? places.map(({ address }) => address) : seen
  const held = sumOf(Object.fromEntries(payers.map((address) => [address, balances[address] ?? 0n])))
  const onItsWay = readOnItsWay({ db, watch }, reading)
  db.prepare(`INSERT OR REPLACE ${rooms.into}`).run(
    ...rooms.values({ token, payers, held, onItsWay, height, at }),
  )
}

/** Of the escrows of a token those that the newest payouts left. */
function listPayers(db: Database, token: string, places: readonly Holding[]): string[] {
  const sql = `SELECT DISTINCT ${nameOf('f.escrow')} AS escrow FROM
    (SELECT key FROM escrow_legs WHERE token = ${numberOf('?1')} AND main_height IS NOT NULL AND credit = 0
      ORDER BY main_height DESC LIMIT ${payoutsLookedAt}) l
    JOIN transfers t ON t.key = l.key JOIN escrow_flows f ON ${indexOfHash('f.hash')} = ${indexOfHash('t.main_hash')} AND f.hash = t.main_hash AND f.token = ${numberOf('?1')}
    WHERE f.net LIKE '-%' ORDER BY 1`
  const known = new Set(places.map(({ address }) => address))
  return text.all(db, sql, token).filter((address) => known.has(address))
}

/** Whether there were payouts whose movements would be known, had they left a contract that nobody named as an escrow. */
function isPaidElsewhere(
  { db, watch }: Watching,
  { token, high, newestAt }: EscrowReading,
  start: OwedStart | null,
): boolean {
  // Of what is wrapped on the way no movement need show who paid it.
  const isShown = token !== watch.bridge.wrappedNative
  if (watch.named.has(token) || !isShown || start === null) return false
  const since = Math.max(start.time, newestAt - flowsKeptMs + dayMs)
  const sql = `SELECT 1 FROM escrow_legs WHERE token = ${numberOf('?')} AND credit = 0 AND main_height <= ? AND zone_time >= ? LIMIT 1`
  return db.prepare(sql).get(token, high, since) !== undefined
}

const unpaid = columns({ amount: wholeNumber.orNull() })

/** Withdrawals that had left the zone and were not paid at a reading's block; null where one does not say how much. */
function readOnItsWay({ db, watch }: Watching, reading: EscrowReading): bigint | null {
  const { token, high, newestAt } = reading
  const sql = `SELECT amount FROM escrow_legs WHERE token = ${numberOf('?1')} AND credit = 0 AND main_height IS NULL AND on_main = 0
      AND zone_time <= ?2
    UNION ALL SELECT amount FROM escrow_legs WHERE token = ${numberOf('?1')} AND credit = 0 AND main_height > ?3 AND zone_time <= ?2`
  const amounts = unpaid.all(db, sql, token, newestAt, high).map(({ amount }) => amount)
  const decimals = decimalsOf(watch, token)
  if (decimals === null || amounts.includes(null)) return null
  const wanted = amounts.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n)
  // What left and is not judged yet may have paid some of them: their records come later than the movement.
  const open = toBaseUnits(sumOpen(db, token, high), decimals) ?? 0n
  return wanted > open ? wanted - open : 0n
}

/** What each token's escrows have to spare; what was measured of a window is kept until there is another reading. */
export function createHeadroomReader({ db, watch }: Watching): () => readonly EscrowHeadroom[] {
  const kept = new Map<string, { readonly at: UnixMs; readonly flows: Map<number, EscrowFlowSum | null> }>()
  return () =>
    rooms.all(db, 'SELECT * FROM escrow_headroom ORDER BY token').map(({ payers, ...room }) => {
      const { token, at } = room
      const known = kept.get(token)
      const flows = known?.at === at ? known.flows : new Map<number, EscrowFlowSum | null>()
      kept.set(token, { at, flows })
      return {
        ...room,
        escrows: payers,
        symbol: symbolOf(watch, token),
        decimals: decimalsOf(watch, token),
        flow(windowMs) {
          if (!flows.has(windowMs))
            flows.set(windowMs, measureFlow({ db, watch }, { token, payers, from: at - windowMs, until: at }))
          return flows.get(windowMs) ?? null
        },
      }
    })
}

const begun = columns({ amount: wholeNumber.orNull() })

/**
 * What deposits brought and withdrawals asked for. What comes by no transfer, and what one escrow sends another, is a
 * refill: it adds to what is held, and nobody knows whether another one follows.
 */
function measureFlow(
  { db, watch }: Watching,
  { token, payers, ...within }: Interval & { readonly token: string; readonly payers: readonly string[] },
): EscrowFlowSum | null {
  const decimals = decimalsOf(watch, token)
  const { share } = coverageOf(listCovered(db, 'transfers', within), within)
  if (decimals === null || share < observedShare) return null
  const { from, until } = within
  const asked = `SELECT amount FROM escrow_legs WHERE token = ${numberOf('?')} AND zone_time >= ? AND zone_time < ? AND credit = 0`
  const amounts = begun.all(db, asked, token, from, until).map(({ amount }) => amount)
  const brought = `SELECT f.net FROM escrow_flows f WHERE f.token = ${numberOf('?1')} AND f.at >= ?2 AND f.at < ?3
    AND f.net NOT LIKE '-%' AND f.from_height IS NULL AND f.verdict <> 'unexplained' AND (typeof(f.hash) = 'blob' OR f.hash NOT LIKE 'moved:%')
    AND f.escrow IN (SELECT n.id FROM json_each(?4) JOIN names n ON n.name = value)
    AND NOT EXISTS (SELECT 1 FROM escrow_flows o WHERE ${indexOfHash('o.hash')} = ${indexOfHash('f.hash')} AND o.hash = f.hash AND o.token = f.token AND o.net LIKE '-%')`
  const nets = decimal.all(db, brought, token, from, until, JSON.stringify(payers))
  const sum = toBaseUnits(nets.reduce(addDecimals, noAmount), decimals)
  if (sum === null || amounts.includes(null)) return null
  const known = amounts.map((amount) => amount ?? 0n)
  return {
    in: sum,
    out: known.reduce((all, amount) => all + amount, 0n),
    largest: known.reduce((most, amount) => (amount > most ? amount : most), 0n),
    count: known.length,
  }
}
