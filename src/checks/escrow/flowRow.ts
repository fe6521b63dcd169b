import { type Decimal, formatDecimal, negate, noAmount } from '../../bridge/decimal.ts'
import { chains } from '../../bridge/observation.ts'
import type { SQLInputValue } from 'node:sqlite'
import type { GrossMove } from './flow.ts'
import type { Shown } from '../../meaning/horizon.ts'
import { decimal } from '../../store/bridgeCodecs.ts'
import type { Database } from '../../store/database.ts'
import { codec, instant, int, oneOf, parseJson, type Read, table, text } from '../../store/table.ts'

const shown = oneOf(...chains, 'list')
/** '' while nothing is waited for. */
const shownOrNone = codec({
  type: 'TEXT',
  expected: `${shown.expected} or ''`,
  read: (cell) => (cell === '' ? null : shown.read(cell)),
  write: (source: Shown | null) => source ?? '',
})

const grossMoves = codec({
  type: 'TEXT',
  expected: 'movements as JSON',
  read: (cell) => (typeof cell === 'string' ? decodeGross(cell) : undefined),
  write: (gross: readonly GrossMove[]) =>
    JSON.stringify(
      gross.map((move) => [move.id, ...[move.in, move.out, move.back].map((one) => formatDecimal(one))]),
    ),
})

function decodeGross(json: string): readonly GrossMove[] | undefined {
  const moves = parseJson(json)
  if (!Array.isArray(moves)) return undefined
  const read = moves.map((move: unknown) => (Array.isArray(move) ? toGrossMove(move) : undefined))
  return read.every((move) => move !== undefined) ? read : undefined
}

function toGrossMove([id, ...cells]: readonly unknown[]): GrossMove | undefined {
  const amounts = cells.map((cell) => decimal.read(String(cell)))
  if (typeof id !== 'string' || amounts.includes(undefined)) return undefined
  const [incoming = noAmount, out = noAmount, back = noAmount] = amounts
  return { id, in: incoming, out, back }
}

/** What is thought of a flow. */
export const flowJudgements = table('escrow_flows', {
  verdict: oneOf('open', 'explained', 'unexplained', 'unjudged'),
  direction: oneOf('out', 'in'),
  unexplained: decimal.orNull(),
  reason: text,
  /** What readings of the record list found so far, as its reader wrote it. */
  absence: text.orNull(),
  /** The source that has not come so far; null while nothing is waited for. */
  waitsFor: shownOrNone,
})

/** What a reading of movements says of one. */
export const readFlows = table('escrow_flows', {
  escrow: text,
  token: text,
  hash: text,
  height: int,
  at: instant,
  net: decimal,
  outward: decimal,
  party: text,
  gross: grossMoves.orNull(),
})

const flows = table('escrow_flows', {
  ...readFlows.shape,
  ...flowJudgements.shape,
  /** Of a change of balance without listed movements: the height of the balance before. */
  fromHeight: int.orNull(),
  seenAt: instant,
  checkedAt: instant.orNull(),
  checks: int,
})

type FlowRow = Read<typeof flows>
/** A flow as stored, with what is thought of it. */
export interface StoredFlow extends Omit<FlowRow, 'gross'> {
  readonly gross: readonly GrossMove[]
}

/** Of a query for whole rows. */
export function selectFlows(db: Database, sql: string, ...values: SQLInputValue[]): StoredFlow[] {
  return flows
    .all(db, sql, ...values)
    .map((flow) => ({ ...flow, gross: flow.gross ?? byDifference(flow.outward) }))
}

/** What was stored without it is known by its difference alone. */
function byDifference(outward: Decimal): GrossMove[] {
  const isOut = outward.digits > 0n
  const of = { in: isOut ? noAmount : negate(outward), out: isOut ? outward : noAmount }
  return [{ id: '', ...of, back: noAmount }]
}
