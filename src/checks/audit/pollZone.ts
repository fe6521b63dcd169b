import type { Direction, Observation } from '../../bridge/observation.ts'
import type { ZoneBlock } from '../../clients/explorer/endpoints/blocks.ts'
import type { ZoneBlockTransaction } from '../../clients/explorer/endpoints/zoneBlockTransactions.ts'
import { listHeads } from '../../kernel/heads/heads.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ReadOptions } from '../../kernel/reads/reads.ts'
import { countTaught, meansCredit, meansWithdrawal } from '../../ledger/lessons/withdrawActions.ts'
import { countAction, readActions } from '../../ledger/lessons/zoneActions.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { AuditReads } from './reads.ts'
import { addLack, toLack } from './store.ts'
import { toZoneAction } from './zoneAction.ts'
import { noteZoneBlocks } from './zoneStore.ts'

interface ZoneAudit
  extends Pick<
    Kernel,
    | 'clock'
    | 'commit'
    | 'config'
    | 'db'
    | 'horizons'
    | 'learned'
    | 'ledger'
    | 'random'
    | 'settleMs'
    | 'tellSince'
  > {
  readonly reads: Pick<AuditReads, 'zoneBlockPage' | 'zoneBlock'>
  /** Whether a node shows every block: the sample then teaches what actions mean, and is no coverage. */
  readonly isWhole: boolean
}

/** The share of the pace that the audit takes, and how many requests one run makes at most. */
const zoneShare = 0.1
export const zoneTickMs = 30_000
/** The same where a node shows every block. */
export const taughtTickMs = 300_000
const maxZoneRequests = 30
/** Blocks come so fast, as far as is known, before any was read. */
const guessedBlocksPerSecond = 10
/** As many as hold the blocks that come between two runs. */
const pagesPerRun = 3
/** A page may be moved by so much in one run, towards the blocks whose time is just over. */
const maxStep = 20

/**
 * Looks into a sample of the zone's blocks for withdrawals, and credits of deposits, that have no record: the only way to
 * see one that the list hides. Blocks are picked by chance among those that records have had the time to follow, so that nobody can
 * choose one that is not looked into.
 */
export function createZoneAuditPoll(zone: ZoneAudit): (signal: AbortSignal) => Promise<void> {
  let page: number | null = null
  let examined = 0

  /** Blocks of a page that have had their time and were not picked from before. */
  async function readFresh(number: number, options: ReadOptions): Promise<ZoneBlock[]> {
    const { records, requestedAt, limit } = await zone.reads.zoneBlockPage(number, options)
    // By the clock: requests are numbered on from before it was set back.
    const until = Math.min(requestedAt, zone.clock.now()) - zone.settleMs()
    if (number === page) page = Math.max(1, number + stepOf(records, until, limit))
    return records.filter(({ time, height }) => time !== null && time <= until && height > examined)
  }

  return async (signal) => {
    if (!isHeadRead(zone)) return
    const options = { priority: 'bulk', signal } as const
    page ??= Math.ceil((zone.settleMs() / 1_000) * (guessedBlocksPerSecond / 100)) + 1
    const first = page
    const found: ZoneBlock[] = []
    for (let back = pagesPerRun - 1; back >= 0; back -= 1)
      found.push(...(await readFresh(first + back, options)))
    const fresh = [...new Map(found.map((block) => [block.height, block])).values()]
    if (fresh.length === 0) return
    const heights = fresh.map(({ height }) => height)
    examined = Math.max(examined, ...heights)
    const busy = fresh.filter(({ transactionCount }) => transactionCount !== 0)
    let read = fresh.length - busy.length
    for (const block of pick(busy, Math.max(1, countRequests(zone) - pagesPerRun), zone.random)) {
      if (await auditBlock(zone, block, options)) read += 1
    }
    if (zone.isWhole) return
    const blocks = { read, first: Math.min(...heights), last: Math.max(...heights) }
    const at = fresh[0]?.time ?? zone.clock.now()
    zone.commit({ apply: () => (noteZoneBlocks(zone.db, at, blocks), []) })
  }
}

function isHeadRead({ db }: ZoneAudit): boolean {
  return listHeads(db).some(({ chain, blockTime }) => chain === 'zone' && blockTime !== null)
}

/** Requests that one run may make: a stated share of the pace. */
function countRequests({ config }: ZoneAudit): number {
  const requests = Math.floor(zoneShare * config.explorer.pace.maxRequestsPerSecond * (zoneTickMs / 1_000))
  return Math.min(Math.max(requests, 4), maxZoneRequests)
}

/** Towards the page whose blocks have all had their time, the newest ones just now. */
function stepOf(all: readonly ZoneBlock[], until: UnixMs, limit: number | null): number {
  const times = all.flatMap(({ time }) => time ?? [])
  if (times.length === 0) return -maxStep
  const [newest, oldest] = [Math.max(...times), Math.min(...times)]
  if (oldest > until) return Math.max(1, Math.min(maxStep, Math.ceil(100 / Math.max(limit ?? 100, 1))))
  if (newest > until) return 1
  return until - newest > newest - oldest ? -1 : 0
}

/** @returns whether the block was read whole */
async function auditBlock(zone: ZoneAudit, block: ZoneBlock, options: ReadOptions): Promise<boolean> {
  const { records, bad, complete } = await zone.reads.zoneBlock(block.height, options)
  zone.commit({
    bad,
    apply: () => {
      for (const transaction of records) judgeAction(zone, transaction, block)
      return []
    },
  })
  return complete
}

function judgeAction(zone: ZoneAudit, transaction: ZoneBlockTransaction, block: ZoneBlock): void {
  const { actionType, status, hash } = transaction
  if (actionType === '' || status !== 'success') return
  const { clock, db, learned, ledger, tellSince } = zone
  const known = ledger.listTransfers({ hash, limit: 20 })
  const taught = countTaught(learned, actionType)
  const now = clock.now()
  for (const { direction, word, means } of taught.deposits > 0 ? readings : readings.slice(0, 1)) {
    // While the list has not come so far, nothing follows from a record that is not there.
    if (direction === 'MainToZone' && !isListShown(zone, block)) continue
    const counts = { ...readActions(db, word(actionType)), ...taught }
    const isKnown = known.some((one) => one.direction === direction)
    countAction(db, word(actionType), isKnown ? { matched: 1 } : { unmatched: 1 })
    if (!isKnown && means(counts) && now >= tellSince)
      addLack(db, toLack(toAction(transaction, block, direction), 'action', now))
  }
}

function isListShown({ horizons }: ZoneAudit, { time }: ZoneBlock): boolean {
  return time !== null && time <= (horizons.read().list ?? -Infinity)
}

/** What an action may mean, each counted by itself. */
const readings = [
  { direction: 'ZoneToMain', word: (type: string) => type, means: meansWithdrawal },
  { direction: 'MainToZone', word: (type: string) => `credit ${type}`, means: meansCredit },
] as const

function toAction(
  { requestedAt, hash, height, time, blockHash, from, value, amountRaw }: ZoneBlockTransaction,
  block: ZoneBlock,
  direction: Direction,
): Observation {
  const known = {
    requestedAt,
    zoneHash: hash,
    zoneHeight: height ?? block.height,
    zoneTime: time ?? block.time,
    zoneBlockHash: blockHash,
    sourceAddress: from,
    value,
    amountRaw,
  }
  return toZoneAction(known, direction)
}

/** `count` of them, by chance. */
function pick<T>(all: readonly T[], count: number, random: () => number): T[] {
  const left = [...all]
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [one] = left.splice(Math.floor(random() * left.length), 1)
    return one as T
  })
}
