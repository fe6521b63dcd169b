import { formatUnits } from '../bridge/amount.ts'
import type { Kept } from './keptRange.ts'
import { movedToken, toCanonicalId } from '../bridge/movedToken.ts'
import { directions } from '../bridge/observation.ts'
import type { TokenMove, Transfer } from '../bridge/transfer.ts'
import {
  type MoneySettings,
  type Bounds,
  type Coin,
  exactly,
  isWithin,
  toCoins,
  scaleOf,
  claimOf,
  boundsOf,
  recipientOf,
  isSameId,
  isBatch,
} from './moneyBounds.ts'

/** How a record and the movements of its main transaction differ, and what was found in place of it. */
export interface MoneyGap {
  readonly what: 'amount' | 'token' | 'tokenId' | 'recipient'
  /** Token units where the decimals are known, else base units; '' when nothing moved. */
  readonly found: string
}

/**
 * Compares the movements of one main transaction with all transfers that share it: each needs money of its own, one
 * movement each or one sum for all of one recipient. Movements that belong to nobody are no matter: tokens that
 * rebase, routers and other business leave them. Null where nothing can be said, `covered` where the money is there.
 */
export function coverMoney(
  transfer: Transfer,
  sharing: readonly Transfer[],
  moves: readonly TokenMove[],
  settings: MoneySettings,
): 'covered' | MoneyGap | null {
  const claimed = claimOf(transfer)
  if (claimed === null) return null
  if (claimed === 0n && !mayDenyPayout(transfer)) return 'covered'
  const pool = poolOf(transfer, sharing, moves, settings)
  if (pool === null) return null
  const assigned = assign(pool, transfer, settings)
  const isCovered =
    claimed === 0n
      ? !isPaidForNothing(transfer, assigned, settings)
      : !assigned.openKeys.has(transfer.key) || coversSum(transfer, assigned, settings)
  return isCovered ? 'covered' : describeGap(transfer, moves, pool.coins, settings)
}

/** What one token's transfers in one direction claim of a transaction, and what it moved for them: the same for each. */
interface Pool {
  readonly coins: readonly Coin[]
  readonly claims: ReadonlyMap<string, readonly Transfer[]>
  readonly keys: ReadonlySet<string>
  /** By recipient, where each is paid apart. */
  readonly assigned: Map<string, Assigned>
}

interface Assigned {
  /** Which no movement of their own pays. */
  readonly open: readonly Transfer[]
  readonly openKeys: ReadonlySet<string>
  readonly left: readonly Coin[]
  /** Whether one sum is for all, by what decides which: the same for each of them. */
  readonly sums: Map<string, boolean>
}

/** A bundle of a thousand is set beside its movements once, not a thousand times: for as long as somebody holds its list. */
const pools = new WeakMap<readonly Transfer[], WeakMap<readonly TokenMove[], Map<string, Pool | null>>>()

function poolOf(
  transfer: Transfer,
  sharing: readonly Transfer[],
  moves: readonly TokenMove[],
  settings: MoneySettings,
): Pool | null {
  const ofSharing = pools.get(sharing) ?? new WeakMap<readonly TokenMove[], Map<string, Pool | null>>()
  pools.set(sharing, ofSharing)
  const ofMoves = ofSharing.get(moves) ?? new Map<string, Pool | null>()
  ofSharing.set(moves, ofMoves)
  const name = nameOfPool(transfer, settings)
  const known = ofMoves.get(name)
  const pool = known === undefined ? makePool(transfer, sharing, moves, settings) : known
  ofMoves.set(name, pool)
  if (pool === null || pool.keys.has(transfer.key)) return pool
  return makePool(transfer, [...sharing, transfer], moves, settings)
}

/** More than any token has: what is kept of it shows whatever may be kept. */
const hugeClaim = 10n ** 90n

/** All that a pool rests on beside the transfers and the movements: what was learned meanwhile makes another one. */
function nameOfPool(transfer: Transfer, settings: MoneySettings): string {
  const { direction, token } = transfer
  const kept = directions.flatMap((one) => {
    const { less, more } = settings.keptOf?.({ ...transfer, direction: one }, hugeClaim) ?? exactly
    return [less, more]
  })
  const vaults = direction === 'ZoneToMain' ? [] : settings.vaultsOf(token.address)
  const units = [token.address, movedToken(token), scaleOf(transfer), token.decimals]
  return [direction, ...units, settings.fees.length, ...kept, ...vaults].join('|')
}

function makePool(
  transfer: Transfer,
  sharing: readonly Transfer[],
  moves: readonly TokenMove[],
  settings: MoneySettings,
): Pool | null {
  const gross = toCoins(moves, transfer)
  if (gross === null) return null
  const all = sharing.filter((one) => claimOf(one) !== null && isSameToken(one, transfer))
  // What a payout's recipient claims, and what came to him: of a crowd the rest is nobody's matter.
  const isApart = transfer.direction === 'ZoneToMain' && all.every((one) => one.targetAddress !== '')
  return {
    coins: withoutReturns(gross, transfer, sharing, settings),
    claims: Map.groupBy(all, ({ targetAddress }) => (isApart ? targetAddress : '')),
    keys: new Set(all.map(({ key }) => key)),
    assigned: new Map(),
  }
}

function assign(pool: Pool, { targetAddress }: Transfer, settings: MoneySettings): Assigned {
  const recipient = pool.claims.has('') ? '' : targetAddress
  const known = pool.assigned.get(recipient)
  if (known) return known
  const coins = recipient === '' ? pool.coins : pool.coins.filter(({ move }) => move.to === recipient)
  const left = new Set(coins)
  const open = assignExactly([...(pool.claims.get(recipient) ?? [])].sort(byAge), left, settings)
  const openKeys = new Set(open.map(({ key }) => key))
  const assigned: Assigned = { open, openKeys, left: [...left], sums: new Map() }
  pool.assigned.set(recipient, assigned)
  return assigned
}

/** What came of deposits, less what went back from where it came to: change, or all of it. A payout is no return. */
function withoutReturns(
  coins: readonly Coin[],
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: MoneySettings,
): readonly Coin[] {
  if (transfer.direction === 'ZoneToMain') return coins
  const payouts = sharing.filter(
    (one) => one.direction !== transfer.direction && one.token.address === transfer.token.address,
  )
  const left = new Set(coins)
  assignExactly(payouts.filter((one) => claimOf(one) !== null).sort(byAge), left, settings)
  const given = new Map<string, bigint>()
  const nameOf = (from: string, to: string, id: string) => `${from}|${to}|${toCanonicalId(id)}`
  for (const { move, raw } of left) {
    const name = nameOf(move.from, move.to, move.tokenId)
    given.set(name, (given.get(name) ?? 0n) + raw)
  }
  return coins.map((coin) => {
    const { from, to, tokenId } = coin.move
    const back = nameOf(to, from, tokenId)
    const returned = left.has(coin) && from !== to ? (given.get(back) ?? 0n) : 0n
    const taken = returned < coin.raw ? returned : coin.raw
    if (taken > 0n) given.set(back, returned - taken)
    return taken > 0n ? { ...coin, raw: coin.raw - taken } : coin
  })
}

/** The transfers that no movement of their own pays, after each took one. */
function assignExactly(claims: readonly Transfer[], left: Set<Coin>, settings: MoneySettings): Transfer[] {
  // Whole amounts first: a fee must not let one transfer take what is exactly another's. A crowd has many of one amount.
  const byAmount = Map.groupBy(left, ({ raw }) => raw)
  const open = claims.filter((one) => {
    const coins = byAmount.get(claimOf(one) ?? 0n) ?? []
    const at = coins.findIndex(paymentOf(one, exactly, settings))
    const [coin] = at === -1 ? [] : coins.splice(at, 1)
    return coin === undefined || !left.delete(coin)
  })
  return open.filter((one) => {
    const bounds = boundsOf(one, settings)
    if (bounds.less === 0n && bounds.more === 0n) return true
    const coin = left.values().find(paymentOf(one, bounds, settings))
    return coin === undefined || !left.delete(coin)
  })
}

/** The amount first, and all else looked up once: each of hundreds may be set beside thousands of movements. */
function paymentOf(claim: Transfer, bounds: Bounds, settings: MoneySettings): (coin: Coin) => boolean {
  const claimed = claimOf(claim) ?? 0n
  const isRecipient = recipientOf(claim, settings)
  return ({ move, raw }) => isWithin(raw, claimed, bounds) && isSameId(claim, move) && isRecipient(move)
}

/** A record of nothing denies what came to its very recipient. A deposit may carry a message alone, and what has ids is counted by these. */
function mayDenyPayout({ direction, isListed, targetAddress, token }: Transfer): boolean {
  return direction === 'ZoneToMain' && isListed && targetAddress !== '' && token.id === ''
}

/** What others of the same recipient claim, and got otherwise than they say, is told of these. */
function isPaidForNothing(
  transfer: Transfer,
  { open, left }: Pick<Assigned, 'open' | 'left'>,
  settings: MoneySettings,
): boolean {
  if (open.some((one) => claimOf(one) !== 0n) || left.some(({ move }) => move.tokenId !== '')) return false
  return addUp(transfer, [], left, settings).sum > 0n
}

/** One movement for all that goes to one recipient, or several for one transfer: a batch of token ids, a split payout. */
function coversSum(transfer: Transfer, assigned: Assigned, settings: MoneySettings): boolean {
  const name = [transfer.targetAddress, isBatch(transfer), transfer.token.id].join('|')
  const isCovered = assigned.sums.get(name) ?? isOneSum(transfer, assigned, settings)
  assigned.sums.set(name, isCovered)
  return isCovered
}

function isOneSum(
  transfer: Transfer,
  { open, left }: Pick<Assigned, 'open' | 'left'>,
  settings: MoneySettings,
): boolean {
  const alike = open.filter((one) => isOfOneSum(one, transfer))
  const bounds = alike.map((one) => boundsOf(one, settings))
  const { sum, claimed } = addUp(transfer, alike, left, settings)
  return isWithin(sum, claimed, {
    less: bounds.reduce((total, { less }) => total + less, 0n),
    more: bounds.reduce((total, { more }) => total + more, 0n),
  })
}

function isOfOneSum(one: Transfer, transfer: Transfer): boolean {
  return (
    (transfer.direction === 'MainToZone' || one.targetAddress === transfer.targetAddress) &&
    (isBatch(one) || isBatch(transfer) || one.token.id === transfer.token.id)
  )
}

function addUp(
  transfer: Transfer,
  alike: readonly Transfer[],
  coins: readonly Coin[],
  settings: MoneySettings,
): { readonly sum: bigint; readonly claimed: bigint } {
  const isRecipient = recipientOf(transfer, settings)
  const own = coins.filter(({ move }) => isSameId(transfer, move) && isRecipient(move))
  return {
    sum: own.reduce((total, { raw }) => total + raw, 0n),
    claimed: alike.reduce((total, one) => total + (claimOf(one) ?? 0n), 0n),
  }
}

/**
 * What came to the recipient of a transfer, or of several of one recipient, against what they claim: nothing is kept
 * where one movement is just what it claims. Null where nothing came, or it cannot be compared.
 */
export function keptOf(
  transfer: Transfer,
  sharing: readonly Transfer[],
  moves: readonly TokenMove[],
  settings: MoneySettings,
): Kept | null {
  const exact: MoneySettings = { fees: [], vaultsOf: (token) => settings.vaultsOf(token) }
  const alone = claimOf(transfer)
  if (alone === null || alone <= 0n || isBatch(transfer)) return null
  if (coverMoney(transfer, sharing, moves, exact) === 'covered') return { claimed: alone, less: 0n }
  const pool = poolOf(transfer, sharing, moves, exact)
  if (pool === null) return null
  const alike = sharing.filter((one) => isSameToken(one, transfer) && isOfOneSum(one, transfer))
  const { sum, claimed } = addUp(transfer, alike, pool.coins, exact)
  return sum === 0n || claimed === 0n ? null : { claimed, less: claimed - sum }
}

function describeGap(
  transfer: Transfer,
  moves: readonly TokenMove[],
  coins: readonly Coin[],
  settings: MoneySettings,
): MoneyGap {
  const decimals = scaleOf(transfer)
  const show = (raw: bigint) => (decimals === null ? raw.toString() : formatUnits(raw, decimals))
  const isRecipient = recipientOf(transfer, settings)
  const own = coins.filter(({ move }) => isSameId(transfer, move) && isRecipient(move))
  const sum = own.reduce((total, { raw }) => total + raw, 0n)
  // What it claims went there, and others that claim the same took it.
  const claimed = claimOf(transfer) ?? 0n
  if (claimed > 0n && [sum, ...own.map(({ raw }) => raw)].includes(claimed))
    return { what: 'amount', found: 'no item of its own' }
  if (own.length > 0) return { what: 'amount', found: show(sum) }
  const isFull = ({ raw }: Coin) => isWithin(raw, claimed, boundsOf(transfer, settings))
  const elsewhere = coins.find((coin) => isFull(coin) && isSameId(transfer, coin.move))
  if (elsewhere) return { what: 'recipient', found: elsewhere.move.to }
  const otherId = coins.find((coin) => isFull(coin) && isRecipient(coin.move))
  if (otherId) return { what: 'tokenId', found: otherId.move.tokenId }
  if (coins.length > 0) return { what: 'amount', found: show(coins.reduce((sum, { raw }) => sum + raw, 0n)) }
  const other = moves.find((move) => move.token !== movedToken(transfer.token))
  return other ? { what: 'token', found: other.token } : { what: 'amount', found: '' }
}

function isSameToken(a: Transfer, b: Transfer): boolean {
  return a.token.address === b.token.address && a.direction === b.direction
}

function byAge(a: Transfer, b: Transfer): number {
  return a.firstSeenAt - b.firstSeenAt || a.key.length - b.key.length || (a.key < b.key ? -1 : 1)
}
