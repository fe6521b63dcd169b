import { canonicalToken } from '../bridge/movedToken.ts'
import type { Direction } from '../bridge/observation.ts'

/**
 * What is kept of transfers of one token in one direction, between what the record says and what came to its recipient.
 * Shares are in millionths of the record's amount.
 */
export interface KeptRange {
  /** Samples that count: of one party a few. */
  readonly voices: number
  /** So much less comes, as a rule, at most. */
  readonly less: number
  /** So much more comes, as a rule, at most. */
  readonly more: number
  /** Base units that nearly every transfer keeps, or keeps at most, whatever its amount; null where the amount matters. */
  readonly flat: bigint | null
  /** Base units that half of the transfers keep at least, where shares differ: a small amount may keep them too. */
  readonly usual: bigint
  /** Base units kept as steps, by parties. */
  readonly sizes: readonly KeptCount[]
  /** Base units kept, and how many parties kept just that. */
  readonly amounts: ReadonlyMap<string, number>
}

/** How often a party was seen to keep `value`. */
export interface KeptCount {
  readonly value: string
  readonly party: string
  readonly count: number
}

/** What one transfer or those of one recipient kept: the difference to what they claim, base units. */
export interface Kept {
  readonly claimed: bigint
  /** Negative where more came. */
  readonly less: bigint
}

const million = 1_000_000n
/** Shares are kept by these steps, upwards: the usual fees are among them. */
const steps = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8] as const
/** Whoever makes many transfers has few voices. */
const mostOfParty = 5
/** How many parties show what others may keep too. */
const enoughParties = 3
/** So many may have kept less for each that was told. */
const mostBeside = 2
/** What fewer than this share of the voices show is an outlier. */
const outliers = 0.05
/** From so many voices on, what is outside their range waits for no others. */
const establishedVoices = 20
/** What was seen is seldom the very most. */
const tolerance = 1.5
/** A fee that follows the price of gas moves within this, while what is bridged is anything. */
const mostSpread = 10
/** A larger share is no fee, unless the configuration says so. */
const mostUnknown = 50_000

/** By what name it is learned what is kept of a token; apart for transfers that were told for what they kept. */
export function keptName(direction: Direction, token: string, isTold = false): string {
  return `${isTold ? 'told ' : ''}${direction} ${canonicalToken(token)}`
}

/** The name without that difference: what is told and what is not is of one token. */
export function plainKeptName(name: string): string {
  return name.replace(/^(flat |size )?told /, '$1')
}

/**
 * Whether those that were told for what they kept show a fee, by their shares beside those of others that kept less: where
 * the first transfers kept nothing, each that does would be told for ever. Of a few among many it is none. Others that kept
 * as much do not speak against it: those that are taken back for it are such.
 */
export function showFee(told: readonly KeptCount[], others: readonly KeptCount[]): boolean {
  const sum = (of: readonly KeptCount[]) => toKeptRange(of, []).voices
  const least = Math.min(...told.map(({ value }) => Number(value)))
  const less = others.filter(({ value }) => Number(value) < least)
  return countParties(told) >= enoughParties && sum(told) * mostBeside >= sum(less)
}

/** What a range is learned from: the share as a step, with a minus where more came. */
export function toStep({ claimed, less }: Kept): string {
  if (less === 0n || claimed <= 0n) return '0'
  const share = Number(shareOf({ claimed, less }))
  const power = 10 ** Math.floor(Math.log10(share))
  const step = steps.find((one) => Math.ceil(one * power) >= share) ?? 10
  return `${less < 0n ? '-' : ''}${Math.ceil(step * power)}`
}

/** Base units kept as a step, upwards: a fee by the price of gas is another number each time. */
export function toSizeStep(less: bigint): string {
  const power = 10n ** BigInt(less.toString().length - 1)
  // The steps have one decimal at most.
  const step = steps.find((one) => BigInt(Math.round(one * 10)) * power >= less * 10n) ?? 10
  return ((BigInt(Math.round(step * 10)) * power + 9n) / 10n).toString()
}

/**
 * @param amounts base units that were kept, of those that kept anything
 * @param sizes the same as steps, of those that kept more than nothing
 */
export function toKeptRange(
  shares: readonly KeptCount[],
  amounts: readonly KeptCount[],
  sizes: readonly KeptCount[] = [],
): KeptRange {
  const totals = new Map<string, number>()
  for (const { party, count } of shares) totals.set(party, (totals.get(party) ?? 0) + count)
  const weigh = ({ party, count }: KeptCount) =>
    count * Math.min(1, mostOfParty / Math.max(totals.get(party) ?? 0, count))
  const sum = (of: readonly KeptCount[]) => of.reduce((all, one) => all + weigh(one), 0)
  const isHabit = (of: readonly KeptCount[], least: number) =>
    countParties(of) >= enoughParties && sum(of) >= least * voices
  const voices = sum(shares)
  const byAmount = [...Map.groupBy(amounts, ({ value }) => value)]
  const nearly = (part: readonly KeptCount[], all: number) =>
    isHabit(part, 0) && sum(part) >= (1 - outliers) * all
  // Equal amounts keep equal fees: only where the shares differ is a fee flat. Few of each are counted.
  const isShare = [...Map.groupBy(shares, ({ value }) => value).values()].some((of) => nearly(of, voices))
  const nothing = sum(shares.filter(({ value }) => value === '0'))
  const same = isShare ? undefined : byAmount.find(([, of]) => nearly(of, sum(amounts) + nothing))?.[0]
  /** The largest value that so large a part of those that kept something keep at least. */
  const keptBy = (of: readonly KeptCount[], share: number) => {
    const values = [...new Set(of.map(({ value }) => value))].toSorted((a, b) => Number(b) - Number(a))
    const atLeast = (value: string) => of.filter((one) => Number(one.value) >= Number(value))
    return values.find((value) => isHabit(atLeast(value), 0) && sum(atLeast(value)) >= share * sum(of)) ?? '0'
  }
  const spreadOf = (of: readonly KeptCount[]) =>
    Number(keptBy(of, outliers)) / Number(keptBy(of, 1 - outliers))
  const less = shares.filter(({ value }) => Number(value) > 0)
  // What varies less is what a fee is made of.
  const isOfAnyAmount =
    !isShare && nearly(sizes, voices) && spreadOf(sizes) <= mostSpread && spreadOf(sizes) < spreadOf(less)
  const within = isOfAnyAmount ? toTolerated(BigInt(keptBy(sizes, outliers))) : null
  const flat = same === undefined ? within : BigInt(same)
  const most = (sign: 1 | -1) => {
    const kept = shares.filter(({ value }) => Number(value) * sign > 0)
    const steps = [...new Set(kept.map(({ value }) => Number(value) * sign))].toSorted((a, b) => b - a)
    const isShown = (step: number) =>
      isHabit(
        kept.filter(({ value }) => Number(value) * sign >= step),
        outliers,
      )
    return flat === null ? Math.min(steps.find(isShown) ?? 0, mostUnknown) : 0
  }
  return {
    voices,
    less: most(1),
    more: most(-1),
    flat,
    usual: isShare || flat !== null || !nearly(sizes, voices) ? 0n : BigInt(keptBy(sizes, 0.5)),
    sizes,
    amounts: new Map(byAmount.map(([value, of]) => [value, countParties(of)])),
  }
}

/** What may be kept of a claim by what was learned, and what may come beside it. */
export function boundsOf(
  { less, more, flat, usual }: KeptRange,
  claimed: bigint,
): { less: bigint; more: bigint } {
  const part = (share: number) => {
    const most = Math.min(share * tolerance, mostUnknown)
    return (claimed * BigInt(Math.ceil(most)) + million - 1n) / million
  }
  if (flat === null) {
    // Tiers and least fees take a larger share of a small amount, never more than of a usual one.
    const most = (claimed * BigInt(mostUnknown)) / million
    const small = usual < most ? usual : most
    return { less: part(less) > small ? part(less) : small, more: part(more) }
  }
  // A fee that takes all is none.
  return size(flat) >= claimed
    ? { less: 0n, more: 0n }
    : { less: flat > 0n ? flat : 0n, more: flat < 0n ? -flat : 0n }
}

/** Whether others have to be looked at before a difference is reported: it may be a fee that is not known yet. */
export function mayBeFee(kept: Kept, { voices, amounts, sizes }: KeptRange): boolean {
  if (voices >= establishedVoices) return false
  if (shareOf(kept) <= BigInt(mostUnknown) || (amounts.get(kept.less.toString()) ?? 0) > 1) return true
  return countParties(sizes.filter(({ value }) => BigInt(value) >= kept.less && kept.less > 0n)) > 1
}

function toTolerated(most: bigint): bigint {
  return (most * BigInt(tolerance * 10)) / 10n
}

function shareOf({ claimed, less }: Kept): bigint {
  return (size(less) * million + claimed - 1n) / claimed
}

function size(number: bigint): bigint {
  return number < 0n ? -number : number
}

function countParties(of: readonly KeptCount[]): number {
  return new Set(of.map(({ party }) => party)).size
}
