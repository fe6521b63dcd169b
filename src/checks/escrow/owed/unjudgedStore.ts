import {
  type Decimal,
  formatDecimal,
  fromBaseUnits,
  noAmount,
  sumDecimals,
  toDecimal,
} from '../../../bridge/decimal.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { decimal } from '../../../store/bridgeCodecs.ts'
import type { Database } from '../../../store/database.ts'
import { isHash } from '../../../store/hash.ts'
import { numberOf } from '../../../store/names.ts'
import { instant, table, text } from '../../../store/table.ts'
import type { Lack } from '../flows/judgeFlow.ts'
import type { Movement } from './lossStore.ts'
import { movedToken } from '../../../bridge/movedToken.ts'
import { isBatch, type TokenMove, type Transfer } from '../../../bridge/transfer.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { fillFromZone } from '../../../ledger/deriving/fillFromZone.ts'
import { zoneEvidence } from '../../../meaning/doubtOrigin.ts'
import type { LearnedMoney } from '../../../meaning/learnedMoney.ts'
import { showsMoney } from '../../../meaning/showsMoney.ts'

/** A payout that is compared with nothing: neither its record nor the zone says how much it is, or of which id. */
interface UnjudgedPayout {
  readonly hash: string
  readonly payer: string
  readonly token: string
  /** What moved to the recipient, token units. */
  readonly amount: Decimal
  readonly lacks: Lack
}

/** A payout that nobody completes, as of now, seen since it was the first time. */
function saveUnjudged(
  db: Database,
  key: string,
  payout: UnjudgedPayout,
  times: { readonly at: UnixMs; readonly seenAt: UnixMs },
): void {
  const { hash, payer, token, amount, lacks } = payout
  db.prepare(
    `INSERT INTO unjudged_payouts VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (transfer_key) DO UPDATE SET hash = excluded.hash, payer = excluded.payer, token = excluded.token,
       amount = excluded.amount, lacks = excluded.lacks, at = excluded.at`,
  ).run(key, hash, payer, token, formatDecimal(amount), lacks, times.at, times.seenAt)
}

function forgetUnjudged(db: Database, keys: readonly string[]): void {
  const sql = 'DELETE FROM unjudged_payouts WHERE transfer_key IN (SELECT value FROM json_each(?))'
  db.prepare(sql).run(JSON.stringify(keys))
}

/** Those that no movement at an escrow is judged by. */
export function listUnjudgedPayouts(
  db: Database,
  seen: { readonly from: UnixMs; readonly until: UnixMs },
): (Movement & { readonly reason: string })[] {
  const sql = `SELECT * FROM unjudged_payouts AS payout WHERE seen_at BETWEEN ? AND ?
    AND NOT EXISTS (SELECT 1 FROM escrow_flows AS flow WHERE ${isHash('flow.hash', 'payout.hash')} AND +flow.token = ${numberOf('payout.token')})
    ORDER BY ROW_NUMBER() OVER (PARTITION BY token ORDER BY CAST(amount AS REAL) DESC), seen_at, hash LIMIT 5000`
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

/** Notes which payouts are compared with nothing, for where no escrow's movements show it: inside the transaction. */
export function noteUnjudged(
  { db, learned, tellSince }: Pick<Kernel, 'db' | 'learned' | 'tellSince'>,
  { changed, ceased }: { readonly changed: readonly Transfer[]; readonly ceased: readonly string[] },
  now: UnixMs,
): void {
  const judged = changed.map((transfer) => {
    const { key, originAt, destinationAt } = transfer
    const at = Math.max(originAt, destinationAt ?? 0)
    return { key, at, payout: at < tellSince ? null : findUnjudgedPayout(transfer, learned) }
  })
  // Once somebody completes it, and any other transfer.
  forgetUnjudged(db, [...ceased, ...judged.flatMap(({ key, payout }) => (payout === null ? key : []))])
  for (const { key, at, payout } of judged)
    if (payout !== null) saveUnjudged(db, key, payout, { at, seenAt: now })
}

/** Null as well until both its legs were looked at. A batch is judged by its items; of ERC-721 records name no id. */
function findUnjudgedPayout(transfer: Transfer, learned: LearnedMoney): UnjudgedPayout | null {
  const { direction, state, isListed, main, token, targetAddress } = transfer
  if (direction !== 'ZoneToMain' || state !== 'completed' || !isListed || main === null) return null
  if (isBatch(transfer) || zoneEvidence(transfer) === null) return null
  const known = transfer.evidence.find(
    (one) =>
      one.chain === 'main' &&
      one.hash === main.hash &&
      one.status === 'success' &&
      one.moves !== null &&
      showsMoney(token, one),
  )
  const moves = known?.moves?.filter((move) => move.token === movedToken(token))
  if (!moves) return null
  const lacks = lackOf(fillFromZone(transfer, learned), moves)
  const own = moves.filter(({ to }) => to === targetAddress)
  const amount = sumDecimals(own.map((move) => unitsOf(move, token.decimals)))
  return lacks && { hash: main.hash, payer: own[0]?.from ?? '', token: movedToken(token), amount, lacks }
}

function lackOf({ amount, amountRaw, token }: Transfer, moves: readonly TokenMove[]): Lack | null {
  if (amount === null && amountRaw === null) return 'amount'
  const hasIds = /1155/.test(token.type) || moves.some(({ tokenId }) => tokenId !== '')
  return hasIds && token.id === '' && !/721/.test(token.type) ? 'token id' : null
}

function unitsOf({ amount, amountRaw }: TokenMove, decimals: number | null): Decimal {
  if (amount !== null) return toDecimal(amount) ?? noAmount
  return amountRaw === null ? noAmount : fromBaseUnits(amountRaw, decimals ?? 0)
}
