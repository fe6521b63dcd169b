import type { Out, Payout } from './payout.ts'

/** A withdrawal that a payout may be for, base units of the token that moves. */
export interface Claim {
  /** The transfer's key. */
  readonly key: string
  readonly recipient: string
  readonly raw: bigint
  /** At most so much less may be paid, as a fee. */
  readonly less: bigint
  /** Whether it is one of many that are paid together. */
  readonly isBatch: boolean
}

/** What a payout is for, as far as is known, and what of it is for nothing that is known. */
export interface Fit {
  readonly uses: readonly Claim[]
  readonly left: bigint
}

/**
 * Sets a payout beside the withdrawals that wait for one. What the bridge's own event names goes first, to its recipients
 * and then to whoever is paid for it; then each amount takes one withdrawal to its recipient; then what is left is compared
 * with batches, and with all that wait for one recipient together. What remains is a fee when those that were paid kept as much.
 * @param named withdrawals that an event of this transaction names and nothing else has paid
 * @param pending withdrawals on their way that nothing has paid
 */
export function fitPayout(payout: Payout, named: readonly Claim[], pending: readonly Claim[]): Fit {
  const uses = new Set<Claim>()
  const keptBeside = (outs: readonly Out[]) => sumClaims([...uses]) - (sum(payout.outs) - sum(outs))
  const take = [takeTheirs, takeNamed, takeEach, takeGroups]
  // What is no more than was kept so far takes no withdrawal of others.
  const left = take.reduce<readonly Out[]>(
    (outs, next) => (sum(outs) <= keptBeside(outs) ? outs : next(outs, uses, { named, pending })),
    payout.outs,
  )
  const rest = sum(left)
  const paid = sum(payout.outs) - rest
  // What only passes through, into a vault of the bridge's own, has not left.
  const open = payout.net - paid < rest ? payout.net - paid : rest
  return { uses: [...uses], left: open <= keptBeside(left) || open <= 0n ? 0n : open }
}

interface Known {
  readonly named: readonly Claim[]
  readonly pending: readonly Claim[]
}

/** @returns what is to nobody whose withdrawal the event names */
function takeTheirs(outs: readonly Out[], uses: Set<Claim>, { named }: Known): readonly Out[] {
  return outs.filter((out) => !takeClosest(named.filter(isTo(out)), uses, out))
}

/** All of the rest by what the event names, whoever is paid. @returns what there was when that is not enough */
function takeNamed(outs: readonly Out[], uses: Set<Claim>, { named }: Known): readonly Out[] {
  const free = named.filter((claim) => !uses.has(claim))
  return free.length > 0 && sumClaims(free) >= sum(outs) ? take(chooseEnough(free, outs), uses) : outs
}

/** @returns what fits no withdrawal by itself */
function takeEach(outs: readonly Out[], uses: Set<Claim>, { named, pending }: Known): readonly Out[] {
  return outs.filter(
    (out) => !takeClosest(named, uses, out) && !takeClosest(pending.filter(isTo(out)), uses, out),
  )
}

function isTo({ to }: Out): (claim: Claim) => boolean {
  return ({ recipient }) => recipient === to
}

function takeClosest(claims: readonly Claim[], uses: Set<Claim>, out: Out): boolean {
  const claim = closest(claims, uses, out)
  if (claim !== null) uses.add(claim)
  return claim !== null
}

function closest(claims: readonly Claim[], uses: ReadonlySet<Claim>, { raw }: Out): Claim | null {
  return claims
    .filter((claim) => !uses.has(claim) && isPaidBy([claim], raw))
    .reduce<Claim | null>((best, claim) => (best === null || claim.raw < best.raw ? claim : best), null)
}

/** Whether an amount is what these withdrawals bring, but for their fees. */
function isPaidBy(claims: readonly Claim[], raw: bigint): boolean {
  const kept = sumClaims(claims) - raw
  return kept >= 0n && kept <= claims.reduce((most, { less }) => most + less, 0n)
}

/** @returns what fits no withdrawals together either */
function takeGroups(outs: readonly Out[], uses: Set<Claim>, { pending }: Known): readonly Out[] {
  const total = sum(outs)
  const free = (claims: readonly Claim[]) => claims.filter((claim) => !uses.has(claim))
  const batch = free(pending).find((claim) => claim.isBatch && isPaidBy([claim], total))
  if (batch) return take([batch], uses)
  const groups = [...Map.groupBy(outs, ({ to }) => to)]
  return groups.flatMap(([to, own]) => {
    const waiting = free(pending).filter(({ recipient }) => recipient === to)
    return waiting.length > 0 && isPaidBy(waiting, sum(own)) ? take(waiting, uses) : own
  })
}

/** Other transactions may pay the rest of what an origin brings: the least that is enough, of those who are paid if theirs is. */
function chooseEnough(named: readonly Claim[], outs: readonly Out[]): readonly Claim[] {
  const total = sum(outs)
  const rising = named.toSorted((a, b) => (a.raw === b.raw ? 0 : a.raw < b.raw ? -1 : 1))
  const theirs = rising.filter(({ recipient }) => outs.some(({ to }) => to === recipient))
  const all = sumClaims(theirs) >= total ? theirs : rising
  const one = all.filter(({ raw }) => raw >= total).slice(0, 1)
  let brought = 0n
  const several = all.filter(({ raw }) => {
    const isMissing = brought < total
    if (isMissing) brought += raw
    return isMissing
  })
  const sets = all.length <= mostTried ? listSets(all).filter((set) => sumClaims(set) >= total) : []
  return [one, several, ...sets]
    .filter((set) => set.length > 0)
    .reduce((best, set) => (sumClaims(set) < sumClaims(best) ? set : best))
}

/** Of so many each choice is tried. */
const mostTried = 10

function listSets(claims: readonly Claim[]): (readonly Claim[])[] {
  return claims.reduce<(readonly Claim[])[]>(
    (sets, claim) => [...sets, ...sets.map((set) => [...set, claim])],
    [[]],
  )
}

function take(claims: readonly Claim[], uses: Set<Claim>): Out[] {
  for (const claim of claims) uses.add(claim)
  return []
}

function sum(outs: readonly Out[]): bigint {
  return outs.reduce((total, { raw }) => total + raw, 0n)
}

function sumClaims(claims: readonly Claim[]): bigint {
  return claims.reduce((total, { raw }) => total + raw, 0n)
}
