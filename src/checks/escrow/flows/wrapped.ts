import { type Decimal, negate, noAmount, subtractDecimals, sumDecimals } from '../../../bridge/decimal.ts'
import { heldAs, type Wrapping } from '../../../bridge/movedToken.ts'
import type { Database } from '../../../store/database.ts'
import { type GrossMove, wrapId } from './flow.ts'
import type { StoredFlow } from './flowRow.ts'
import { listFlowsOf } from './flowRow.ts'

/** What one transaction moved at all escrows. */
export interface Together {
  readonly token: string
  readonly flows: readonly StoredFlow[]
  /** As of `EscrowFlow`. */
  readonly net: Decimal
  readonly outward: Decimal
  readonly gross: readonly GrossMove[]
}

/** Of a token; of the native currency and its wrapper together, where the escrows hold that. */
export function listTogether(
  db: Database,
  { hash, token }: Pick<StoredFlow, 'hash' | 'token'>,
  wrapping: Wrapping,
): Together {
  const held = heldAs(token, wrapping)
  const flows = listFlowsOf(db, hash, held)
  if (held !== wrapping.wrappedNative) return sumUp(held, flows, [])
  const natives = listFlowsOf(db, hash, '')
  return sumUp(held, [...flows, ...natives], [findUnlisted(natives, flows)])
}

/** Whether movements of the wrapper show what it made and burned. */
export function hasWrapped(wrappers: readonly StoredFlow[]): boolean {
  return wrappers.some(({ gross }) => gross.some(({ id }) => id === wrapId))
}

function sumUp(token: string, flows: readonly StoredFlow[], unlisted: readonly GrossMove[]): Together {
  const more = sumDecimals(unlisted.map((move) => subtractDecimals(move.out, move.in)))
  const gross = flows.flatMap((flow) => flow.gross)
  return {
    token,
    flows,
    net: sumDecimals([...flows.map(({ net }) => net), negate(more)]),
    outward: sumDecimals([...flows.map(({ outward }) => outward), more]),
    gross: [...gross.map((move) => (move.id === wrapId ? { ...move, id: '' } : move)), ...unlisted],
  }
}

/** A wrapper that writes no movement of what it makes and burns: it is as much as was paid to it, and by it. */
function findUnlisted(natives: readonly StoredFlow[], wrappers: readonly StoredFlow[]): GrossMove {
  const paid = hasWrapped(wrappers)
    ? []
    : natives.flatMap(({ gross }) => gross.filter(({ id }) => id === wrapId))
  return {
    id: '',
    in: sumDecimals(paid.map((move) => move.out)),
    out: sumDecimals(paid.map((move) => move.in)),
    back: noAmount,
  }
}
