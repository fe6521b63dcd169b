import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  isEqual,
  negate,
  noAmount,
} from '../../../bridge/decimal.ts'
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
  flowJudgements,
  flowReading,
  largestOf,
  listFlowsOf,
  numbersOf,
  ofReorganisation,
  selectFlows,
  type StoredFlow,
  toReading,
} from './flowRow.ts'
import { restOfGap } from './flowSums.ts'
import { isNoGasRow } from './gas.ts'
import { lackOfList } from './judgeFlow.ts'
import { readAnchor } from './readingStore.ts'

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

function dropFlow(db: Database, { escrow, token, hash }: FlowPlace): void {
  db.prepare(`DELETE FROM escrow_flows WHERE ${isFlow}`).run(hash, escrow, token)
}

/** With hash, escrow and token. The pluses keep the planner from reading all movements of the token. */
const isFlow = `${isHash('hash', '?1')} AND +escrow = ${numberOf('?2')} AND +token = ${numberOf('?3')}`

type FlowPlace = Pick<EscrowFlow, 'escrow' | 'token' | 'hash'>

/**
 * A movement is in another block than it was, or in none: where the balance that the next ones are compared with lies
 * between the two, that one held it and the chain does not, or the other way round. A row of its own makes up for it: behind
 * that balance, or in the change of balance that was found where the node showed the other blocks before the list did. What
 * was known of the movement before is to be in its place still.
 */
function moveAcross(db: Database, flow: EscrowFlow, toHeight: number | null, now: UnixMs): void {
  const { escrow, token, hash } = flow
  dropFork(db, flow, now)
  // One that it explains was of the blocks as they were: it stays so.
  wakeGaps(db, flow, now, "verdict <> 'explained'")
  const anchor = readAnchor(db, escrow, token)
  if (anchor === null) return
  const to = toHeight ?? Infinity
  const turn = findTurn(db, flow, to)
  const shift = shiftAt(flow, to, turn?.fromHeight ?? anchor.height)
  if (shift === null) return
  const height = turn?.height ?? anchor.height + 1
  const name = turn === null ? `moved:${hash}` : `moved:${hash}:${height}`
  const sql = `SELECT net FROM escrow_flows WHERE ${isFlow} AND height >= ?4`
  const known = decimal.get(db, sql, name, escrow, token, height) ?? noAmount
  makeUp(db, { escrow, token, hash: name, height, at: flow.at, net: addDecimals(known, shift) }, now)
}

/** A row of its own, in the place of one of that name. */
function makeUp(db: Database, row: FlowPlace & Pick<EscrowFlow, 'height' | 'at' | 'net'>, now: UnixMs): void {
  dropFlow(db, row)
  const { escrow, token } = numbersOf(db, row)
  db.prepare(
    `INSERT INTO escrow_flows (escrow, token, hash, from_height, height, at, seen_at, net, outward, party, verdict,
       direction, reason, checks, check_at) VALUES (?, ?, ?, NULL, ?, ?, ?, ?, '0', '', 'explained', 'in', '${ofReorganisation}', 0, NULL)`,
  ).run(escrow, token, row.hash, row.height, row.at, now, formatDecimal(row.net))
  wakeGaps(db, row, now)
}

/** What a balance at a height becomes by a movement that goes from one side of it to the other; null where it stays. */
function shiftAt(flow: Pick<EscrowFlow, 'height' | 'net'>, toHeight: number, at: number): Decimal | null {
  if (flow.height <= at === toHeight <= at) return null
  return flow.height <= at ? negate(flow.net) : flow.net
}

/**
 * The first change of balance, of those that nothing explains, at whose end the node showed the other blocks: what the
 * balance there becomes by them is all or a part of it.
 */
function findTurn(db: Database, flow: EscrowFlow, toHeight: number): StoredFlow | null {
  const where = `WHERE escrow = ${numberOf('?')} AND token = ${numberOf('?')} AND height >= ?
    AND from_height IS NOT NULL AND verdict IN ('open', 'unexplained') ORDER BY height`
  const gaps = selectFlows(db, where, flow.escrow, flow.token, Math.min(flow.height, toHeight))
  const isTurn = (gap: StoredFlow) => {
    const shift = shiftAt(flow, toHeight, gap.height)
    return shift !== null && isPartOf(shift, restOfGap(db, gap))
  }
  return gaps.find(isTurn) ?? null
}

function isPartOf(part: Decimal, all: Decimal): boolean {
  return all.digits < 0n
    ? part.digits < 0n && compareDecimals(part, all) >= 0
    : part.digits > 0n && compareDecimals(part, all) <= 0
}

/** A movement listed late may be what a change of balance was. */
function wakeGaps(
  db: Database,
  { escrow, token, height }: Pick<EscrowFlow, 'escrow' | 'token' | 'height'>,
  now: UnixMs,
  of = 'TRUE',
): void {
  db.prepare(
    `UPDATE escrow_flows SET check_at = ? WHERE escrow = ${numberOf('?')} AND token = ${numberOf('?')} AND height >= ? AND from_height < ? AND ${of}`,
  ).run(now, escrow, token, height, height)
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

/** So many changes of balance before one are looked at. */
const mostGaps = 100

/**
 * A node that stood still on other blocks shows the balance without a movement that the list shows, and with it once it
 * is on these: two changes of balance, of which one holds a movement of just what it lacks and the other is as much. Only
 * where all of it comes out even is anything made up for.
 */
function makeUpForFork(db: Database, gap: StoredFlow, now: UnixMs): void {
  const rest = restOfGap(db, gap)
  const where = `WHERE escrow = ${numberOf('?')} AND token = ${numberOf('?')} AND height <= ?
    AND from_height IS NOT NULL AND verdict IN ('open', 'unexplained') ORDER BY height DESC LIMIT ${mostGaps}`
  const before = selectFlows(db, where, gap.escrow, gap.token, gap.fromHeight ?? 0)
  const lacking = [gap, ...before].flatMap((one) => findLacking(db, one) ?? [])
  const own = lacking.find(({ of }) => of === gap)
  const other = own && before.find((one) => isEqual(restOfGap(db, one), negate(rest)))
  const pairs = own && other ? [{ ...own, other }] : sumUpTo(negate(rest), lacking, gap)
  for (const { of, move, other: even } of pairs) {
    const at = { escrow: gap.escrow, token: gap.token, at: move.at }
    const [left, shown] = forkNames(move.hash)
    makeUp(db, { ...at, hash: left, height: of.height, net: negate(move.net) }, now)
    makeUp(db, { ...at, hash: shown, height: even.height, net: move.net }, now)
  }
}

/** What made up for a movement: where it lacks, and where the balance has it. */
const forkNames = (hash: string) => [`fork:${hash}:left`, `fork:${hash}:shown`] as const

/** It is in another block than what made up for it was about. */
function dropFork(db: Database, { escrow, token, hash }: FlowPlace, now: UnixMs): void {
  const rows = forkNames(hash).flatMap((name) => listFlowsOf(db, name, token))
  for (const row of rows.filter((one) => one.escrow === escrow)) {
    dropFlow(db, row)
    wakeGaps(db, row, now)
  }
}

/** A change of balance from which a movement that the list shows there is missing, and nothing else. */
function findLacking(db: Database, of: StoredFlow): Lacking | null {
  const rest = restOfGap(db, of)
  if (rest.digits === 0n) return null
  const where = `WHERE escrow = ${numberOf('?')} AND token = ${numberOf('?')} AND height > ? AND height <= ?
    AND from_height IS NULL AND reason <> '${ofReorganisation}'`
  const listed = selectFlows(db, where, of.escrow, of.token, of.fromHeight ?? 0, of.height)
  const move = listed.find(({ net }) => isEqual(net, negate(rest)))
  return move ? { of, move } : null
}

interface Lacking {
  readonly of: StoredFlow
  readonly move: StoredFlow
}

/** The newest of them that come to a sum; none where they come to no such sum. */
function sumUpTo(sum: Decimal, lacking: readonly Lacking[], other: StoredFlow) {
  let total = noAmount
  for (const [index, { move }] of lacking.entries()) {
    total = addDecimals(total, negate(move.net))
    if (isEqual(total, sum)) return lacking.slice(0, index + 1).map((one) => ({ ...one, other }))
  }
  return []
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
