import { type Decimal, formatDecimal, negate, noAmount } from '../../../bridge/decimal.ts'
import { chains } from '../../../bridge/observation.ts'
import type { SQLInputValue } from 'node:sqlite'
import type { EscrowFlow, GrossMove, Sent } from './flow.ts'
import type { Shown } from '../../../meaning/horizon.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { decimal } from '../../../store/bridgeCodecs.ts'
import type { Database } from '../../../store/database.ts'
import { hash, isHash } from '../../../store/hash.ts'
import { nameNumber, nameOf, numberOf } from '../../../store/names.ts'
import {
  codec,
  columns,
  instant,
  int,
  oneOf,
  parseJson,
  type Read,
  table,
  text,
} from '../../../store/table.ts'

const shown = oneOf(...chains, 'list')
/** '' while nothing is waited for. */
const shownOrNone = codec({
  type: 'TEXT',
  expected: `${shown.expected} or ''`,
  read: (cell) => (cell === '' ? null : shown.read(cell)),
  write: (source: Shown | null) => source ?? '',
})

/** One movement that is what `outward` says: of nearly all flows no more is known. */
const plain = 0

const grossMoves = codec({
  type: 'ANY',
  expected: 'movements as JSON, or 0',
  read: (cell) => (cell === plain ? plain : typeof cell === 'string' ? decodeGross(cell) : undefined),
  write: (gross: readonly GrossMove[] | typeof plain) =>
    gross === plain
      ? BigInt(plain)
      : JSON.stringify(
          gross.map(({ id, sent, gained, ...move }) => [
            id,
            ...[move.in, move.out, move.back].map((one) => formatDecimal(one)),
            ...(sent || gained ? [sent ? toCells(sent) : null] : []),
            ...(gained ? [toCells(gained)] : []),
          ]),
        ),
})

function toCells(sent: readonly Sent[]) {
  return sent.map(({ to, amount }) => [to, formatDecimal(amount)])
}

function decodeGross(json: string): readonly GrossMove[] | undefined {
  const moves = parseJson(json)
  if (!Array.isArray(moves)) return undefined
  const read = moves.map((move: unknown) => (Array.isArray(move) ? toGrossMove(move) : undefined))
  return read.every((move) => move !== undefined) ? read : undefined
}

function toGrossMove([id, ...cells]: readonly unknown[]): GrossMove | undefined {
  const amounts = cells.slice(0, 3).map((cell) => decimal.read(String(cell)))
  if (typeof id !== 'string' || amounts.includes(undefined)) return undefined
  const [incoming = noAmount, out = noAmount, back = noAmount] = amounts
  const [sent, gained] = cells.slice(3).map((cell) => (cell === null ? null : toSent(cell)))
  if (sent === undefined && cells.length > 3) return undefined
  if (gained === undefined && cells.length > 4) return undefined
  return { id, in: incoming, out, back, ...(sent && { sent }), ...(gained && { gained }) }
}

/** Rows of before say how much went to one of several, as a text: whom else, is not known. */
function toSent(cell: unknown): readonly Sent[] | undefined {
  if (!Array.isArray(cell)) return []
  const sent = cell.map((one: unknown) => {
    const [to, amount] = Array.isArray(one) ? [one[0], decimal.read(String(one[1]))] : []
    return typeof to === 'string' && amount ? { to, amount } : undefined
  })
  return sent.every((one) => one !== undefined) ? sent : undefined
}

/** What is thought of a flow. */
export const flowJudgements = table('escrow_flows', {
  verdict: oneOf('open', 'explained', 'refund', 'unexplained', 'unjudged'),
  direction: oneOf('out', 'in'),
  unexplained: decimal.orNull(),
  reason: text,
  /** What readings of the record list found so far, as its reader wrote it. */
  absence: text.orNull(),
  /** The source that has not come so far; null while nothing is waited for. */
  waitsFor: shownOrNone,
})

/** What a reading may say anew of a movement. */
export const flowReading = table('escrow_flows', {
  height: int,
  net: decimal,
  outward: decimal,
  party: hash,
  gross: grossMoves.orNull(),
})

export function toReading(flow: EscrowFlow): Read<typeof flowReading> {
  return { ...flow, gross: isPlain(flow) ? plain : flow.gross }
}

/** The numbers of escrow and token. Inside a transaction. */
export function numbersOf(
  db: Database,
  { escrow, token }: Pick<EscrowFlow, 'escrow' | 'token'>,
): { readonly escrow: number; readonly token: number } {
  return { escrow: nameNumber(db, escrow), token: nameNumber(db, token) }
}

const flows = columns({
  id: int,
  ...flowReading.shape,
  ...flowJudgements.shape,
  escrow: text,
  token: text,
  hash,
  at: instant,
  /** Of a change of balance without listed movements: the height of the balance before. */
  fromHeight: int.orNull(),
  seenAt: instant,
  checkedAt: instant.orNull(),
  checks: int,
})
const listed = `f.id, ${nameOf('f.escrow')} AS escrow, ${nameOf('f.token')} AS token, f.hash, f.height, f.at, f.net, f.outward, f.party,
  f.gross, f.verdict, f.direction, f.unexplained, f.reason, f.absence, f.waits_for, f.from_height, f.seen_at, f.checked_at, f.checks`

type FlowRow = Read<typeof flows>
/** A flow as stored, with what is thought of it. */
export interface StoredFlow extends Omit<FlowRow, 'gross'> {
  readonly gross: readonly GrossMove[]
}

/** @param of what stands behind the table, which goes by the name of f */
export function selectFlows(db: Database, of: string, ...values: SQLInputValue[]): StoredFlow[] {
  return flows.all(db, `SELECT ${listed} FROM escrow_flows f ${of}`, ...values).map(({ gross, ...flow }) => ({
    ...flow,
    gross: gross === null || gross === plain ? byDifference(flow.outward) : gross,
  }))
}

/** What one transaction moved of a token, at every escrow. */
export function listFlowsOf(db: Database, hash: string, token: string): StoredFlow[] {
  return selectFlows(db, `WHERE ${isHash('hash', '?1')} AND +token = ${numberOf('?2')}`, hash, token)
}

/** The reason of rows that make up for a reorganisation. */
export const ofReorganisation = 'reorganisation'

/** Of each token so many are looked at, the largest: anybody can move dust. */
const mostOfToken = 5_000

/** The rows of the largest of each token, of what stands behind FROM. Numbers of the database are precise enough for order. */
export function largestOf(from: string): string {
  const size = "ABS(CAST(CASE outward WHEN '0' THEN net ELSE outward END AS REAL))"
  const ranked = `SELECT id, ROW_NUMBER() OVER (PARTITION BY token ORDER BY ${size} DESC) AS place FROM ${from}`
  return `SELECT id FROM (${ranked}) WHERE place <= ${mostOfToken}`
}

function isPlain({ outward, gross }: EscrowFlow): boolean {
  const [only, ...others] = gross
  const [plainly] = byDifference(outward)
  if (only === undefined || plainly === undefined || others.length > 0 || outward.digits === 0n) return false
  const isEqual = (a: Decimal, b: Decimal) => a.digits === b.digits && a.scale === b.scale
  return (
    only.id === '' &&
    only.sent === undefined &&
    only.gained === undefined &&
    isEqual(only.in, plainly.in) &&
    isEqual(only.out, plainly.out) &&
    isEqual(only.back, plainly.back)
  )
}

/** What was stored without it is known by its difference alone. */
function byDifference(outward: Decimal): GrossMove[] {
  const isOut = outward.digits > 0n
  const of = { in: isOut ? noAmount : negate(outward), out: isOut ? outward : noAmount }
  return [{ id: '', ...of, back: noAmount }]
}

/** Forgets a row. */
export function dropFlow(db: Database, { escrow, token, hash }: FlowPlace): void {
  db.prepare(`DELETE FROM escrow_flows WHERE ${isFlow}`).run(hash, escrow, token)
}

/** With hash, escrow and token. The pluses keep the planner from reading all movements of the token. */
export const isFlow = `${isHash('hash', '?1')} AND +escrow = ${numberOf('?2')} AND +token = ${numberOf('?3')}`

export type FlowPlace = Pick<EscrowFlow, 'escrow' | 'token' | 'hash'>

/** A movement listed late may be what a change of balance was. */
export function wakeGaps(
  db: Database,
  { escrow, token, height }: Pick<EscrowFlow, 'escrow' | 'token' | 'height'>,
  now: UnixMs,
  of = 'TRUE',
): void {
  db.prepare(
    `UPDATE escrow_flows SET check_at = ? WHERE escrow = ${numberOf('?')} AND token = ${numberOf('?')} AND height >= ? AND from_height < ? AND ${of}`,
  ).run(now, escrow, token, height, height)
}
