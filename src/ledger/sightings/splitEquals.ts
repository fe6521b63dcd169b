import { compareText, type Sighting } from './sighting.ts'

/** Whether a detail has a place among its equals in place of an event index. */
export function isNumbered({ zoneEventIndex }: Pick<Sighting, 'zoneEventIndex'>): boolean {
  return zoneEventIndex?.startsWith('~') === true
}

export function placeOf({ zoneEventIndex }: Pick<Sighting, 'zoneEventIndex'>): number {
  return Number(zoneEventIndex?.slice(1))
}

/**
 * Takes the numbered records of equal transfers apart. One answer has the paid ones first, by main hash, so that a place
 * means another one once a payout came before it: a payout is told by its hash alone, and of places only that there are
 * so many before it. Those that are not paid yet are what is left over: which is which nothing says, so that the earliest
 * payout is of the first.
 */
export function splitEquals(equals: readonly Sighting[]): Sighting[][] {
  const paid = Map.groupBy(
    equals.filter(({ mainHash }) => mainHash !== null),
    ({ mainHash }) => mainHash ?? '',
  )
  const parts: Sighting[][] = []
  for (const [, of] of [...paid].sort(([a], [b]) => compareText(a, b))) {
    // A relayer may pay several in one main transaction.
    const copies = Math.max(1, Math.max(...of.map(placeOf)) + 1 - parts.length)
    parts.push(...Map.groupBy(of, (one) => placeOf(one) % copies).values())
  }
  const payouts = parts.sort((a, b) => firstAt(a) - firstAt(b) || compareText(mainOf(a), mainOf(b)))
  const open = Map.groupBy(
    equals.filter(({ mainHash }) => mainHash === null),
    placeOf,
  )
  // A place that was ever a payout's is no open one any more.
  const paidPlace = Math.max(-1, ...[...paid.values()].flat().map(placeOf))
  const isPaid = (place: number) => place <= paidPlace
  return [
    ...payouts.map((payout, place) => [...payout, ...(isPaid(place) ? (open.get(place) ?? []) : [])]),
    ...[...open].filter(([place]) => !isPaid(place)).map(([, of]) => of),
  ]
}

function firstAt(some: readonly Sighting[]): number {
  return Math.min(...some.map((one) => one.firstAt))
}

function mainOf([one]: readonly Sighting[]): string {
  return `${one?.mainHash} ${one?.zoneEventIndex}`
}
