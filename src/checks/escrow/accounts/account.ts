import type { UnixMs } from '../../../lib/clock.ts'

/**
 * What a token's escrows hold is, to the last digit, the sum of the other accounts: what holders on the zone chain can
 * claim, what is on its way to either chain, fees that stayed behind, gas that escrows paid themselves, what is being
 * judged, and what nothing explains.
 */
export const accountNames = [
  'escrow',
  'claims',
  'toZone',
  'toMain',
  'fees',
  /** Moved, and not judged yet. */
  'open',
  /** Recorded on the main chain, and no escrow moved. */
  'unmoved',
  /** Left, or was created on the zone chain, without anything behind it; below zero. */
  'lost',
  /** Came, and nothing says why. */
  'found',
  /** Paid by escrows for transactions that they sent themselves; below zero. */
  'gas',
] as const
export type AccountName = (typeof accountNames)[number]

/** What an entry changes accounts by, base units: `escrow` by as much as all the others together. */
export type Deltas = Readonly<Partial<Record<AccountName, bigint>>>

/** One thing that happened, at one moment of one chain. */
export interface Entry {
  /** A main transaction, or a transfer's part on the zone chain: what is said of it anew replaces it. */
  readonly ref: string
  readonly token: string
  /** On the main chain; null for what happened on the zone chain. */
  readonly height: number | null
  readonly at: UnixMs
  /** The main transaction of the transfer that it is of. */
  readonly mainHash: string | null
  readonly deltas: Deltas
}

/** A transfer, as far as accounts rest on it. Base units. */
export interface AccountLeg {
  readonly key: string
  readonly isDeposit: boolean
  /** What its record says; null when that is not known. */
  readonly amount: bigint | null
  /** What the zone itself says that it took or credited, where that is known to mean it. */
  readonly zoneAmount: bigint | null
  /** So much of it may have been kept on the way, and so much more may have moved. */
  readonly less: bigint
  readonly more: bigint
  readonly isFailed: boolean
  readonly isBatch: boolean
  /** A payout that nothing stands behind, or a deposit that was never made. */
  readonly isDisproved: boolean
  /** What of it was paid for an origin that was paid already, or credited beyond what was locked; 0n for all that is honest. */
  readonly surplus: bigint
  readonly main: {
    readonly hash: string
    readonly height: number | null
    readonly time: UnixMs | null
  } | null
  readonly zoneAt: UnixMs | null
}

/** From when on accounts are kept: what the escrows held then is the sum of what they began with. */
export interface AccountStart {
  readonly height: number | null
  readonly time: UnixMs
}

/** What a transfer did on the zone chain; null while it did nothing there. */
export function zoneDeltas(leg: AccountLeg): Deltas | null {
  const { amount, isDeposit, isDisproved, isFailed, surplus, zoneAt } = leg
  if (zoneAt === null || amount === null || isFailed) return null
  const zone = leg.zoneAmount ?? amount
  if (!isDeposit) {
    if (isDisproved || (surplus > 0n && surplus === amount)) return null
    // Whoever is paid more than the zone took is paid out of what others can claim.
    const kept = zone - amount
    return compact({ claims: surplus - zone, toMain: amount - surplus, ...toKept(kept, leg) })
  }
  // Credited, and never locked: what stands for it is missing from the first moment.
  if (isDisproved) return compact({ claims: zone, lost: -zone })
  const credited = { toZone: surplus - amount, claims: zone, ...toKept(amount - zone, leg) }
  return compact(addDeltas(credited, { lost: -surplus }))
}

/** A difference between the two chains is a fee within what may be kept, else it is lost, or came from nowhere. */
function toKept(kept: bigint, { less, more }: Pick<AccountLeg, 'less' | 'more'>): Deltas {
  if (kept >= -more && kept <= less) return { fees: kept }
  return kept < 0n ? { lost: kept } : { found: kept }
}

/** Of a deposit that was locked before accounts were kept and not credited then: it is no claim yet. */
export function openingDeltas(leg: AccountLeg, start: AccountStart): Deltas | null {
  const { amount, isDeposit, isDisproved, isFailed, main, surplus, zoneAt } = leg
  if (!isDeposit || amount === null || isFailed || isDisproved || main === null) return null
  const isSince = zoneAt === null || zoneAt > start.time
  const locked = amount - surplus
  return isSince && locked > 0n && !isAfter(main, start) ? { claims: -locked, toZone: locked } : null
}

/** Whether a transfer's part on the zone chain is not in what the escrows began with. */
export function countsOnZone({ isDeposit, main, zoneAt }: AccountLeg, start: AccountStart): boolean {
  if (zoneAt === null) return false
  if (zoneAt > start.time) return true
  // Taken on the zone before, and paid since: it was on its way when accounts began.
  return isDeposit ? main !== null && isAfter(main, start) : main === null || isAfter(main, start)
}

export function isAfter(
  main: { readonly height: number | null; readonly time: UnixMs | null },
  start: AccountStart,
): boolean {
  if (main.height !== null && start.height !== null) return main.height > start.height
  return main.time === null || main.time > start.time
}

/** What was moved at the escrows of a token by one main transaction, together. */
export interface Moved {
  /** In − out, base units. */
  readonly net: bigint
  /** `none`: no escrow moved. */
  readonly verdict: 'open' | 'explained' | 'refund' | 'unexplained' | 'none'
}

/** What a main transaction did: what moved is that of its transfers, a fee, or lost. */
export function mainDeltas({ net, verdict }: Moved, legs: readonly AccountLeg[]): Deltas {
  if (verdict === 'open') return compact({ escrow: net, open: net })
  const counted = legs.filter((leg) => counts(leg, net))
  const sum = (of: readonly AccountLeg[]) =>
    of.reduce((total, { amount, surplus }) => total + (amount ?? 0n) - surplus, 0n)
  const [locked, paid] = [counted.filter(isDeposit), counted.filter((leg) => !leg.isDeposit)].map(sum)
  const rest = net - (locked ?? 0n) + (paid ?? 0n)
  const lost = verdict === 'none' ? 0n : paidTwice(rest, counted)
  return compact(
    addDeltas(
      { escrow: net, toZone: locked ?? 0n, toMain: -(paid ?? 0n), lost },
      { [accountOf(rest - lost, verdict, counted)]: rest - lost },
    ),
  )
}

/** What left for origins that were paid already: where nothing else moved, all of it, whatever the records say. */
function paidTwice(rest: bigint, legs: readonly AccountLeg[]): bigint {
  const surplus = legs.reduce((sum, leg) => sum + (leg.isDeposit ? 0n : leg.surplus), 0n)
  if (surplus === 0n || rest >= 0n) return 0n
  return legs.every((leg) => leg.surplus === leg.amount) ? rest : -surplus
}

/** Whether main transaction and zone have anything to do with what holders can claim, if only it moved. */
export function isBacked({ amount, isDisproved, isFailed, surplus }: AccountLeg): boolean {
  return !isFailed && !isDisproved && (surplus === 0n || surplus !== amount)
}

function isDeposit(leg: AccountLeg): boolean {
  return leg.isDeposit
}

/** One that failed moved nothing, but for a deposit that was locked, and a batch of which some were paid. */
function counts({ isBatch, isDeposit, isDisproved, isFailed }: AccountLeg, net: bigint): boolean {
  if (isDisproved) return false
  return !isFailed || (isDeposit ? net > 0n : isBatch && net < 0n)
}

function accountOf(rest: bigint, verdict: Moved['verdict'], legs: readonly AccountLeg[]): AccountName {
  if (verdict === 'none') return 'unmoved'
  if (verdict === 'unexplained') return rest < 0n ? 'lost' : 'found'
  // A deposit that failed stays on its way until it is given back.
  if (verdict === 'refund') return 'toZone'
  // What is paid in part is still owed for the rest.
  if (legs.some(({ isBatch, isFailed }) => isBatch && isFailed)) return 'toMain'
  if (legs.some(({ amount }) => amount === null)) return 'claims'
  const most = legs.reduce((sum, { less, more }) => sum + (less > more ? less : more), 0n)
  if ((rest < 0n ? -rest : rest) <= most) return 'fees'
  return rest < 0n ? 'open' : 'found'
}

/** What an escrow paid for a transaction of its own. */
export function gasDeltas({ net, verdict }: Moved): Deltas {
  const account = verdict === 'open' ? 'open' : verdict === 'unexplained' ? 'lost' : 'gas'
  return compact({ escrow: net, [account]: net })
}

export function paidForGas({ gas = 0n }: Deltas): bigint {
  return -gas
}

export function addDeltas(...all: readonly Deltas[]): Deltas {
  const sum: Partial<Record<AccountName, bigint>> = {}
  for (const deltas of all)
    for (const name of accountNames) {
      const by = deltas[name]
      if (by !== undefined) sum[name] = (sum[name] ?? 0n) + by
    }
  return sum
}

export function negateDeltas(deltas: Deltas): Deltas {
  return Object.fromEntries(Object.entries(deltas).map(([name, by]) => [name, -by]))
}

function compact(deltas: Deltas): Deltas {
  return Object.fromEntries(Object.entries(deltas).filter(([, by]) => by !== 0n))
}
