import { directions } from '../../../bridge/observation.ts'
import type { LearnedMoney } from '../../../meaning/learnedMoney.ts'
import type { Fee } from '../../../meaning/findFee.ts'
import { hash as digest } from 'node:crypto'
import { createMostKept, type MostKept } from '../../../meaning/mostKept.ts'
import { canonicalToken, movedToken, nativeDecimals, type Wrapping } from '../../../bridge/movedToken.ts'
import { type Decimal, sameScale, toBaseUnits, toDecimal } from '../../../bridge/decimal.ts'
import { fillAlone } from '../owed/fillAlone.ts'
import { toOwedLeg } from '../owed/owed.ts'
import type { Transfer, TransferToken } from '../../../bridge/transfer.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { FlowKind } from '../../../kernel/reads/flowReads.ts'
import { type EscrowPlace, type EscrowSetting, isOfKind, listMinted, toPlaces } from './places.ts'
import type { Holding } from '../../../kernel/reads/balanceReads.ts'
import type { Database } from '../../../store/database.ts'
import { listReadings } from '../flows/readingStore.ts'
import {
  listEscrowTokens,
  measuredBy,
  noteEscrowToken,
  noteHeld,
  readEscrowToken,
  readOwedStart,
} from '../owed/owedStore.ts'
import { renameOwedToken, reviseOwed, openOwedLegs, saveOwedLeg } from '../owed/owedLegs.ts'
import { listTokenPairs } from '../../../ledger/lessons/learned.ts'
import { readFlowsDeep } from '../../../kernel/reads/mainStreams.ts'
import { listMovedTokens, readLargeMove, wakeFlows, wakeSentTo, wakeToken } from '../flows/flowStore.ts'
import type { StoredFlow } from '../flows/flowRow.ts'
import { wakeUnasked } from '../flows/gainedStore.ts'
import { wakeRefunds } from '../flows/refundStore.ts'
import { readDecimals } from '../../../ledger/lessons/tokenBook.ts'
import { readMeta, saveMeta } from '../../../store/meta.ts'
import { readWrapping, saveWrapping } from '../../../store/wrapping.ts'

/** What the configuration says of escrows, beside what the ledger learned of tokens. */
export interface EscrowWatch {
  readonly db: Database
  readonly bridge: EscrowBridge
  readonly learned: LearnedMoney
  readonly places: readonly EscrowPlace[]
  readonly mostKept: MostKept
  /** Tokens that the configuration describes. */
  readonly configured: ReadonlyMap<string, TokenSetting>
  /** Tokens that an escrow is configured for. */
  readonly named: ReadonlySet<string>
  /** The type of each token that records name, or an escrow held; '' where that is not known. */
  readonly types: Map<string, string>
  /** The address that a token moves under by the one that records name, and the other way round. */
  readonly movesAs: Map<string, string>
  readonly recordedAs: Map<string, string>
  /** The share that a million units are, and how often it was used since it was read. */
  readonly risks: Map<string, { readonly unit: number; readonly uses: number }>
  /** What accounts last took transfers for, by key, since so many rollbacks. */
  readonly taken: { rollbacks: number; readonly of: Map<string, string> }
  /** What left and nothing explains so far, and of which it was not asked who gained it, by its row. */
  readonly left: Map<number, StoredFlow>
}

export interface EscrowBridge extends Wrapping {
  readonly contracts: readonly string[]
  readonly escrows: readonly EscrowSetting[]
  readonly tokens: readonly TokenSetting[]
  readonly fees: readonly Fee[]
}

interface TokenSetting {
  readonly address: string
  readonly symbol: string
  readonly decimals: number
}

/** How many tokens that the configuration does not name are followed without configured escrows: anybody can make more. */
const maxTokens = 500

export function openEscrowWatch({
  db,
  learned,
  config: { bridge },
}: Pick<Kernel, 'db' | 'learned'> & { readonly config: { readonly bridge: EscrowBridge } }): EscrowWatch {
  const places = toPlaces(bridge.escrows, bridge.contracts)
  const { wrappedNative } = bridge
  const pairs = [
    ...listTokenPairs(db, learned),
    ...(wrappedNative === undefined ? [] : [{ token: '', moved: wrappedNative }]),
  ]
  return {
    db,
    bridge,
    learned,
    places,
    mostKept: createMostKept(bridge.fees, learned),
    configured: new Map(bridge.tokens.map((token) => [canonicalToken(token.address), token])),
    named: new Set(places.flatMap(({ tokens }) => (tokens ? [...tokens] : []))),
    types: new Map(listEscrowTokens(db).map(({ token, type }) => [token, type])),
    movesAs: new Map(pairs.map(({ token, moved }) => [token, moved])),
    recordedAs: new Map(pairs.map(({ token, moved }) => [moved, token])),
    risks: new Map(),
    taken: { rollbacks: db.rollbacks(), of: new Map() },
    left: new Map(),
  }
}

export function symbolOf({ configured, recordedAs }: EscrowWatch, token: string): string {
  const setting = configured.get(token) ?? configured.get(recordedAs.get(token) ?? token)
  return setting?.symbol ?? (token === '' ? 'native currency' : token)
}

export function decimalsOf(watch: EscrowWatch, token: string): number | null {
  if (token === '' || token === watch.bridge.wrappedNative) return nativeDecimals
  return knownDecimals(watch, token) ?? knownDecimals(watch, watch.recordedAs.get(token) ?? token)
}

function knownDecimals({ db, configured }: EscrowWatch, token: string): number | null {
  return configured.get(token)?.decimals ?? readDecimals(db, token)
}

export function isBridgeToken({ named, configured, types }: EscrowWatch, token: string): boolean {
  return named.has(token) || configured.has(token) || types.has(token)
}

/** The bridge's tokens but the native currency that a list of this kind shows, those that the configuration names first. */
export function listTokens({ named, configured, types }: EscrowWatch, kind: FlowKind): string[] {
  return [...new Set([...named, ...configured.keys(), ...types.keys()])]
    .filter((token) => token !== '')
    .filter((token) => isOfKind(types.get(token) ?? '', kind))
}

export function listHoldings({ db, places, configured }: EscrowWatch): Holding[] {
  // What the configuration describes first, then in the order in which they were first seen: new ones push none out.
  const listMoved = (address: string) => {
    const moved = listMovedTokens(db, address)
    const own = moved.filter((token) => configured.has(token))
    return [...new Set([...own, ...moved])].slice(0, maxTokens)
  }
  // What is owed of a token that is minted is held nowhere.
  const minted = listMinted(places)
  return places.flatMap(({ address, tokens }) =>
    [...(tokens ?? listMoved(address))]
      .filter((token) => !minted.has(token))
      .map((token) => ({ address, token })),
  )
}

/** Baselines of all escrows of a token together, base units; null when one is missing or cannot be read exactly. */
export function baselineOf(watch: EscrowWatch, token: string): bigint | null {
  const decimals = decimalsOf(watch, token)
  const own = watch.bridge.escrows.filter((escrow) => canonicalToken(escrow.token) === token)
  const amounts = own.map(({ baseline }) => {
    const amount = baseline === null ? null : toDecimal(baseline)
    return amount === null || decimals === null ? null : toBaseUnits(amount, decimals)
  })
  if (amounts.length === 0 || amounts.some((amount) => amount === null)) return null
  return amounts.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n)
}

/**
 * What the escrows hold, or would hold had nothing been taken that they still owe: after a theft the rest must not
 * make every transfer a large one. Base units; null before the first reading, and where nothing comes to rest.
 */
export function reserveOf({ db, places, movesAs }: EscrowWatch, token: string): bigint | null {
  if (places.length === 0) return null
  const address = movedUnder(movesAs, token)
  const known = readEscrowToken(db, address)
  if (!known || known.holdings === null) return null
  const owed = known.judged?.owed ?? known.baseline ?? 0n
  const amounts = [known.holdings, owed, ...listUnjudged(db, address)]
  const most = amounts.reduce((most, amount) => (amount > most ? amount : most), 0n)
  return measuredBy(known, most)
}

/** When their first balance was read: what they held before is not known. */
export function reserveSince({ db, movesAs }: EscrowWatch, token: string): UnixMs | null {
  return readOwedStart(db, movedUnder(movesAs, token))?.time ?? null
}

function movedUnder(movesAs: EscrowWatch['movesAs'], token: string): string {
  return movesAs.get(canonicalToken(token)) ?? canonicalToken(token)
}

/** An amount in token units as a share of what the escrows hold, else of what moves there at most; null where nothing is known. */
export function shareOf(watch: EscrowWatch, token: string, amount: Decimal): number | null {
  const decimals = decimalsOf(watch, token)
  const reserve = reserveOf(watch, token)
  const raw = decimals === null ? null : toBaseUnits(amount, decimals)
  if (raw !== null && reserve !== null && reserve > 0n) return divide(raw, reserve)
  const large = readLargeMove(watch.db, token)
  return large === null ? null : divide(...sameScale(amount, large)) / usualOfEscrow
}

/** The same about as it is, for ordering many; 0 where nothing is known. */
export function riskOf(watch: EscrowWatch, token: string, amount: Decimal): number {
  const known = watch.risks.get(token)
  const isFresh = known !== undefined && known.uses < riskUses
  const unit = isFresh ? known.unit : (shareOf(watch, token, { digits: 1_000_000n, scale: 0 }) ?? 0)
  watch.risks.set(token, { unit, uses: isFresh ? known.uses + 1 : 0 })
  return (unit / 1e6) * (Number(amount.digits) / 10 ** amount.scale)
}

/** What may be kept of a token's transfers was learned: what is owed of it is counted anew. Belongs inside a commit. */
export function reviseToken(watch: EscrowWatch, token: string): void {
  const { bridge, db, learned, mostKept } = watch
  const decimals = decimalsOf(watch, token)
  if (decimals === null) return
  const address = watch.recordedAs.get(token) ?? token
  const ranges = directions.map((one) => learned.keptOf(address, one))
  // What `mostKept` goes by. There may be millions of transfers: they are not read again at each start.
  const kept = ranges.map(({ less, more, flat, usual }) => [less, more, String(flat), String(usual)])
  const known = digest('sha1', JSON.stringify([address, decimals, bridge.fees, kept]), 'base64')
  const name = `owed_by ${token}`
  if (readMeta(db, name) === known) return
  saveMeta(db, name, known)
  reviseOwed(db, token, ({ isCredit, amount }) => {
    const { less, more } = mostKept({
      token: { address, movedAs: token, decimals },
      direction: isCredit ? 'MainToZone' : 'ZoneToMain',
      amountRaw: amount,
      amount: null,
    })
    return { less: toBaseUnits(less, decimals) ?? 0n, more: toBaseUnits(more, decimals) ?? 0n }
  })
}

/** Transfers changed, or ceased because they were joined into others: belongs inside the commit that did it. */
export function noteTransfers(
  watch: EscrowWatch,
  { changed, ceased }: { readonly changed: readonly Transfer[]; readonly ceased: readonly string[] },
  now: UnixMs,
): void {
  const { db, places, mostKept } = watch
  if (places.length === 0) return
  for (const key of ceased) saveOwedLeg(db, key, null)
  wakeFlows(db, [...new Set(changed.flatMap(({ main }) => main?.hash ?? []))], now)
  const deposits = changed.filter(({ direction }) => direction === 'MainToZone')
  wakeRefunds(db, [...new Set(deposits.flatMap(({ main }) => main?.hash ?? []))], now)
  const failed = deposits.filter(({ status }) => status === 'failed')
  wakeSentTo(db, [...new Set(failed.map(({ sourceAddress }) => sourceAddress))], now)
  wakeUnasked(db, [...new Set(failed.map(({ token }) => movedToken(token)))], now)
  const save = openOwedLegs(
    db,
    changed.map(({ key }) => key),
  )
  for (const transfer of changed) {
    const token = movedToken(transfer.token)
    notePair(watch, canonicalToken(transfer.token.address), token)
    if (transfer.token.isUnknown || !isFollowed(watch, transfer.token)) continue
    noteType(watch, token, transfer.token.type)
    save(transfer.key, toOwedLeg(fillAlone(watch, transfer), mostKept, decimalsOf(watch, token)))
  }
}

function isFollowed(watch: EscrowWatch, { address, movedAs }: TransferToken): boolean {
  const { configured, named, places, types } = watch
  const token = movedAs ?? canonicalToken(address)
  if (named.has(token)) return true
  const takesAll = places.some(({ tokens }) => tokens === null)
  // One of which nothing is known may turn out to move as one that is named.
  const isKnown = types.has(token) || configured.has(token) || configured.has(canonicalToken(address))
  return (takesAll || movedAs === undefined) && (isKnown || types.size < maxTokens)
}

/** A record names the token, or an escrow held it when it was first read: it is watched from now on. Belongs inside a commit. */
export function noteType({ db, places, types }: EscrowWatch, token: string, type: string): void {
  if (types.has(token) && (type === '' || types.get(token) === type)) return
  types.set(token, type)
  noteEscrowToken(db, token, type)
  if (listMinted(places).has(token)) noteHeld(db, token, false)
}

/** Whether the configuration says otherwise than before of the wrapped native currency. */
export function isNewWrapping({ db, bridge }: EscrowWatch): boolean {
  return (readWrapping(db).wrappedNative ?? '') !== (bridge.wrappedNative ?? '')
}

/** From now on the native currency is held wrapped, or no more: what moved of it is judged anew. Belongs inside a commit. */
export function adoptWrapping({ db, bridge: { wrappedNative } }: EscrowWatch, now: UnixMs): void {
  const before = readWrapping(db).wrappedNative ?? ''
  saveWrapping(db, { wrappedNative })
  if (wrappedNative !== undefined)
    renameOwedToken(db, '', wrappedNative, { before: nativeDecimals, after: nativeDecimals })
  for (const token of ['', wrappedNative ?? before]) wakeToken(db, token, now)
}

/** From now on a token is the one that it moves as: what was counted of it, and what moved, are that one's. */
function notePair(watch: EscrowWatch, token: string, moved: string): void {
  const { db, movesAs, recordedAs, types } = watch
  if (token === moved || movesAs.get(token) === moved) return
  movesAs.set(token, moved)
  recordedAs.set(moved, token)
  noteType(watch, moved, types.get(token) ?? '')
  renameOwedToken(db, token, moved, {
    before: knownDecimals(watch, token),
    after: decimalsOf(watch, moved),
  })
  readFlowsDeep(db)
}

/** The order of questions need not be exact: what is held is looked at anew after so many of them. */
const riskUses = 200
/** What nearly no movement exceeds is taken for a hundredth of what is held, where that is not known. */
const usualOfEscrow = 100

function divide(part: bigint, whole: bigint): number {
  return Number((part * 1_000_000n) / whole) / 1e6
}

/** What the escrows held by readings that were not judged yet, base units. */
function listUnjudged(db: Database, token: string): bigint[] {
  return listReadings(db, token, Number.MAX_SAFE_INTEGER).map(({ balances }) =>
    Object.values(balances).reduce((sum, balance) => sum + balance, 0n),
  )
}
