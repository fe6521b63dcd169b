import { compareDecimals, type Decimal, formatDecimal, isEqual, negate } from '../../../bridge/decimal.ts'
import type { EscrowFlow } from './flow.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { decimal } from '../../../store/bridgeCodecs.ts'
import type { Database } from '../../../store/database.ts'
import { isAnyAddress, isAnyHash, isHash, toHashCell } from '../../../store/hash.ts'
import { numberOf } from '../../../store/names.ts'
import { instant, type Read, text } from '../../../store/table.ts'
import type { EscrowNets } from '../../../kernel/stakes.ts'
import { keepGained } from './gainedStore.ts'
import { saveRefunds, wakeRefunds } from './refundStore.ts'
import {
  dropFlow,
  flowJudgements,
  flowReading,
  isFlow,
  largestOf,
  listFlowsOf,
  numbersOf,
  selectFlows,
  type StoredFlow,
  toReading,
  wakeGaps,
} from './flowRow.ts'
import { isNoGasRow } from './gas.ts'
import { lackOfList } from './judgeFlow.ts'
import { makeUpForFork, moveAcross } from './makeUp.ts'

export interface FlowJudgement extends Read<typeof flowJudgements> {
  readonly checkAt: UnixMs | null
}

export interface SavedFlow extends EscrowFlow {
  /** Whether it changed the balance by something else when it was read before. */
  readonly isOther: boolean
}

/**
 * Saves what a reading found. A flow read again replaces what was known of it when it says otherwise, and is judged
 * anew. Flows of before `tellSince` are history: kept for sums, never judged.
 * @returns those that say something new
 */
export function saveFlows(
  db: Database,
  flows: readonly EscrowFlow[],
  now: UnixMs,
  tellSince: UnixMs,
): SavedFlow[] {
  const changed = flows.flatMap((read): SavedFlow[] => {
    const isNews = read.at >= tellSince
    const before = listFlowsOf(db, read.hash, read.token).find(({ escrow }) => escrow === read.escrow)
    const flow = before ? keepGained(read, before) : read
    if (before && before.height !== flow.height) moveAcross(db, before, flow.height, now)
    const isChanged = before ? updateFlow(db, flow, now, isNews) : insertFlow(db, flow, now, isNews)
    if (!isChanged) return []
    wakeGaps(db, flow, now)
    return [{ ...read, isOther: before !== undefined && !isEqual(before.net, read.net) }]
  })
  wakeOfDeposits(db, changed, now)
  return changed
}

/** What came in by them may have been given back since. */
function wakeOfDeposits(db: Database, flows: readonly EscrowFlow[], now: UnixMs): void {
  const incoming = flows.filter(({ outward }) => outward.digits < 0n)
  wakeRefunds(db, [...new Set(flows.map(({ hash }) => hash))], now)
  wakeSentTo(db, [...new Set(incoming.map(({ party }) => party))], now)
}

function insertFlow(db: Database, flow: EscrowFlow, now: UnixMs, isNews: boolean): boolean {
  const { escrow, token } = numbersOf(db, flow)
  const sql = `INSERT INTO escrow_flows (escrow, token, hash, at, ${flowReading.list()}, seen_at, verdict, direction, check_at, reason, checks)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0)`
  const told = [isNews ? 'open' : 'explained', flow.outward.digits > 0n ? 'out' : 'in', isNews ? now : null]
  const cells = flowReading.values(toReading(flow))
  db.prepare(sql).run(escrow, token, toHashCell(flow.hash), flow.at, ...cells, now, ...told)
  return true
}

/** @returns whether it says otherwise than before */
function updateFlow(db: Database, flow: EscrowFlow, now: UnixMs, isNews: boolean): boolean {
  // Behind the fourth, in the order of their description.
  const sql = `UPDATE escrow_flows SET check_at = ?4, ${flowReading.set}
    WHERE ${isFlow} AND (height <> ?5 OR net <> ?6 OR outward <> ?7 OR gross IS NOT ?9)`
  const place = [flow.hash, flow.escrow, flow.token]
  const cells = flowReading.values(toReading(flow))
  return db.prepare(sql).run(...place, isNews ? now : null, ...cells).changes > 0
}

/** A movement that the chain holds no more: it changed no balance, and what was reported of it is over. @returns what went */
export function forgetFlow(db: Database, escrow: string, hash: string, now: UnixMs): StoredFlow[] {
  const where = `WHERE ${isHash('hash', '?1')} AND +escrow = ${numberOf('?2')} AND from_height IS NULL`
  const gone = selectFlows(db, where, hash, escrow)
  for (const flow of gone) {
    if (saveRefunds(db, flow.id, [])) wakeSentTo(db, partiesOf(flow), now)
    moveAcross(db, flow, null, now)
    dropFlow(db, flow)
  }
  wakeOfDeposits(db, gone, now)
  return gone
}

/** A change of balance that no listed movement makes, between two heights. */
export function saveGap(
  db: Database,
  gap: Pick<EscrowFlow, 'escrow' | 'token' | 'height' | 'at'> & { fromHeight: number; change: Decimal },
  now: UnixMs,
): void {
  const net = formatDecimal(gap.change)
  const hash = `balance:${gap.fromHeight}`
  if (db.prepare(`SELECT 1 FROM escrow_flows WHERE ${isFlow}`).get(hash, gap.escrow, gap.token)) return
  const { escrow, token } = numbersOf(db, gap)
  db.prepare(
    `INSERT INTO escrow_flows (escrow, token, hash, from_height, height, at, seen_at, net, outward, party, verdict,
       direction, reason, checks, check_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, '0', '', 'open', ?, '', 0, ?)`,
  ).run(
    escrow,
    token,
    hash,
    gap.fromHeight,
    gap.height,
    gap.at,
    now,
    net,
    gap.change.digits < 0n ? 'out' : 'in',
    now,
  )
  const [saved] = listFlowsOf(db, hash, gap.token).filter((one) => one.escrow === gap.escrow)
  if (saved) makeUpForFork(db, saved, now)
}

/** So many that are due longest are among what is ordered by money at risk. */
const mostOldest = 5_000

/** What wants to be judged, in no order that means anything: of a crowd the largest of each token, and the oldest. */
export function listDueFlows(db: Database, now: UnixMs): StoredFlow[] {
  const due = 'escrow_flows WHERE check_at <= ?1'
  const oldest = `SELECT id FROM (SELECT id FROM ${due} ORDER BY check_at LIMIT ${mostOldest})`
  return selectFlows(db, `WHERE f.id IN (${largestOf(due)} UNION ${oldest})`, now)
}

/** What nearly no explained movement of a token exceeds; null before some were seen. */
export function readLargeMove(db: Database, token: string): Decimal | null {
  const sql = `SELECT outward FROM escrow_flows WHERE verdict = 'explained' AND token = ${numberOf('?')} AND ${isNoGasRow}
    ORDER BY at DESC LIMIT 500`
  const amounts = decimal
    .all(db, sql, token)
    .map((outward) => (outward.digits < 0n ? negate(outward) : outward))
    .filter(({ digits }) => digits > 0n)
    .sort(compareDecimals)
  return amounts.length < neededMoves ? null : (amounts[Math.floor(amounts.length * 0.99)] ?? null)
}

const neededMoves = 5

/** What left of a token in a span of time, at every escrow. */
export function listSentOut(
  db: Database,
  token: string,
  { from, until }: { readonly from: UnixMs; readonly until: UnixMs },
): StoredFlow[] {
  const sent = `INDEXED BY escrow_flows_at WHERE token = ${numberOf('?')} AND at >= ? AND at < ? AND direction = 'out'`
  return selectFlows(db, sent, token, from, until)
}

/** What the lists show that a main transaction moved of a token, and since when they do; null where they show nothing of it. */
export function readNets(db: Database, hash: string, token: string): EscrowNets | null {
  const sql = `SELECT min(at) FROM escrow_flows INDEXED BY escrow_flows_at WHERE token = ${numberOf('?')}`
  const since = instant.orNull().get(db, sql, token)
  if (since === null || since === undefined) return null
  return { since, nets: new Map(listFlowsOf(db, hash, token).map(({ escrow, net }) => [escrow, net])) }
}

/** A deposit of these parties failed: what went to them and is told may have given it back. */
export function wakeSentTo(db: Database, parties: readonly string[], now: UnixMs): void {
  if (parties.length === 0) return
  const told = `UPDATE escrow_flows INDEXED BY escrow_flows_told_to SET check_at = ?1, checks = 0
    WHERE verdict = 'unexplained' AND direction = 'out'`
  const json = JSON.stringify(parties)
  db.prepare(`${told} AND ${isAnyAddress('party', '?2')}`).run(now, json)
  const isNamed = "EXISTS (SELECT 1 FROM json_each(?2) WHERE value <> '' AND instr(gross, value) > 0)"
  // Several got something of it: of what is told that is little.
  db.prepare(`${told} AND typeof(gross) = 'text' AND ${isNamed}`).run(now, json)
}

/** Whom a movement may have given something back. */
export function partiesOf({ party, gross }: Pick<StoredFlow, 'party' | 'gross'>): string[] {
  const others = gross.flatMap(({ sent = [], gained = [] }) => [...sent, ...gained].map(({ to }) => to))
  return [...new Set([party, ...others])]
}

export function settleFlow(
  db: Database,
  flow: Pick<StoredFlow, 'escrow' | 'token' | 'hash'>,
  judged: FlowJudgement,
  now: UnixMs,
): void {
  db.prepare(
    `UPDATE escrow_flows SET check_at = ?4, checked_at = ?5, checks = checks + 1, ${flowJudgements.set} WHERE ${isFlow}`,
  ).run(flow.hash, flow.escrow, flow.token, judged.checkAt, now, ...flowJudgements.values(judged))
}

/** Another token may move as this one: what moved of it, and is not explained, is judged anew. */
export function wakeToken(db: Database, token: string, now: UnixMs): void {
  const sql = `UPDATE escrow_flows SET check_at = ?1, checks = 0 WHERE verdict IN ('open', 'unexplained') AND token = ${numberOf('?2')}`
  db.prepare(sql).run(now, token)
}

/** Transfers of these transactions changed: what they moved is judged anew. */
export function wakeFlows(db: Database, hashes: readonly string[], now: UnixMs): void {
  if (hashes.length === 0) return
  const sql = `UPDATE escrow_flows SET check_at = ?2, checks = 0 WHERE ${isAnyHash('hash', '?1')}`
  db.prepare(sql).run(JSON.stringify(hashes), now)
}

/** What left before the list began is judged anew, now that it begins earlier. */
export function wakeUnlisted(db: Database, now: UnixMs): void {
  db.prepare(
    "UPDATE escrow_flows SET check_at = ?, checks = 0 WHERE verdict = 'unjudged' AND reason = ?",
  ).run(now, lackOfList)
}

/** Whether something of a token ever came to rest at an address: elsewhere it only passes through. */
export function keepsDeposits(
  db: Database,
  { escrow, token, hash = '' }: Pick<EscrowFlow, 'escrow' | 'token'> & { readonly hash?: string },
): boolean {
  const sql = `SELECT outward FROM escrow_flows WHERE escrow = ${numberOf('?')} AND token = ${numberOf('?')} AND hash <> ?
    AND verdict = 'explained' AND direction = 'in' AND gross IS NOT NULL ORDER BY height DESC LIMIT 20`
  return decimal.all(db, sql, escrow, token, toHashCell(hash)).some(({ digits }) => digits < 0n)
}

/** Whether one of the newest transfers was paid from what lay at an address, and not only through it. */
export function paysOut(db: Database, { escrow, token }: Pick<EscrowFlow, 'escrow' | 'token'>): boolean {
  const newest = `SELECT outward, verdict, from_height FROM escrow_flows
    WHERE escrow = ${numberOf('?')} AND token = ${numberOf('?')} AND ${isNoGasRow} ORDER BY height DESC LIMIT 500`
  const sql = `SELECT outward FROM (${newest}) WHERE verdict = 'explained' AND from_height IS NULL`
  return decimal.all(db, sql, escrow, token).some(({ digits }) => digits > 0n)
}

/** Tokens that transfers moved at an address, as they were first seen: what anybody else sends there is not the bridge's. */
export function listMovedTokens(db: Database, escrow: string): string[] {
  const flows = `FROM escrow_flows WHERE escrow = ${numberOf('?1')}`
  // From each token to the next: there may be a million movements of it.
  const sql = `WITH RECURSIVE moved (token) AS (
      SELECT min(token) ${flows} UNION ALL
      SELECT (SELECT min(token) ${flows} AND token > moved.token) FROM moved WHERE token IS NOT NULL)
    SELECT n.name FROM moved m JOIN names n ON n.id = m.token
    WHERE EXISTS (SELECT 1 ${flows} AND token = m.token AND verdict IN ('explained', 'unjudged')) ORDER BY m.token`
  return text.all(db, sql, escrow)
}

/** The retention of explained movements, and of inflows that nobody explained: to compare balances, and to be looked at. */
export const flowsKeptMs = 7 * 86_400_000
