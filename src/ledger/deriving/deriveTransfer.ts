import type { UnixMs } from '../../lib/clock.ts'
import { deriveDecimals, formatUnits } from '../../bridge/amount.ts'
import { proveClaim } from '../../meaning/claimedOrigin.ts'
import { type OriginClaim } from '../../bridge/transfer.ts'
import { deriveReplaced } from './deriveReplaced.ts'
import { deriveState } from './deriveState.ts'
import { deriveRewrites } from './deriveRewrites.ts'
import { details, firstOf, newest, newestSaid, newestText, type Said } from './newestOf.ts'
import type { Learned } from '../lessons/learned.ts'
import type { TokenBook } from '../lessons/tokenBook.ts'
import { movesAs } from '../../meaning/learnedMoney.ts'
import type { Chain, Status, UnsaidField } from '../../bridge/observation.ts'
import { movedToken } from '../../bridge/movedToken.ts'
import { lacksToken, resolveToken } from './resolveToken.ts'
import { showsMoney } from '../../meaning/showsMoney.ts'
import { isRefused, mayHaveFailed } from '../../meaning/mayHaveFailed.ts'
import { proveOrigin } from '../../meaning/proveOrigin.ts'
import {
  type Group,
  hasOldTime,
  isBesideUnread,
  isRecord,
  isUnsaid,
  isZoneAction,
  shownAt,
  type Sighting,
} from '../sightings/sighting.ts'
import { type Leg, type LegEvidence, type Transfer } from '../../bridge/transfer.ts'

/** How long an emptied field must stay empty in E12 before the leg counts as taken back. */
export const retractionMs = 30_000

/** What the records do not say: the ledger's key, the token book, evidence, and what was learned; null: nothing was. */
export interface TransferContext {
  readonly key: string
  readonly evidence: readonly LegEvidence[]
  readonly tokens: Pick<TokenBook, 'find'>
  readonly learned: Pick<Learned, 'tokensOf' | 'meansWithdrawal'> | null
}

/**
 * Derives a transfer from all its sightings. A pure function of the set: no reading order changes it.
 *
 * Of each field the newest non-empty value holds: by update time among records that have one, by request time
 * otherwise. A final record changes its status only when E12 says so, because a lagging replica of the list
 * alternates between old and new.
 */
export function deriveTransfer(group: Group, context: TransferContext): Transfer {
  const all = group.members
  const firstSeenAt = Math.min(...all.map((sighting) => sighting.firstAt))
  const direction = (all[0] as Sighting).direction
  const said = newestSaid(all)
  // When value left may be said to be earlier: that accuses nobody less.
  const legOf = (chain: Chain, isOrigin: boolean) =>
    isOrigin ? deriveLeg(all, chain) : withChainTime(deriveLeg(all, chain), context.evidence)
  const main = legOf('main', direction === 'MainToZone')
  const zone = legOf('zone', direction === 'ZoneToMain')
  const origin = direction === 'MainToZone' ? main : zone
  const destination = direction === 'MainToZone' ? zone : main
  const status = deriveStatus(all)
  const confirmedStatus = newest(details(all), (s) => (s.status === 'unknown' ? null : s.status)) ?? 'unknown'
  const money = deriveMoney(all, { said, direction, main }, context)
  const { token, amountRaw } = money
  const hasEvent = all.some((one) => !isRecord(one) && !isZoneAction(one))
  const evidence = context.evidence.filter((one) => one.chain === 'zone' || showsMoney(token, one, hasEvent))
  const originProof = proveOrigin(origin, movedToken(token), evidence)
  const claim = origin === null ? deriveClaim(all, money, context) : null
  const unsaid = listUnsaid(all)
  const replaced = deriveReplaced(all, destination)
  const failure = mayHaveFailed({ unsaid, evidence }, destination)
  return {
    key: context.key,
    id: said.id,
    direction,
    crossType: said.crossType,
    state: deriveState(all, {
      status,
      confirmedStatus,
      main,
      zone,
      direction,
      originProof,
      unsaid,
      failure,
      refusal: destination !== null && isRefused({ evidence }, destination),
    }),
    status,
    confirmedStatus,
    isListed: all.some(isRecord),
    listedLegAt: listedLegAt(all),
    firstStatus: firstOf(all)?.status ?? 'unknown',
    main,
    zone,
    zoneEventIndex: said.zoneEventIndex,
    from: said.from,
    to: said.to,
    sourceAddress: said.sourceAddress,
    targetAddress: said.targetAddress,
    ...money,
    batchDetail: said.batchDetail,
    updateTime: said.updateTime,
    // A block time in the future is for display, not for measuring age.
    originAt: Math.min(origin?.time ?? firstSeenAt, firstSeenAt),
    destinationAt: destination && (destination.time ?? seenInsteadAt(all, destination)),
    firstSeenAt,
    changedAt: Math.max(...all.map((sighting) => sighting.firstAt)),
    readAt: Math.max(...all.map((sighting) => sighting.lastAt)),
    evidence,
    originProof,
    ...(claim && { claim }),
    ...onlyAt(all, { direction, said }),
    rewrites: deriveRewrites(all, { status, amountRaw, address: token.address, main, zone }),
    ...(replaced.length > 0 && { replaced }),
    ambiguous: group.ambiguous.length,
    ...(unsaid.length > 0 && { unsaid }),
  }
}

/** Equal ones of one answer are numbered: what E12 showed without a number was the only one there. */
function onlyAt(
  all: readonly Sighting[],
  { direction, said }: { readonly direction: Transfer['direction']; readonly said: Said },
): Pick<Transfer, 'onlyAt'> {
  if (direction !== 'ZoneToMain' || said.id !== null || said.zoneEventIndex !== null) return {}
  const shown = details(all).flatMap((one) => (isBesideUnread(one) ? [] : one.lastAt))
  return shown.length === 0 ? {} : { onlyAt: Math.max(...shown) }
}

/** Which token, and how much of it. */
function deriveMoney(
  all: readonly Sighting[],
  of: Pick<Transfer, 'direction' | 'main'> & { readonly said: Said },
  context: TransferContext,
): Pick<Transfer, 'token' | 'amountRaw' | 'amount' | 'recordDecimals'> {
  const { amountRaw, targetAddress, tokenName, tokenType, tokenId } = of.said
  const value = newest(all, (s) => (s.amountRaw === amountRaw || amountRaw === null ? s.value : null))
  const isUnnamed = lacksToken(all)
  const known = isUnnamed
    ? resolve({ ...of, amountRaw, targetAddress }, context)
    : newestText(all, (sighting) => sighting.token)
  const address = known ?? ''
  // A record of a kind of contract that names none is not of the native currency.
  const isNamed = known !== null && (isUnnamed || address !== '' || tokenType === '')
  const book = isNamed ? context.tokens.find(address) : { symbol: null, decimals: null }
  const movedAs = context.learned && movesAs(address, context.learned)
  // A record's own two amounts go before what another one taught: one lying record must not rescale all others.
  const own = value !== null && amountRaw !== null ? deriveDecimals(value, amountRaw) : null
  const decimals = book.symbol === null ? (own ?? book.decimals) : book.decimals
  return {
    token: {
      address,
      symbol: book.symbol,
      name: tokenName,
      type: tokenType,
      id: tokenId,
      decimals,
      ...(movedAs !== null && { movedAs }),
      ...(known === null && { isUnknown: true as const }),
    },
    amountRaw,
    amount: amountRaw !== null && decimals !== null ? formatUnits(amountRaw, decimals) : value,
    recordDecimals: own,
  }
}

const unsaidFields: readonly UnsaidField[] = ['mainHash', 'zoneHash', 'token', 'crossType', 'status']

/** What no record says: neither a value nor that there is none. */
function listUnsaid(all: readonly Sighting[]): UnsaidField[] {
  if (!all.some((one) => isRecord(one) && one.unsaid !== undefined)) return []
  const records = all.filter(isRecord)
  return unsaidFields.filter((field) => records.every((one) => isUnsaid(one, field)))
}

/** Which token events without one are about, by what second sources saw move. */
function resolve(
  of: Pick<Transfer, 'direction' | 'main' | 'amountRaw' | 'targetAddress'>,
  context: TransferContext,
): string | null {
  // Of a deposit the event may name who is credited, which is not who the main chain's money goes to.
  const recipient = of.direction === 'ZoneToMain' ? of.targetAddress : ''
  const decimalsOf = (token: string) => context.tokens.find(token).decimals
  return resolveToken({ ...of, recipient, decimalsOf }, context.evidence)
}

function deriveLeg(all: readonly Sighting[], chain: Chain): Leg | null {
  const hash = presentHash(all, chain)
  if (hash === null || isRetracted(all, chain)) return null
  const of = all.length === 1 ? all : all.filter((sighting) => hashOf(sighting, chain) === hash)
  return {
    chain,
    hash,
    height: newest(of, (sighting) => (chain === 'main' ? sighting.mainHeight : sighting.zoneHeight)),
    time: newest(of, (sighting) => (chain === 'main' ? sighting.mainTime : sighting.zoneTime)),
  }
}

/** How far a record and its chain may differ in when a block was made, ms. */
const slackMs = 3_600_000

/**
 * A leg as of the time that its own chain says, where its records say that it was long before, in another block or in none: what
 * is of long ago would be taken for history, and judged by nobody.
 */
function withChainTime(leg: Leg | null, evidence: readonly LegEvidence[]): Leg | null {
  if (leg === null || leg.time === null) return leg
  const { chain, hash, height, time } = leg
  const isOfLeg = (one: LegEvidence) => one.chain === chain && one.hash === hash && one.status === 'success'
  const said = evidence.flatMap((one) => (isOfLeg(one) && one.height !== height ? (one.time ?? []) : []))
  const shown = Math.min(...said)
  return said.length > 0 && shown - time > slackMs ? { ...leg, time: shown } : leg
}

/** When a leg was first seen whose records say that it is of before its own height; null where they say nothing of its time. */
function seenInsteadAt(all: readonly Sighting[], { chain, hash }: Leg): UnixMs | null {
  const seen = all.filter((one) => hashOf(one, chain) === hash && hasOldTime(one, chain))
  return seen.length === 0 ? null : Math.min(...seen.map(({ firstAt }) => firstAt))
}

/** A list that lags goes back to what a record said before another transaction took the place of that: so far E12 has to go. */
function presentHash(all: readonly Sighting[], chain: Chain): string | null {
  const hash = newest(all, (sighting) => hashOf(sighting, chain))
  if (hash === null || all.length === 1) return hash
  const confirmed = newest(details(all), (sighting) => hashOf(sighting, chain))
  if (confirmed === null || confirmed === hash) return hash
  const firstAt = (name: string) =>
    Math.min(...all.flatMap((one) => (hashOf(one, chain) === name ? one.firstAt : [])))
  return firstAt(hash) < firstAt(confirmed) ? confirmed : hash
}

function listedLegAt(all: readonly Sighting[]): UnixMs | null {
  let newestAt = -Infinity
  for (const one of all) {
    if (!isRecord(one)) continue
    if (one.mainHash !== null) newestAt = Math.max(newestAt, one.mainTime ?? -Infinity)
    if (one.zoneHash !== null) newestAt = Math.max(newestAt, one.zoneTime ?? -Infinity)
  }
  return newestAt === -Infinity ? null : newestAt
}

/**
 * A payout reorganised away: E12 gave the leg empty twice, at least 30 s apart, with an update time newer than any
 * record that named it. One empty field alone erases nothing.
 */
function isRetracted(all: readonly Sighting[], chain: Chain): boolean {
  const empty = listEmptied(all, chain)
  // However else they differ.
  const firstAt = Math.min(...empty.map((sighting) => sighting.firstAt))
  return empty.some((sighting) => sighting.lastAt - firstAt >= retractionMs)
}

/** Details that are newer than whatever named the leg, and give it empty. */
export function listEmptied(all: readonly Sighting[], chain: Chain): Sighting[] {
  // It takes one that names the leg and one that does not.
  if (all.length === 1) return []
  const naming = all.filter((sighting) => hashOf(sighting, chain) !== null)
  const namedUntil = Math.max(...naming.map((named) => named.updateTime ?? shownAt(named)))
  return details(all).filter(
    (sighting) =>
      hashOf(sighting, chain) === null &&
      !sighting.unsaid?.includes(`${chain}Hash`) &&
      sighting.updateTime !== null &&
      sighting.updateTime > namedUntil,
  )
}

/**
 * Records with both legs are final. While they agree, that is the status. When they do not, E12 decides; until it was
 * asked, the final status that was seen first stands.
 */
function deriveStatus(all: readonly Sighting[]): Status {
  if (all.length === 1) return (all[0] as Sighting).status
  const known = all.filter((sighting) => sighting.status !== 'unknown')
  const finals = known.filter((sighting) => sighting.mainHash !== null && sighting.zoneHash !== null)
  const pool = finals.length > 0 ? finals : known
  if (new Set(pool.map((sighting) => sighting.status)).size <= 1) return pool[0]?.status ?? 'unknown'
  if (finals.length === 0) return newest(pool, (sighting) => sighting.status) ?? 'unknown'
  return confirmStatus(details(finals)) ?? firstOf(finals)?.status ?? 'unknown'
}

/**
 * What the details say, the newest first. Two that differ under one update time are the same version of the record to
 * the service, and one of them comes from a replica that lags: the later one holds only once it was read again and the
 * earlier one no more.
 */
function confirmStatus(finals: readonly Sighting[]): Status | null {
  const winner = newest(finals, (sighting) => sighting)
  if (winner === null || winner.updateTime === null) return winner?.status ?? null
  const version = finals.filter((sighting) => sighting.updateTime === winner.updateTime)
  const first = firstOf(version) as Sighting
  const later = version.filter((sighting) => sighting.status !== first.status)
  const earlierAt = Math.max(...version.filter((s) => s.status === first.status).map((s) => s.lastAt))
  const isSettled = later.some((s) => s.firstAt > earlierAt && s.lastAt > s.firstAt)
  return isSettled ? (later[0] as Sighting).status : first.status
}

/** The one origin that the events of a payout name, while it has no record. */
function deriveClaim(
  all: readonly Sighting[],
  payout: Pick<Transfer, 'amount' | 'amountRaw'>,
  context: TransferContext,
): OriginClaim | null {
  if (all.some(isRecord)) return null
  const [hash, ...others] = new Set(all.flatMap(({ zoneHash }) => zoneHash ?? []))
  if (hash === undefined || others.length > 0) return null
  return proveClaim(hash, payout, context.evidence, (type) => context.learned?.meansWithdrawal(type) ?? false)
}

/**
 * The origin that a payout's event names is a claim, not a leg: anybody who can pay can name any hash. What the zone
 * chain itself shows names no payout.
 */
function hashOf(sighting: Sighting, chain: Chain): string | null {
  if (chain === 'zone' && !isRecord(sighting) && !isZoneAction(sighting)) return null
  return chain === 'main' ? sighting.mainHash : sighting.zoneHash
}
