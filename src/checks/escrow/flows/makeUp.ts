import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  isEqual,
  negate,
  noAmount,
} from '../../../bridge/decimal.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { decimal } from '../../../store/bridgeCodecs.ts'
import type { Database } from '../../../store/database.ts'
import { numberOf } from '../../../store/names.ts'
import type { EscrowFlow } from './flow.ts'
import {
  dropFlow,
  type FlowPlace,
  isFlow,
  listFlowsOf,
  numbersOf,
  ofReorganisation,
  selectFlows,
  type StoredFlow,
  wakeGaps,
} from './flowRow.ts'
import { restOfGap } from './flowSums.ts'
import { readAnchor } from './readingStore.ts'

/**
 * A movement is in another block than it was, or in none: where the balance that the next ones are compared with lies
 * between the two, that one held it and the chain does not, or the other way round. A row of its own makes up for it: behind
 * that balance, or in the change of balance that was found where the node showed the other blocks before the list did. What
 * was known of the movement before is to be in its place still.
 */
export function moveAcross(db: Database, flow: EscrowFlow, toHeight: number | null, now: UnixMs): void {
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

/** So many changes of balance before one are looked at. */
const mostGaps = 100

/**
 * A node that stood still on other blocks shows the balance without a movement that the list shows, and with it once it
 * is on these: two changes of balance, of which one holds a movement of just what it lacks and the other is as much. Only
 * where all of it comes out even is anything made up for.
 */
export function makeUpForFork(db: Database, gap: StoredFlow, now: UnixMs): void {
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
