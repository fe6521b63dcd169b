import type { LearnedMoney } from '../../meaning/learnedMoney.ts'
import type { Fee } from '../../meaning/findFee.ts'
import { createMostKept, type MostKept } from '../../meaning/mostKept.ts'
import { canonicalToken, movedToken, nativeDecimals } from '../../bridge/movedToken.ts'
import { type Decimal, sameScale, toBaseUnits, toDecimal } from '../../bridge/decimal.ts'
import { toOwedLeg } from './owed.ts'
import type { Transfer, TransferToken } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { type EscrowPlace, type EscrowSetting, toPlaces } from './places.ts'
import type { Holding } from '../../kernel/balanceReads.ts'
import type { Database } from '../../store/database.ts'
import { listReadings } from './readingStore.ts'
import {
  listEscrowTokens,
  noteEscrowToken,
  readEscrowToken,
  renameOwedToken,
  reviseOwed,
  saveOwedLeg,
} from './owedStore.ts'
import type { TokenPair } from '../../ledger/learned.ts'
import { readFlowsDeep } from '../../kernel/mainStreams.ts'
import { listMovedTokens, readLargeMove, wakeFlows } from './flowStore.ts'
import { readDecimals } from '../../ledger/tokenBook.ts'

/** What the configuration says of escrows, beside what the ledger learned of tokens. */
export interface EscrowWatch {
  readonly places: readonly EscrowPlace[]
  readonly mostKept: MostKept
  /** What may be kept of a token's transfers was learned: what is owed of it is counted anew. Belongs inside a commit. */
  reviseOwed(token: string): void
  typeOf(token: string): string
  symbolOf(token: string): string
  decimalsOf(token: string): number | null
  isBridgeToken(token: string): boolean
  /** All of these but the native currency, those that the configuration names first. */
  listTokens(): readonly string[]
  /** An escrow held it when it was first read: it is watched from now on. Belongs inside a commit. */
  noteHeld(token: string, type: string): void
  listHoldings(): readonly Holding[]
  baselineOf(token: string): bigint | null
  /**
   * What the escrows hold, or would hold had nothing been taken that they still owe: after a theft the rest must not
   * make every transfer a large one. Base units; null before the first reading.
   */
  reserveOf(token: string): bigint | null
  /** An amount in token units as a share of what the escrows hold, else of what moves there at most; null where nothing is known. */
  shareOf(token: string, amount: Decimal): number | null
  /** The same about as it is, for ordering many; 0 where nothing is known. */
  riskOf(token: string, amount: Decimal): number
  /** Transfers changed, or ceased because they were joined into others: belongs inside the commit that did it. */
  noteTransfers(changed: readonly Transfer[], ceased: readonly string[], now: UnixMs): void
}

export interface EscrowBridge {
  readonly contracts: readonly string[]
  readonly escrows: readonly EscrowSetting[]
  readonly tokens: readonly { readonly address: string; readonly symbol: string; readonly decimals: number }[]
  readonly fees: readonly Fee[]
}

/** Without configured escrows so many tokens are followed: anybody can make more. */
const maxTokens = 500

/** @param pairs tokens that are known to move under another address than records name */
export function createEscrowWatch(
  db: Database,
  bridge: EscrowBridge,
  pairs: readonly TokenPair[] = [],
  learned: Pick<LearnedMoney, 'keptOf'> | null = null,
): EscrowWatch {
  const mostKept = createMostKept(bridge.fees, learned)
  const revised = new Map<string, string>()
  const places = toPlaces(bridge.escrows, bridge.contracts)
  const configured = new Map(bridge.tokens.map((token) => [canonicalToken(token.address), token]))
  const named = new Set(places.flatMap(({ tokens }) => (tokens ? [...tokens] : [])))
  const takesAll = places.some(({ tokens }) => tokens === null)
  const types = new Map(listEscrowTokens(db).map(({ token, type }) => [token, type]))
  const movesAs = new Map(pairs.map(({ token, moved }) => [token, moved]))
  const recordedAs = new Map(pairs.map(({ token, moved }) => [moved, token]))
  const isFollowed = ({ address, movedAs }: TransferToken) => {
    const token = movedAs ?? canonicalToken(address)
    if (named.has(token)) return true
    // One of which nothing is known may turn out to move as one that is named.
    return (takesAll || movedAs === undefined) && (types.has(token) || types.size < maxTokens)
  }
  const knownDecimals = (token: string) => configured.get(token)?.decimals ?? readDecimals(db, token)
  const decimalsOf = (token: string) =>
    token === '' ? nativeDecimals : (knownDecimals(token) ?? knownDecimals(recordedAs.get(token) ?? token))
  const risks = new Map<string, { readonly unit: number; readonly uses: number }>()
  const settingOf = (token: string) => configured.get(token) ?? configured.get(recordedAs.get(token) ?? token)
  const noteType = (token: string, type: string) => {
    if (types.has(token) && (type === '' || types.get(token) === type)) return
    types.set(token, type)
    noteEscrowToken(db, token, type)
  }
  /** From now on a token is the one that it moves as: what was counted of it, and what moved, are that one's. */
  const notePair = (token: string, moved: string) => {
    if (token === moved || movesAs.get(token) === moved) return
    movesAs.set(token, moved)
    recordedAs.set(moved, token)
    noteType(moved, types.get(token) ?? '')
    renameOwedToken(db, token, moved, { before: knownDecimals(token), after: decimalsOf(moved) })
    readFlowsDeep(db)
  }
  return {
    places,
    mostKept,
    typeOf: (token) => types.get(token) ?? '',
    symbolOf: (token) => settingOf(token)?.symbol ?? (token === '' ? 'native currency' : token),
    decimalsOf,
    isBridgeToken: (token) => named.has(token) || configured.has(token) || types.has(token),
    listTokens: () =>
      [...new Set([...named, ...configured.keys(), ...types.keys()])].filter((token) => token !== ''),
    noteHeld: noteType,
    listHoldings: () =>
      places.flatMap(({ address, tokens }) =>
        [...(tokens ?? listMovedTokens(db, address))].map((token) => ({ address, token })),
      ),
    baselineOf: (token) => sumBaselines(bridge.escrows, token, decimalsOf(token)),
    reserveOf(token) {
      if (places.length === 0) return null
      const address = movesAs.get(canonicalToken(token)) ?? canonicalToken(token)
      const known = readEscrowToken(db, address)
      if (!known || known.holdings === null) return null
      const owed = known.judged?.owed ?? known.baseline ?? 0n
      const amounts = [known.holdings, owed, ...listUnjudged(db, address)]
      return amounts.reduce((most, amount) => (amount > most ? amount : most), 0n)
    },
    riskOf(token, amount) {
      const known = risks.get(token)
      const isFresh = known !== undefined && known.uses < riskUses
      const unit = isFresh ? known.unit : (this.shareOf(token, { digits: 1_000_000n, scale: 0 }) ?? 0)
      risks.set(token, { unit, uses: isFresh ? known.uses + 1 : 0 })
      return (unit / 1e6) * (Number(amount.digits) / 10 ** amount.scale)
    },
    shareOf(token, amount) {
      const decimals = decimalsOf(token)
      const reserve = this.reserveOf(token)
      const raw = decimals === null ? null : toBaseUnits(amount, decimals)
      if (raw !== null && reserve !== null && reserve > 0n) return divide(raw, reserve)
      const large = readLargeMove(db, token)
      return large === null ? null : divide(...sameScale(amount, large)) / usualOfEscrow
    },
    reviseOwed(token) {
      const decimals = decimalsOf(token)
      if (learned === null || decimals === null) return
      const address = recordedAs.get(token) ?? token
      const ranges = (['MainToZone', 'ZoneToMain'] as const).map((one) => learned.keptOf(address, one))
      const known = ranges.map(({ less, more, flat }) => `${less} ${more} ${String(flat)}`).join()
      if (revised.get(token) === known) return
      revised.set(token, known)
      reviseOwed(db, token, ({ isCredit, amount }) => {
        const { less, more } = mostKept({
          token: { address, movedAs: token, decimals },
          direction: isCredit ? 'MainToZone' : 'ZoneToMain',
          amountRaw: amount,
          amount: null,
        })
        return { less: toBaseUnits(less, decimals) ?? 0n, more: toBaseUnits(more, decimals) ?? 0n }
      })
    },
    noteTransfers(changed, ceased, now) {
      if (places.length === 0) return
      for (const key of ceased) saveOwedLeg(db, key, null)
      for (const transfer of changed) {
        if (transfer.main) wakeFlows(db, transfer.main.hash, now)
        const token = movedToken(transfer.token)
        notePair(canonicalToken(transfer.token.address), token)
        if (transfer.token.isUnknown || !isFollowed(transfer.token)) continue
        noteType(token, transfer.token.type)
        saveOwedLeg(db, transfer.key, toOwedLeg(transfer, mostKept, decimalsOf(token)))
      }
    },
  }
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

/** Baselines of all escrows of a token together, base units; null when one is missing or cannot be read exactly. */
function sumBaselines(
  escrows: readonly EscrowSetting[],
  token: string,
  decimals: number | null,
): bigint | null {
  const own = escrows.filter((escrow) => canonicalToken(escrow.token) === token)
  const amounts = own.map(({ baseline }) => {
    const amount = baseline === null ? null : toDecimal(baseline)
    return amount === null || decimals === null ? null : toBaseUnits(amount, decimals)
  })
  if (amounts.length === 0 || amounts.some((amount) => amount === null)) return null
  return amounts.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n)
}
