import { fromBaseUnits } from '../../../bridge/decimal.ts'
import { heldAs } from '../../../bridge/movedToken.ts'
import type { Holding } from '../../../kernel/reads/balanceReads.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import type { Database } from '../../../store/database.ts'
import { balanceRest } from './balanceRest.ts'
import type { Movement } from '../owed/lossStore.ts'
import { type EscrowReading, listReadings, readAnchor } from '../flows/readingStore.ts'
import { decimalsOf, type EscrowWatch, listHoldings } from '../watched/watch.ts'

/** How long a reading waits for the lists, ms: whoever takes money may do so while they are not shown. */
export const unlistedMs = 120_000

/**
 * What balances fell by beyond all that is known to have moved, while the list of records, or the `zone` chain as it is
 * shown, has not passed a reading for as long as one waits: neither records nor movements tell of it, and it may be
 * payouts. What one escrow passed to another, or exchanged for the wrapper, is no fall.
 */
export function listFallen(
  db: Database,
  watch: EscrowWatch,
  { now, zone }: { readonly now: UnixMs; readonly zone: UnixMs | null },
): Movement[] {
  const byToken = Map.groupBy(listHoldings(watch), ({ token }) => token)
  const changes = [...byToken].flatMap(([token, places]) => {
    const reading = listReadings(db, token, now - unlistedMs).at(-1)
    return (reading && readChange(db, { watch, places, reading })) ?? []
  })
  const byHeld = Map.groupBy(changes, ({ token }) => heldAs(token, watch.bridge))
  return [...byHeld].flatMap(([token, group]) => {
    const fall = -group.reduce((sum, { rest }) => sum + rest, 0n)
    const [first] = group.toSorted((a, b) => (a.rest < b.rest ? -1 : 1))
    if (first === undefined || fall <= 0n) return []
    const { escrow, at, decimals, readAt } = first
    const outward = fromBaseUnits(fall, decimals)
    const waitsFor = zone === null || zone < readAt ? ('zone' as const) : ('list' as const)
    return [{ token, escrow, hash: '', at, outward, unexplained: null, waitsFor }]
  })
}

interface Placed {
  readonly watch: EscrowWatch
  readonly places: readonly Holding[]
  readonly reading: EscrowReading
}

/** Of a token at all its escrows; of the blocks that the reading may be of, by the one that accuses least. */
function readChange(db: Database, { watch, places, reading }: Placed) {
  const { token, low, high, balances } = reading
  const decimals = decimalsOf(watch, token)
  const known = places.flatMap((place) => {
    const [anchor, balance] = [readAnchor(db, place.address, token), balances[place.address]]
    return anchor === null || balance === undefined ? [] : [{ place, anchor, balance }]
  })
  const [first] = known
  if (decimals === null || first === undefined || known.length < places.length) return null
  const rests = Array.from({ length: high - low + 1 }, (_, index) =>
    known.reduce(
      (sum, { place, anchor, balance }) =>
        sum + balanceRest(db, { place, anchor, decimals }, { height: low + index, balance }),
      0n,
    ),
  )
  const rest = rests.reduce((most, one) => (one > most ? one : most))
  return {
    token,
    rest,
    decimals,
    escrow: first.place.address,
    at: first.anchor.readAt,
    readAt: reading.newestAt,
  }
}
