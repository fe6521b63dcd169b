import { fromBaseUnits } from '../../../bridge/decimal.ts'
import type { Holding } from '../../../kernel/reads/balanceReads.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { readStream, saveStream } from '../../../kernel/reads/mainStreams.ts'
import { settleWords } from '../../../kernel/sources/sourceWords.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import type { Database } from '../../../store/database.ts'
import { type BalanceAt, balanceRest } from './balanceRest.ts'
import { saveGap } from '../flows/flowStore.ts'
import { aboutPlace, agreeOnBalance, type Seated } from './agreeOnBalances.ts'
import { type Comparing, neededMisses } from './judgeOwed.ts'
import { toNamedStreams } from '../watched/places.ts'
import { type EscrowAnchor, type EscrowReading, readAnchor, saveAnchor } from '../flows/readingStore.ts'
import { settleMs } from '../flows/rereadFlow.ts'
import { decimalsOf } from '../watched/watch.ts'

/** The balances of the escrows, as they are read and judged. */
export interface EscrowBalances
  extends Comparing,
    Seated,
    Pick<Kernel, 'clock' | 'commit' | 'cursors' | 'explorer' | 'horizons' | 'ledger' | 'list' | 'tellSince'> {
  /** Whether `balances` answers for a height that is named: then balances are read at the explorer's head. */
  readonly isCanonical: boolean
  /** From when on a configured baseline holds; null is from the first reading on. */
  readonly baselineSince: UnixMs | null
}

/** An anchor so old cannot be compared: the movements since were forgotten. */
const anchorKeptMs = 6 * 86_400_000

/** Compares a balance with the one before and the listed movements between the two. */
export async function compare(
  of: EscrowBalances,
  reading: EscrowReading,
  place: Holding,
  signal: AbortSignal,
): Promise<void> {
  const { commit, db, watch } = of
  const balance = reading.balances[place.address]
  const decimals = decimalsOf(watch, place.token)
  if (balance === undefined || decimals === null) return
  const anchor = readAnchor(db, place.address, place.token)
  const isExact = reading.low === reading.high
  const save = (next: EscrowAnchor) =>
    commit({ mayWait: 'without-news', apply: () => (saveAnchor(db, place.address, place.token, next), []) })
  const fresh = { balance, readAt: reading.readAt, misses: 0, missedAt: null }
  if (!anchor || reading.readAt - anchor.readAt > anchorKeptMs) {
    if (isExact) save({ ...fresh, height: reading.high })
    return
  }
  if (reading.high <= anchor.height) return
  const compared = { place, anchor, decimals, reading, balance }
  const matching = findMatch(db, compared)
  if (matching !== null) {
    settleWords(db, 'balance', aboutPlace(place))
    return void save({ ...fresh, height: matching })
  }
  const missedAt = anchor.missedAt ?? reading.readAt
  const misses = anchor.misses + 1
  requestDeepRead(of, place)
  if (misses < neededMisses || reading.readAt - missedAt < settleMs)
    return void save({ ...anchor, misses, missedAt })
  if (!(await agreeOnBalance(of, { reading, place, balance }, signal)))
    return void save({ ...anchor, misses, missedAt })
  await tellGap(of, compared, signal)
}

/** The recent past of a place's movements is to be read again. */
function requestDeepRead({ commit, db, watch }: EscrowBalances, place: Holding): void {
  for (const { id } of toNamedStreams(watch, place.address)) {
    const stream = readStream(db, id)
    if (stream) commit({ apply: () => (saveStream(db, { ...stream, deepAt: 0 }), []) })
  }
}

interface Compared {
  readonly place: Holding
  readonly anchor: EscrowAnchor
  readonly decimals: number
  readonly reading: EscrowReading
  readonly balance: bigint
}

/** The height, of those that the reading may be of, at which listed movements or known legs make up the balance. */
function findMatch(db: Database, of: Compared): number | null {
  for (let height = of.reading.high; height >= of.reading.low; height--) {
    if (isAccounted(db, of, { height, balance: of.balance })) return height
  }
  return null
}

function isAccounted(db: Database, of: Compared, at: BalanceAt): boolean {
  return balanceRest(db, of, at) === 0n
}

/** Narrows an unaccounted change to its block where the node still knows the blocks between, and keeps it. */
async function tellGap(
  { balances, commit, db }: EscrowBalances,
  of: Compared,
  signal: AbortSignal,
): Promise<void> {
  const { place, anchor, decimals, reading } = of
  let good: BalanceAt = { height: anchor.height, balance: anchor.balance }
  let bad: BalanceAt = { height: reading.high, balance: of.balance }
  while (bad.height - good.height > 1) {
    const height = good.height + Math.floor((bad.height - good.height) / 2)
    const balance = await balances.readAt(place, height, signal)
    if (balance === null) break
    const between = { height, balance }
    if (isAccounted(db, of, between)) good = between
    else bad = between
  }
  commit({
    apply: (now) => {
      const change = fromBaseUnits(bad.balance - good.balance, decimals)
      const where = { escrow: place.address, token: place.token, height: bad.height, fromHeight: good.height }
      saveGap(db, { ...where, at: reading.readAt, change }, now)
      const next = { ...bad, readAt: reading.readAt, misses: 0, missedAt: null }
      saveAnchor(db, place.address, place.token, next)
      return []
    },
  })
}
