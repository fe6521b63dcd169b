import { fromBaseUnits, toBaseUnits } from '../../bridge/decimal.ts'
import type { OwedStart } from './owed.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { saveGap, sumListed } from './flowStore.ts'
import { listMainLegs, readEscrowToken, saveHoldings, saveOwedJudgement, startOwed } from './owedStore.ts'
import {
  dropReading,
  dropReadingsBefore,
  type EscrowAnchor,
  type EscrowReading,
  listReadings,
  readAnchor,
  saveAnchor,
  saveReading,
} from './readingStore.ts'
import type { BalanceRead, BalanceReads, Holding } from '../../kernel/balanceReads.ts'
import { settleMs } from './rereadFlow.ts'
import { judgeOwed, neededMisses, type Shorts, sumOf } from './judgeOwed.ts'
import { waitForHead } from '../../kernel/waitForHead.ts'
import type { Commit } from '../../kernel/reads.ts'

export interface EscrowBalancesDeps {
  readonly clock: Clock
  readonly db: Database
  readonly reads: BalanceReads
  readonly commit: Commit
  /** Whether `reads` answers for a height that is named: then balances are read at the explorer's head. */
  readonly isCanonical: boolean
  listHoldings(): readonly Holding[]
  /** Block time of the newest main block as last read; null when it is not known. */
  readMainTime(): UnixMs | null
  /** By how much our clock is ahead of the chains'; negative: behind; null while that is not known. */
  partingMs(): number | null
  /** When the newest complete reading of the record list began. */
  listReadAt(): UnixMs | null
  isReady(): boolean
  /** Up to which block the movements of this place were read. */
  flowsReadTo(holding: Holding): number | null
  /** The recent past of its movements is to be read again. */
  requestDeepRead(holding: Holding): void
  decimalsOf(token: string): number | null
  /** Counts what is owed anew where other amounts may be kept by now. */
  reviseOwed(token: string): void
  /** Configured baselines of a token together; null when one is missing. */
  baselineOf(token: string): bigint | null
  /** From when on a configured baseline holds; null is from the first reading on. */
  readonly baselineSince: UnixMs | null
}

/** Readings that could not be judged in so long are given up: what they say of is long past. */
const keptMs = 1_800_000
/** A reading between more blocks than these is too vague. */
const maxSpread = 30
/** An anchor so old cannot be compared: the movements since were forgotten. */
const anchorKeptMs = 6 * 86_400_000

/**
 * Reads what the escrows hold, and judges each reading once the record list has passed its block: does it follow from
 * the balance before and the listed movements, and is it as much as is owed?
 */
export function createEscrowBalancesPoll(deps: EscrowBalancesDeps): (signal: AbortSignal) => Promise<void> {
  const shorts: Shorts = new Map()
  return async (signal) => {
    const holdings = deps.listHoldings()
    const byToken = Map.groupBy(holdings, ({ token }) => token)
    if (holdings.length > 0) await readNow(deps, holdings, byToken, signal)
    for (const [token, places] of byToken) {
      const now = deps.clock.now()
      for (const reading of listReadings(deps.db, token, now - settleMs)) {
        if (!isPassed(deps, reading, places)) break
        await judgeReading(deps, reading, places, shorts, signal)
      }
    }
  }
}

async function readNow(
  deps: EscrowBalancesDeps,
  holdings: readonly Holding[],
  byToken: ReadonlyMap<string, readonly Holding[]>,
  signal: AbortSignal,
): Promise<void> {
  const height = deps.isCanonical ? await waitForHead(deps, signal) : null
  if (deps.isCanonical && height === null) return
  const headTime = deps.readMainTime()
  const partingMs = deps.partingMs()
  if (partingMs === null) return
  const found = await deps.reads.read(holdings, height, signal)
  if (found.high - found.low > maxSpread) return
  // A head that was not read for a while is an old block, whenever its balances are asked for.
  const isOfHead = headTime !== null && found.low === height && found.high === height
  // What left and arrived by then is told by the chains' time.
  const readAt = found.readAt - partingMs
  const read = { ...found, newestAt: isOfHead ? Math.min(readAt, headTime) : readAt }
  const byHolding = new Map(holdings.map((holding, at) => [holding, read.balances[at] ?? null]))
  deps.commit({
    apply: (now) => {
      dropReadingsBefore(deps.db, now - keptMs)
      for (const [token, places] of byToken) {
        deps.reviseOwed(token)
        saveToken(deps, token, places, read, byHolding)
      }
      return []
    },
  })
}

interface NewestRead extends BalanceRead {
  readonly newestAt: UnixMs
}

function saveToken(
  deps: EscrowBalancesDeps,
  token: string,
  places: readonly Holding[],
  read: NewestRead,
  byHolding: ReadonlyMap<Holding, bigint | null>,
): void {
  const balances: Record<string, bigint> = {}
  for (const place of places) {
    const balance = byHolding.get(place) ?? null
    // One that is not known makes the whole unknown.
    if (balance === null) return
    balances[place.address] = balance
  }
  const { low, high, readAt, newestAt } = read
  const total = sumOf(balances)
  saveHoldings(deps.db, token, total, readAt)
  if (readEscrowToken(deps.db, token)?.start === null) start(deps, token, total, read)
  saveReading(deps.db, { token, low, high, readAt, newestAt, balances })
}

/** Counting begins with the first balance that is known to be of one block, or with a configured baseline. */
function start(deps: EscrowBalancesDeps, token: string, total: bigint, read: NewestRead): void {
  const configured = deps.baselineOf(token)
  const isExact = read.low === read.high
  const first: OwedStart = { height: read.high, time: read.newestAt }
  if (configured === null) return isExact ? startOwed(deps.db, token, first, total) : undefined
  const since = deps.baselineSince
  if (since !== null) return startOwed(deps.db, token, { height: null, time: since }, configured)
  if (isExact) startOwed(deps.db, token, first, configured)
}

/** Whether both the record list and the lists of movements have passed a reading's block. */
function isPassed(deps: EscrowBalancesDeps, reading: EscrowReading, places: readonly Holding[]): boolean {
  const listReadAt = deps.listReadAt()
  if (!deps.isReady() || listReadAt === null || listReadAt < reading.readAt) return false
  return places.every((place) => (deps.flowsReadTo(place) ?? -1) >= reading.high)
}

async function judgeReading(
  deps: EscrowBalancesDeps,
  reading: EscrowReading,
  places: readonly Holding[],
  shorts: Shorts,
  signal: AbortSignal,
): Promise<void> {
  for (const place of places) await compare(deps, reading, place, signal)
  const owed = await judgeOwed(deps, reading, places, shorts, signal)
  deps.commit({
    apply: () => {
      if (owed) saveOwedJudgement(deps.db, reading.token, owed)
      dropReading(deps.db, reading.id)
      return []
    },
  })
}

/** Compares a balance with the one before and the listed movements between the two. */
async function compare(
  deps: EscrowBalancesDeps,
  reading: EscrowReading,
  place: Holding,
  signal: AbortSignal,
): Promise<void> {
  const balance = reading.balances[place.address]
  const decimals = deps.decimalsOf(place.token)
  if (balance === undefined || decimals === null) return
  const anchor = readAnchor(deps.db, place.address, place.token)
  const isExact = reading.low === reading.high
  const save = (next: EscrowAnchor) =>
    deps.commit({ apply: () => (saveAnchor(deps.db, place.address, place.token, next), []) })
  const fresh = { balance, readAt: reading.readAt, misses: 0, missedAt: null }
  if (!anchor || reading.readAt - anchor.readAt > anchorKeptMs) {
    if (isExact) save({ ...fresh, height: reading.high })
    return
  }
  if (reading.high <= anchor.height) return
  const matching = findMatch(deps, { place, anchor, decimals }, reading, balance)
  if (matching !== null) return void save({ ...fresh, height: matching })
  const missedAt = anchor.missedAt ?? reading.readAt
  const misses = anchor.misses + 1
  deps.requestDeepRead(place)
  if (misses < neededMisses || reading.readAt - missedAt < settleMs)
    return void save({ ...anchor, misses, missedAt })
  await tellGap(deps, { place, anchor, decimals }, reading, balance, signal)
}

interface Compared {
  readonly place: Holding
  readonly anchor: EscrowAnchor
  readonly decimals: number
}

/** The height, of those that the reading may be of, at which listed movements or known legs make up the balance. */
function findMatch(
  deps: EscrowBalancesDeps,
  of: Compared,
  { low, high }: EscrowReading,
  balance: bigint,
): number | null {
  for (let height = high; height >= low; height--) {
    if (isAccounted(deps, of, height, balance)) return height
  }
  return null
}

function isAccounted(deps: EscrowBalancesDeps, of: Compared, height: number, balance: bigint): boolean {
  const { place, anchor, decimals } = of
  const listed = sumListed(deps.db, toPlace(place), anchor.height, height)
  const change = toBaseUnits(listed.sum, decimals)
  if (change === null) return true
  const rest = balance - anchor.balance - change
  if (rest === 0n) return true
  // A list that shows fewer digits than the token has is off by a little at each movement.
  const isRounded = listed.finest >= 6 && listed.finest < decimals
  const dust = isRounded ? BigInt(listed.count) * 10n ** BigInt(decimals - listed.finest) : 0n
  if ((rest < 0n ? -rest : rest) <= dust) return true
  const unlisted = listMainLegs(deps.db, place.token, anchor.height, height).filter(
    ({ hash }) => hash === null || !listed.hashes.has(hash),
  )
  const [least, most] = (['least', 'most'] as const).map((end) =>
    unlisted.reduce((sum, leg) => sum + leg[end], 0n),
  )
  return unlisted.length > 0 && rest >= (least ?? 0n) && rest <= (most ?? 0n)
}

/** Narrows an unaccounted change to its block where the node still knows the blocks between, and keeps it. */
async function tellGap(
  deps: EscrowBalancesDeps,
  of: Compared,
  reading: EscrowReading,
  balance: bigint,
  signal: AbortSignal,
): Promise<void> {
  const { place, anchor, decimals } = of
  let good = { height: anchor.height, balance: anchor.balance }
  let bad = { height: reading.high, balance }
  while (bad.height - good.height > 1) {
    const height = good.height + Math.floor((bad.height - good.height) / 2)
    const between = await deps.reads.readAt(place, height, signal)
    if (between === null) break
    if (isAccounted(deps, of, height, between)) good = { height, balance: between }
    else bad = { height, balance: between }
  }
  deps.commit({
    apply: (now) => {
      const change = fromBaseUnits(bad.balance - good.balance, decimals)
      const where = { escrow: place.address, token: place.token, height: bad.height, fromHeight: good.height }
      saveGap(deps.db, { ...where, at: reading.readAt, change }, now)
      const next = {
        height: bad.height,
        balance: bad.balance,
        readAt: reading.readAt,
        misses: 0,
        missedAt: null,
      }
      saveAnchor(deps.db, place.address, place.token, next)
      return []
    },
  })
}

function toPlace({ address, token }: Holding) {
  return { escrow: address, token }
}
