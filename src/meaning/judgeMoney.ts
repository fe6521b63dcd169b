import { ofCrowd } from '../lib/ofCrowd.ts'
import { isSameNumber } from '../bridge/decimal.ts'
import { canonicalToken, movedToken } from '../bridge/movedToken.ts'
import type { LegEvidence, TokenMove, Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { type Fees, isWithinFee } from './actionFee.ts'
import { coverMoney, keptOf, type MoneyGap } from './coverMoney.ts'
import { claimOf, type MoneySettings, toCoins } from './moneyBounds.ts'
import { addsUpByMoves, isEmptyBatch } from './emptyBatch.ts'
import { findFee } from './findFee.ts'
import { judgeApart } from './judgeBatch.ts'
import { type Kept, keptName, mayBeFee, toSizeStep, toStep } from './keptRange.ts'
import type { MoneySample } from './learnedActions.ts'
import { isOtherTokens, type LearnedMoney, mayMoveAs, movesAs, seemsToWrap } from './learnedMoney.ts'
import { moneyEvidence } from './moneyEvidence.ts'

/** What the main transaction of a transfer moved, against its records. */
export interface MoneyJudgement {
  readonly gap: MoneyGap | 'covered'
  readonly by: LegEvidence
  /** Another token moved in just this amount to just this recipient: it may be the same by another address. */
  readonly twin: string | null
  /** What was kept on the way to the recipient; null where that is not known, or the configuration says what may be. */
  readonly kept: Kept | null
}

/**
 * Compares one transfer with the movements of its main transaction; null where nothing can be said.
 * @param all transfers that bear the same main transaction
 */
export function judgeMoney(
  transfer: Transfer,
  all: readonly Transfer[],
  settings: MoneySettings,
): MoneyJudgement | null {
  if (transfer.status === 'failed' || transfer.main === null) return null
  // Whether it is one of a batch decides what its money is compared with.
  if (transfer.unsaid?.includes('crossType')) return null
  for (const by of moneyEvidence(transfer)) {
    if (by.status !== 'success') return null
    const judged = judgeMoves(transfer, all, by, settings)
    // Where a receipt cannot be read, the explorer's answer says what moved.
    if (judged !== null) return judged
  }
  return null
}

function judgeMoves(
  transfer: Transfer,
  all: readonly Transfer[],
  by: LegEvidence,
  settings: MoneySettings,
): MoneyJudgement | null {
  const { moves } = by
  if (moves === null) return null
  if (transfer.token.isUnknown)
    return by.isWhole && moves.length === 0 ? { gap: nothingMoved, by, twin: null, kept: null } : null
  // What an event of the chain shows, and a record too, is one claim on the money.
  const listed = listedOf(all)
  if (!transfer.isListed && listed.length > 0) return null
  const sharing = transfer.isListed ? listed : all
  const gap = coverMoney(transfer, sharing, moves, settings)
  if (gap === null) return null
  if (gap !== 'covered' && isEmptyBatch(transfer) && addsUpByMoves(transfer, sharing, moves))
    return { gap: 'covered', by, twin: null, kept: null }
  const apart = gap === 'covered' ? null : judgeApart(transfer, sharing, moves, settings)
  if (apart !== null) return { gap: apart, by, twin: null, kept: null }
  return {
    gap,
    by,
    twin: gap === 'covered' || !isOfToken(gap) ? null : findTwin(transfer, sharing, settings),
    kept: findFee(settings.fees, transfer) ? null : keptOf(transfer, sharing, moves, settings),
  }
}

/** Of a crowd one list for all that are compared with it: see `coverMoney`. */
const listedOf = ofCrowd((all: readonly Transfer[]) =>
  all.filter((one) => one.isListed && one.status !== 'failed'),
)

const nothingMoved: MoneyGap = { what: 'amount', found: '' }

/** Nothing of the record's token moved at all. */
function isOfToken({ what, found }: MoneyGap): boolean {
  return what === 'token' || (what === 'amount' && found === '')
}

/** The one other token of which the record's very amount went to its very recipient; null when none did, or several. */
function findTwin(transfer: Transfer, sharing: readonly Transfer[], settings: MoneySettings): string | null {
  const exact: MoneySettings = { fees: [], vaultsOf: (token) => settings.vaultsOf(token) }
  const fitting = (moves: readonly TokenMove[]) =>
    [...new Set(moves.map(({ token }) => token))].filter((token) => {
      const alike = listMovedAs(sharing, transfer.token.address, token)
      return coverMoney(moveAs(transfer, token), alike, moves, exact) === 'covered'
    })
  const found = transfer.evidence
    .filter((one) => one.chain === 'main' && one.hash === transfer.main?.hash && one.status === 'success')
    .flatMap(({ moves }) => fitting(moves ?? []))
  const [twin, ...others] = new Set(found)
  return twin === undefined || others.length > 0 ? null : twin
}

function moveAs(transfer: Transfer, token: string): Transfer {
  return { ...transfer, token: { ...transfer.token, movedAs: token } }
}

const mostMovedAs = 8

/** By what they would move as. */
const movedAs = new WeakMap<readonly Transfer[], Map<string, readonly Transfer[]>>()

/** All, those of one token as if they moved as another: of a crowd one list for each of it, see `coverMoney`. */
function listMovedAs(all: readonly Transfer[], address: string, token: string): readonly Transfer[] {
  const name = `${address}|${token}`
  const lists = movedAs.get(all) ?? new Map<string, readonly Transfer[]>()
  movedAs.set(all, lists)
  const alike =
    lists.get(name) ?? all.map((one) => (one.token.address === address ? moveAs(one, token) : one))
  // Anybody can have a thousand tokens of his own move along.
  if (lists.size < mostMovedAs) lists.set(name, alike)
  return alike
}

/** How long a judgement waits for what others teach: two minutes after the record, where evidence comes in time. */
const holdMs = 105_000

/** How long it waits after its own evidence: what is asked together is learned from together. */
const evidenceHoldMs = 25_000

/** Where there is more to be learned: a first start reads a day of transfers within this. */
const longHoldMs = 600_000

/** When its money can first have been judged: a payout may come long after its record, but not after it was asked about. */
function movedAt(transfer: Transfer): UnixMs {
  const { main, firstSeenAt } = transfer
  const askedAt = moneyEvidence(transfer)[0]?.at ?? firstSeenAt
  return Math.max(firstSeenAt, Math.min(main?.time ?? firstSeenAt, askedAt))
}

/** What the configuration says of tokens by their addresses. */
export interface TwinSettings {
  /** They name tokens of the main chain. */
  readonly escrows?: readonly { readonly address: string; readonly token: string }[]
  /** A record may name a token by its address on the zone chain. */
  readonly tokens?: readonly { readonly address: string; readonly zoneAddress?: string | undefined }[]
}

/** Whether nothing that is known by now contradicts another token: it may teach what others are judged by. */
export function mayBeTwin(
  transfer: Transfer,
  twin: string,
  learned: LearnedMoney,
  bridge: TwinSettings,
): boolean {
  return judgeTwin(transfer, twin, { learned, bridge, now: transfer.firstSeenAt }) !== 'other'
}

/**
 * Whether another token that moved in place of the record's is to be reported now. `same`: it is the record's by another
 * address. `held`: other transfers will show.
 */
export function judgeTwin(
  transfer: Transfer,
  twin: string,
  context: { readonly learned: LearnedMoney; readonly bridge: TwinSettings; readonly now: number },
): 'other' | 'same' | 'held' {
  const { learned, bridge, now } = context
  const { escrows = [], tokens = [] } = bridge
  const { direction } = transfer
  const { address, type } = transfer.token
  // A record that says what kind of token it is, and not which, contradicts no token.
  if (address === '' && type !== '' && twin !== '') return 'same'
  if (movesAs(address, learned) === twin) return 'same'
  const own = canonicalToken(address)
  const named = tokens.filter(({ zoneAddress }) => zoneAddress?.toLowerCase() === own)
  if (named.some((one) => canonicalToken(one.address) === twin)) return 'same'
  if (escrows.some(({ token }) => canonicalToken(token) === own) && twin !== '') return 'other'
  if (!mayMoveAs(address, twin, direction, learned)) return 'other'
  if (isOtherTokens(address, twin, direction, learned)) return 'other'
  const age = now - movedAt(transfer)
  const askedAt = moneyEvidence(transfer)[0]?.at ?? transfer.firstSeenAt
  if (age < holdMs || (age < longHoldMs && now - askedAt < evidenceHoldMs)) return 'held'
  const wraps = seemsToWrap(address, twin, direction, learned)
  if (age < longHoldMs) return wraps || learned.isReadingHistory() ? 'held' : 'other'
  // A new token of a bridge that is known to name others has nobody to vouch for it yet.
  return wraps && learned.spellings(direction).other > 0 ? 'same' : 'other'
}

/**
 * Whether less or more than the record says may be a fee that is not known yet: then other transfers will show it, and the
 * judgement waits for them.
 */
export function awaitsFee(
  transfer: Transfer,
  { gap, kept, by }: MoneyJudgement,
  learned: LearnedMoney,
  now: number,
): boolean {
  if (gap === 'covered' || gap.what !== 'amount' || kept === null) return false
  const range = learned.keptOf(transfer.token.address, transfer.direction)
  if (!mayBeFee(kept, range)) return false
  const age = now - movedAt(transfer)
  if (age < holdMs) return true
  // Where most transfers keep nothing there is no fee to wait for.
  const isOpen = range.voices < 3 || range.less > 0 || range.more > 0
  return age < longHoldMs && (now - by.at < evidenceHoldMs || (isOpen && learned.isReadingHistory()))
}

/** Whether a transfer that is told for what it kept teaches all the same: it may be a fee that others will keep too. */
export function mayTeachFee(
  transfer: Transfer,
  { gap, kept }: MoneyJudgement,
  learned: LearnedMoney,
): boolean {
  if (gap === 'covered' || gap.what !== 'amount' || kept === null || kept.less <= 0n) return false
  return mayBeFee(kept, learned.keptOf(transfer.token.address, transfer.direction))
}

/**
 * What was kept teaches what others may keep.
 * @param isTold a transfer that is told for it counts only beside others: see `showFee`
 */
export function sampleKept(
  { token, direction }: Transfer,
  { kept }: MoneyJudgement,
  isTold = false,
): MoneySample[] {
  if (kept === null) return []
  const name = keptName(direction, token.address, isTold)
  return [
    { kind: 'fee', name, value: toStep(kept) },
    ...(kept.less === 0n
      ? []
      : [{ kind: 'fee' as const, name: `flat ${name}`, value: kept.less.toString() }]),
    ...(kept.less > 0n ? [{ kind: 'fee' as const, name: `size ${name}`, value: toSizeStep(kept.less) }] : []),
  ]
}

/** What a matched transfer teaches, and where one that does not match went. */
export function sampleMoney(
  transfer: Transfer,
  judged: MoneyJudgement,
  settings: Pick<MoneySettings, 'vaultsOf'>,
): MoneySample[] {
  const { gap, twin, by } = judged
  const { address } = transfer.token
  const name = canonicalToken(address)
  const isElsewhere = gap !== 'covered' && gap.what === 'recipient'
  if (gap !== 'covered' && !isElsewhere) return twin === null ? [] : sampleToken(transfer, name, twin)
  if (transfer.amountRaw === 0n) return []
  const vault =
    transfer.direction === 'MainToZone'
      ? findRestingPlace(transfer, by.moves ?? [], settings.vaultsOf(address))
      : null
  const kind = isElsewhere ? 'elsewhere' : 'vault'
  return [
    ...(isElsewhere ? [] : sampleToken(transfer, name, movedToken(transfer.token))),
    ...(vault === null ? [] : [{ kind, name, value: vault } as const]),
  ]
}

function sampleToken({ direction }: Transfer, name: string, moved: string): MoneySample[] {
  return [
    { kind: 'token', name, value: moved },
    { kind: 'token', name: `by ${direction} ${moved}`, value: name },
    ...(moved === name ? [] : [{ kind: 'token' as const, name: `pairs ${direction}`, value: name }]),
  ]
}

/** Whether the zone's own word on the amount is the record's; null where there is nothing to compare. */
export function sampleZone(transfer: Transfer, fees: Fees): MoneySample | null {
  const { zone, amountRaw, amount, direction } = transfer
  const by = transfer.evidence.find((one) => one.chain === 'zone' && one.hash === zone?.hash)
  if (by?.status !== 'success' || amountRaw === null || by.amountRaw == null || by.amountRaw === 0n)
    return null
  const isEqual = isWithinFee(transfer, by.amountRaw - amountRaw, fees) || isSameNumber(by.amount, amount)
  return { kind: 'zone', name: direction, value: isEqual ? 'equal' : 'other' }
}

/**
 * Where a deposit came to rest: who got more than half of it and did not pass it on. Null where nobody did, or several
 * that cannot be distinguished: whoever deposits may send anything to anybody beside it.
 * @param vaults where deposits of this token are known to go: what went there says nothing of others
 */
function findRestingPlace(
  transfer: Transfer,
  moves: readonly TokenMove[],
  vaults: readonly string[],
): string | null {
  const coins = toCoins(moves, transfer) ?? []
  const senders = new Set(coins.map(({ move }) => move.from))
  const got = new Map<string, bigint>()
  for (const { move, raw } of coins) got.set(move.to, (got.get(move.to) ?? 0n) + raw)
  const main = [...got].flatMap(([to, raw]) =>
    to !== '' && !senders.has(to) && raw * 2n > (claimOf(transfer) ?? 0n) ? [to] : [],
  )
  const known = main.filter((to) => vaults.includes(to))
  const [only, ...others] = known.length > 0 ? known : main
  return only === undefined || others.length > 0 ? null : only
}
