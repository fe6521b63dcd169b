import type { UnixMs } from '../../../lib/clock.ts'
import { compareDecimals, type Decimal, negate, sumDecimals, toDecimal } from '../../../bridge/decimal.ts'
import { toCanonicalId } from '../../../bridge/movedToken.ts'
import { keepOneBlock } from '../../../kernel/reads/keepOneBlock.ts'
import type { FlowRow } from '../../../kernel/reads/flowReads.ts'
import { gasOf } from './gas.ts'

/** What one transaction moved at one escrow of one token. */
export interface EscrowFlow {
  readonly escrow: string
  readonly token: string
  readonly hash: string
  readonly height: number
  readonly at: UnixMs
  /** What the balance changed by, token units. */
  readonly net: Decimal
  /** What left to others than the bridge's own escrows; negative when it came in. */
  readonly outward: Decimal
  /** The other side of the largest movement. */
  readonly party: string
  /** By token id. */
  readonly gross: readonly GrossMove[]
}

/** In place of an id: between the native currency and its wrapper. */
export const wrapId = 'wrap'

/** What of one token id came from others than the bridge's own escrows, and went to them, in one transaction. */
export interface GrossMove {
  /** '' for tokens without ids, `wrapId` for what was wrapped or unwrapped. */
  readonly id: string
  readonly in: Decimal
  readonly out: Decimal
  /** Of what went out, what whoever paid in got back. */
  readonly back: Decimal
  /**
   * What went out, by who got it; left out where all of it went to the other side of the largest movement, empty where
   * that is not known.
   */
  readonly sent?: readonly Sent[]
  /** Who had gained it when the transaction was over, whoever passed it on; empty where that is not known, left out before it was asked. */
  readonly gained?: readonly Sent[]
}

export interface Sent {
  readonly to: string
  readonly amount: Decimal
}

/** An escrow, and what else is the bridge's. */
interface Place {
  readonly escrow: string
  readonly own: ReadonlySet<string>
  /** The contract of the wrapped native currency, where the escrows hold that; else null. */
  readonly wrapper: string | null
}

/** Who tokens are made by and burned to. */
const nobody = `0x${'0'.repeat(40)}`

interface PlacedRow extends FlowRow {
  readonly height: number
}

interface UnitRow extends PlacedRow {
  readonly units: Decimal
}

/**
 * Sums the movements of a list by transaction and token. Movements of nothing are left out: anybody can write a
 * transfer of zero in another's name. What transactions cost the escrow that sent them is a movement of its own.
 */
export function sumFlows(
  rows: readonly FlowRow[],
  { escrow, ...bridge }: Place,
  seenAt: UnixMs,
): EscrowFlow[] {
  const placed = rows.flatMap((row): PlacedRow[] =>
    row.height === null ? [] : [{ ...row, height: row.height }],
  )
  const moving = placed.flatMap((row): UnitRow[] => {
    const units = toDecimal(row.amount)
    if (units === null || units.digits <= 0n || row.from === row.to) return []
    return row.from === escrow || row.to === escrow ? [{ ...row, units }] : []
  })
  const groups = Map.groupBy(moving, ({ hash, token }) => `${hash}|${token}`)
  return [
    ...[...groups.values()].map((group) => sumFlow(keepOneBlock(group), { escrow, ...bridge }, seenAt)),
    ...listGas(placed, escrow, seenAt),
  ]
}

/** What the transactions of these rows cost an escrow that sent them. */
function listGas(rows: readonly PlacedRow[], escrow: string, seenAt: UnixMs): EscrowFlow[] {
  const sent = rows.flatMap((row) => {
    const fee = toDecimal(row.fee ?? '')
    return row.from === escrow && fee !== null && fee.digits > 0n ? [{ ...row, fee }] : []
  })
  return [...Map.groupBy(sent, ({ hash }) => hash)].flatMap(([hash, own]) =>
    keepOneBlock(own)
      .slice(0, 1)
      .map(({ token, height, time, fee }) => ({
        escrow,
        token,
        hash: gasOf(hash),
        height,
        at: Math.min(time ?? seenAt, seenAt),
        net: negate(fee),
        outward: fee,
        party: '',
        gross: [],
      })),
  )
}

function sumFlow(group: readonly UnitRow[], { escrow, own, wrapper }: Place, seenAt: UnixMs): EscrowFlow {
  const partyOf = ({ from, to }: UnitRow) => (from === escrow ? to : from)
  const signed = (row: UnitRow) => (row.from === escrow ? row.units : negate(row.units))
  const foreign = group.filter((row) => !own.has(partyOf(row)))
  // The caller groups rows: none is empty.
  const first = group[0] as UnitRow
  const largest = group.reduce((best, row) => (compareDecimals(row.units, best.units) > 0 ? row : best))
  const party = partyOf(largest)
  const isWrap = (row: UnitRow) =>
    wrapper !== null && partyOf(row) === (row.token === '' ? wrapper : row.token === wrapper ? nobody : null)
  return {
    escrow,
    token: first.token,
    hash: first.hash,
    height: group.reduce((_, { height }) => height, first.height),
    at: Math.min(group.at(-1)?.time ?? seenAt, seenAt),
    net: negate(sumDecimals(group.map(signed))),
    outward: sumDecimals(foreign.map(signed)),
    party,
    gross: [...Map.groupBy(foreign, (row) => (isWrap(row) ? wrapId : toCanonicalId(row.tokenId)))].map(
      ([id, of]) => toGross(id, of, { escrow, party }),
    ),
  }
}

function toGross(
  id: string,
  rows: readonly UnitRow[],
  { escrow, party }: Pick<EscrowFlow, 'escrow' | 'party'>,
): GrossMove {
  const isOut = (row: UnitRow) => row.from === escrow
  const payers = new Set(rows.filter((row) => !isOut(row)).map(({ from }) => from))
  const sum = (counts: (row: UnitRow) => boolean) =>
    sumDecimals(rows.filter(counts).map(({ units }) => units))
  return {
    id,
    in: sum((row) => !isOut(row)),
    out: sum(isOut),
    back: sum((row) => isOut(row) && payers.has(row.to)),
    ...(rows.some((row) => isOut(row) && row.to !== party) && { sent: toSent(rows.filter(isOut)) }),
  }
}

/** Whom a bundle pays is of use for refunds alone, and stored with each: of a larger one nobody is named. */
export const mostSent = 20

function toSent(rows: readonly UnitRow[]): readonly Sent[] {
  const groups = Map.groupBy(rows, ({ to }) => to)
  if (groups.size > mostSent) return []
  return [...groups].map(([to, of]) => ({ to, amount: sumDecimals(of.map(({ units }) => units)) }))
}

/** What several escrows moved in one transaction, together. */
export function joinGross(moves: readonly GrossMove[]): GrossMove[] {
  return [...Map.groupBy(moves, ({ id }) => id)].map(([id, of]) => ({
    id,
    in: sumDecimals(of.map((one) => one.in)),
    out: sumDecimals(of.map(({ out }) => out)),
    back: sumDecimals(of.map(({ back }) => back)),
  }))
}
