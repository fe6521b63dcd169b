import type { BalanceRead, Holding } from '../../../kernel/reads/balanceReads.ts'
import { listHeads } from '../../../kernel/heads/heads.ts'
import { lowestCursor } from '../../../kernel/reads/mainStreams.ts'
import { partingMs } from '../../../kernel/heads/trackHead.ts'
import { settleWords } from '../../../kernel/sources/sourceWords.ts'
import { waitForHead } from '../../../kernel/heads/waitForHead.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { isBeyond } from '../../../meaning/horizon.ts'
import { MonitorError } from '../../../lib/errors.ts'
import { openAccounts } from '../explaining/keepAccounts.ts'
import { unlistedMs } from './fallen.ts'
import { noteHeadroom } from '../headroomStore.ts'
import { aboutToken, agreeOnShort } from './agreeOnBalances.ts'
import { isShort, judgeOwed, saveJudgement, sumOf, toExact } from './judgeOwed.ts'
import type { OwedStart } from '../owed/owed.ts'
import { noteAssumed, readEscrowToken, saveHoldings, startOwed } from '../owed/owedStore.ts'
import { toNamedStreams } from '../watched/places.ts'
import {
  dropReading,
  dropReadingsBefore,
  type EscrowReading,
  listReadings,
  saveReading,
} from '../flows/readingStore.ts'
import { settleMs } from '../flows/rereadFlow.ts'
import { reviseHeld } from '../watched/held.ts'
import { baselineOf, listHoldings, reviseToken } from '../watched/watch.ts'
import { type EscrowBalances, compare } from './compareReading.ts'

/** How long a reading waits to be judged before it is given up, ms: what it shows is long past then. */
const keptMs = 1_800_000

/** A reading between more blocks than these is too vague. */
const maxSpread = 30

/**
 * Reads what the escrows hold, and judges each reading once the record list has passed its block: does it follow from
 * the balance before and the listed movements, and is it as much as is owed?
 */
export async function pollBalances(of: EscrowBalances, signal: AbortSignal): Promise<void> {
  const holdings = listHoldings(of.watch)
  const byToken = Map.groupBy(holdings, ({ token }) => token)
  if (holdings.length > 0) await readNow(of, byToken, signal)
  for (const [token, places] of byToken) {
    const now = of.clock.now()
    for (const reading of listReadings(of.db, token, now - settleMs)) {
      if (!isRecorded(of, reading)) break
      const isListed = areListed(of, reading, places)
      // What neither lists nor records show yet may be payouts of what left the zone meanwhile.
      const isHidden =
        now - reading.readAt < unlistedMs || isBeyond(of.horizons.read(), 'zone', reading.newestAt)
      if (!isListed && isHidden) break
      await judgeReading(of, { reading, places, isListed }, signal)
    }
  }
}

async function readNow(
  of: EscrowBalances,
  byToken: ReadonlyMap<string, readonly Holding[]>,
  signal: AbortSignal,
): Promise<void> {
  const { balances, commit, db, explorer, isCanonical, watch } = of
  const holdings = [...byToken.values()].flat()
  const height = isCanonical ? await waitForHead(of, signal) : null
  if (isCanonical && height === null) return
  const head = listHeads(db).find(({ chain }) => chain === 'main')
  const headTime = head?.blockTime ?? null
  const aheadMs = partingMs(head, explorer.health().clockAheadMs)
  if (aheadMs === null) return
  const found = await balances.read(holdings, height, signal)
  if (found.high - found.low > maxSpread) return
  // A head that was not read for a while is an old block, whenever its balances are asked for.
  const isOfHead = headTime !== null && found.low === height && found.high === height
  // What left and arrived by then goes by the chains' time: a node that is behind shows the balances of a moment long past.
  const madeAt = isOfHead ? headTime : await askMadeAt(of, found.high, signal)
  if (madeAt === null && found.high < (head?.height ?? 0) - maxSpread)
    throw new MonitorError(
      'source.invalid',
      `The node shows balances of block ${found.high}, far behind the explorer's ${head?.height}, and does not say when that was made.`,
    )
  const readAt = found.readAt - aheadMs
  const read = { ...found, newestAt: Math.min(readAt, madeAt ?? readAt) }
  const byHolding = new Map(holdings.map((holding, at) => [holding, read.balances[at] ?? null]))
  commit({
    mayWait: 'without-news',
    apply: (now) => {
      dropReadingsBefore(db, now - keptMs)
      for (const [token, places] of byToken) {
        reviseToken(watch, token)
        noteAssumed(db, token, baselineOf(watch, token) === null)
        const held = places.map((place) => [place.address, byHolding.get(place) ?? null] as const)
        saveToken(of, token, held, read, now)
        reviseHeld(watch, token)
      }
      return []
    },
  })
}

/** Null where the node does not say it: of a block near the head that makes no difference. */
async function askMadeAt(
  { balances }: Pick<EscrowBalances, 'balances'>,
  height: number,
  signal: AbortSignal,
): Promise<UnixMs | null> {
  try {
    return await balances.timeOf(height, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof MonitorError) return null
    throw error
  }
}

interface NewestRead extends BalanceRead {
  readonly newestAt: UnixMs
}

function saveToken(
  of: EscrowBalances,
  token: string,
  held: readonly (readonly [address: string, balance: bigint | null])[],
  read: NewestRead,
  now: UnixMs,
): void {
  const balances: Record<string, bigint> = {}
  for (const [address, balance] of held) {
    // One that is not known makes the whole unknown.
    if (balance === null) return
    balances[address] = balance
  }
  const { low, high, readAt, newestAt } = read
  const total = sumOf(balances)
  saveHoldings(of.db, token, total, readAt)
  if (readEscrowToken(of.db, token)?.start === null) {
    start(of, token, total, read)
    openAccounts(of, token, now)
  }
  saveReading(of.db, { token, low, high, readAt, newestAt, balances })
}

/** Counting begins with the first balance that is known to be of one block, or with a configured baseline. */
function start(of: EscrowBalances, token: string, total: bigint, read: NewestRead): void {
  const { db, watch, baselineSince } = of
  const configured = baselineOf(watch, token)
  const isExact = read.low === read.high
  const first: OwedStart = { height: read.high, time: read.newestAt }
  if (configured === null) return isExact ? startOwed(db, token, first, total) : undefined
  if (baselineSince !== null) return startOwed(db, token, { height: null, time: baselineSince }, configured)
  if (isExact) startOwed(db, token, first, configured)
}

/** Whether the history was filled, and the record list has passed a reading. */
function isRecorded({ cursors, list }: EscrowBalances, reading: EscrowReading): boolean {
  return cursors.read().history.done && list.readAt !== null && list.readAt >= reading.readAt
}

/** Whether the lists of movements have passed a reading's block. */
function areListed(
  { db, watch }: EscrowBalances,
  reading: EscrowReading,
  places: readonly Holding[],
): boolean {
  return places.every((place) => {
    const ids = toNamedStreams(watch, place.address).map(({ id }) => id)
    return (lowestCursor(db, ids) ?? -1) >= reading.high
  })
}

interface Judging {
  readonly reading: EscrowReading
  readonly places: readonly Holding[]
  /** Else what is owed is all that it can be held against: records say that, whatever the lists of movements show. */
  readonly isListed: boolean
}

async function judgeReading(
  of: EscrowBalances,
  { reading, places, isListed }: Judging,
  signal: AbortSignal,
): Promise<void> {
  if (isListed) for (const place of places) await compare(of, reading, place, signal)
  const judged = await judgeOwed(of, { reading, places }, signal)
  const isLacking = judged !== null && isShort(toExact(of.db, reading, judged))
  // Less than is owed is said as soon as as many sources say so as have to.
  const mayAccuse = isLacking && (await agreeOnShort(of, { reading, places, judged }, signal))
  of.commit({
    mayWait: 'without-news',
    apply: () => {
      const exact = judged && toExact(of.db, reading, judged)
      if (exact && (mayAccuse || !isShort(exact))) saveJudgement(of.db, reading.token, exact)
      if (exact && !isShort(exact)) settleWords(of.db, 'balance', aboutToken(reading.token))
      if (isListed) noteHeadroom(of, reading, places)
      dropReading(of.db, reading.id)
      return []
    },
  })
}
