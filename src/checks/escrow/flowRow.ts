import { type Decimal, formatDecimal, negate, noAmount, toDecimal } from '../../bridge/decimal.ts'
import type { EscrowFlow, GrossMove } from './flow.ts'
import type { Shown } from '../../meaning/horizon.ts'
import type { UnixMs } from '../../lib/clock.ts'

export type FlowVerdictName = 'open' | 'explained' | 'unexplained' | 'unjudged'

/** A flow as stored, with what is thought of it. */
export interface StoredFlow extends EscrowFlow {
  /** Of a change of balance without listed movements: the height of the balance before. */
  readonly fromHeight: number | null
  readonly seenAt: UnixMs
  readonly verdict: FlowVerdictName
  readonly direction: 'out' | 'in'
  readonly unexplained: Decimal | null
  readonly reason: string
  readonly checkedAt: UnixMs | null
  readonly checks: number
  /** What readings of the record list found so far, as its reader wrote it. */
  readonly absence: string | null
  /** The source that has not come so far; null while nothing is waited for. */
  readonly waitsFor: Shown | null
}

export function toFlow(row: Record<string, unknown>): StoredFlow {
  const optional = (name: string) => (row[name] === null ? null : Number(row[name]))
  // Written by saveFlows, saveGap and settleFlow.
  return {
    escrow: String(row['escrow']),
    token: String(row['token']),
    hash: String(row['hash']),
    fromHeight: optional('from_height'),
    height: Number(row['height']),
    at: Number(row['at']),
    seenAt: Number(row['seen_at']),
    net: toDecimal(String(row['net'])) ?? noAmount,
    outward: toDecimal(String(row['outward'])) ?? noAmount,
    gross: decodeGross(row),
    party: String(row['party']),
    verdict: String(row['verdict']) as FlowVerdictName,
    direction: row['direction'] === 'out' ? 'out' : 'in',
    unexplained: toDecimal(toText(row['unexplained']) ?? ''),
    reason: String(row['reason']),
    checkedAt: optional('checked_at'),
    checks: Number(row['checks']),
    absence: toText(row['absence']),
    // Written by settleFlow.
    waitsFor: (toText(row['waits_for']) || null) as Shown | null,
  }
}

export function encodeGross(gross: readonly GrossMove[]): string {
  return JSON.stringify(
    gross.map((move) => [move.id, ...[move.in, move.out, move.back].map((amount) => formatDecimal(amount))]),
  )
}

/** What was stored without it is known by its difference alone. */
function decodeGross(row: Record<string, unknown>): GrossMove[] {
  const text = toText(row['gross'])
  if (text === null) {
    const outward = toDecimal(String(row['outward'])) ?? noAmount
    const isOut = outward.digits > 0n
    const of = { in: isOut ? noAmount : negate(outward), out: isOut ? outward : noAmount }
    return [{ id: '', ...of, back: noAmount }]
  }
  // Written by encodeGross.
  const moves = JSON.parse(text) as readonly [string, string, string, string][]
  return moves.map(([id, ...amounts]) => {
    const [incoming = noAmount, out = noAmount, back = noAmount] = amounts.map(
      (amount) => toDecimal(amount) ?? noAmount,
    )
    return { id, in: incoming, out, back }
  })
}

function toText(cell: unknown): string | null {
  return typeof cell === 'string' ? cell : null
}
