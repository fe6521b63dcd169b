import type { KeptRange } from './keptRange.ts'
import { enoughToAccuse, enoughToWarn, isHabit } from './habit.ts'
import { canonicalToken } from '../bridge/movedToken.ts'
import type { LearnedActions } from './learnedActions.ts'
import type { Direction } from '../bridge/observation.ts'

/** What the matched transfers of this bridge have taught, as counts of samples. */
export interface LearnedMoney extends LearnedActions {
  /** By the address that moved: in how many transfers of this record token it moved just what the record says. */
  tokensOf(token: string): ReadonlyMap<string, number>
  /** By recipient: how many matched deposits of this token came to rest there. */
  vaultsOf(token: string): ReadonlyMap<string, number>
  /** By recipient: how many deposits of this token went there instead, and were reported if they are not of the past. */
  elsewhereOf(token: string): ReadonlyMap<string, number>
  /** What is kept of transfers of this token between the record and the recipient. */
  keptOf(token: string, direction: Direction): KeptRange
  /** How often the amount of the zone's own transaction was the record's, and how often not. */
  zoneAmounts(direction: Direction): { readonly equal: number; readonly other: number }
  /** Tokens that move in this direction under the address that records name, and tokens that never do. */
  spellings(direction: Direction): { readonly own: number; readonly other: number }
  /** Record tokens in whose place this one was seen to move in this direction. */
  ownersOf(moved: string, direction: Direction): readonly string[]
  /** How many record tokens were seen to move as another one in this direction. */
  pairs(direction: Direction): number
  /** Whether transfers of the past are still to be read: they teach. */
  isReadingHistory(): boolean
}

/** How many samples make a habit. */
const established = 3
/** How many deposits to an address that is no known vault make it doubtful that they are thefts. */
const enoughToDoubt = 5
/** Where the configuration names no address of the bridge, more than these are no vaults: users may have one each. */
const maxVaults = 3

/** The address that a record's token moves under; null while that is not known. */
export function movesAs(token: string, learned: Pick<LearnedMoney, 'tokensOf'>): string | null {
  const own = canonicalToken(token)
  const seen = learned.tokensOf(own)
  if (seen.has(own)) return own
  const [only, ...others] = seen
  // A pair that was contradicted once is no pair.
  return only && others.length === 0 && only[1] >= established ? only[0] : null
}

/** Whether another address than the record's may be the token's: nothing that is known of this bridge contradicts it. */
export function mayMoveAs(
  token: string,
  moved: string,
  direction: Direction,
  learned: LearnedMoney,
): boolean {
  const own = canonicalToken(token)
  const seen = learned.tokensOf(own)
  if (seen.has(own) || [...seen.keys()].some((one) => one !== moved)) return false
  const { own: plain, other } = learned.spellings(direction)
  // Wrapped native currency moves as itself or as what it wraps, on bridges whose other tokens bear their own names.
  return moved === '' || plain === 0 || other > 0
}

/** Whether what moved is known to be another token of the records: then it is not this one by another address. */
export function isOtherTokens(
  token: string,
  moved: string,
  direction: Direction,
  learned: LearnedMoney,
): boolean {
  const own = canonicalToken(token)
  return learned
    .ownersOf(moved, direction)
    .some((owner) => owner !== own && movesAs(owner, learned) === moved)
}

/** Whether this bridge's records seem to name other addresses than move: all that was seen in this direction did. */
export function seemsToWrap(
  token: string,
  moved: string,
  direction: Direction,
  learned: LearnedMoney,
): boolean {
  const { own, other } = learned.spellings(direction)
  if (own > 0) return false
  return (
    other > 0 || learned.pairs(direction) > 1 || (learned.tokensOf(canonicalToken(token)).get(moved) ?? 0) > 1
  )
}

/**
 * Where deposits of a token go; empty while that is not known, and then no recipient is judged.
 * @param listed addresses that the configuration names for the bridge
 * @param escrows addresses that it names for this very token: it is known at once that deposits go there
 */
export function knownVaults(
  token: string,
  listed: readonly string[],
  learned: LearnedMoney,
  escrows: readonly string[] = [],
): string[] {
  const own = canonicalToken(token)
  const seen = learned.vaultsOf(own)
  const needed = learned.needed ?? enoughToWarn
  const usual = listOf(seen, needed)
  const known = [...new Set([...escrows, ...listed, ...usual])]
  // The configuration goes before what is learned: it can name another vault too.
  if (escrows.length > 0 || listed.some((vault) => (seen.get(vault) ?? 0) >= established)) return known
  const count = (some: Iterable<number>) => Iterator.from(some).reduce((sum, samples) => sum + samples, 0)
  const agree = count(known.map((vault) => seen.get(vault) ?? 0))
  const mayBeVaults = listed.length > 0 || usual.length <= maxVaults
  if (!mayBeVaults || !isHabit(agree, count(seen.values()) - agree, needed)) return []
  // Many that were reported are another vault; of a few it is not certain that they are none.
  const others = listOf(learned.elsewhereOf(own), needed < enoughToAccuse ? enoughToAccuse : enoughToDoubt)
  return [...known, ...others]
}

function listOf(counts: ReadonlyMap<string, number>, needed: number): string[] {
  return [...counts].flatMap(([value, count]) => (count >= needed ? [value] : []))
}

/** Whether the zone's own transactions name amounts in this direction: where they disagree they mean something else. */
export function namesZoneAmounts(
  direction: Direction,
  learned: Pick<LearnedMoney, 'zoneAmounts' | 'needed'>,
): boolean {
  const { equal, other } = learned.zoneAmounts(direction)
  return isHabit(equal, other, learned.needed)
}
