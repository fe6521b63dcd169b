import type { ZoneBlock } from '../../clients/explorer/endpoints/blocks.ts'
import type { ZoneBlockTransaction } from '../../clients/explorer/endpoints/zoneBlockTransactions.ts'
import type { Observation } from '../../bridge/observation.ts'
import { type ActionCounts, meansWithdrawal, type SeenActions } from '../../ledger/withdrawActions.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { AuditReads } from './reads.ts'
import type { Commit, ReadOptions } from '../../kernel/reads.ts'

export interface ZoneAuditDeps {
  readonly clock: Clock
  readonly reads: Pick<AuditReads, 'zoneBlockPage' | 'zoneBlock'>
  readonly commit: Commit
  /** Requests that one run may make: a stated share of the pace. */
  readonly requests: number
  readonly settleMs: () => number
  /** The time that the zone's head, as read, has passed; null while it was not read. */
  zoneReadAt(): UnixMs | null
  readonly random: () => number
  actionsOf(actionType: string): ActionCounts
  countAction(actionType: string, more: Partial<SeenActions>): void
  /** Whether the ledger holds a withdrawal of this zone transaction. */
  hasWithdrawal(zoneHash: string): boolean
  /** Puts an action down to be asked for by hash, inside a commit. @returns whether it is new */
  suspect(action: Observation): boolean
  /** Inside a commit. */
  noteBlocks(at: UnixMs, blocks: { read: number; first: number; last: number }): void
}

/** Blocks come so fast, as far as is known, before any was read. */
const guessedBlocksPerSecond = 10
/** As many as hold the blocks that come between two runs. */
const pagesPerRun = 3
/** A page may be moved by so much in one run, towards the blocks whose time is just over. */
const maxStep = 20

/**
 * Looks into a sample of the zone's blocks for withdrawals that no record tells of: the only way to see one that the
 * list hides. Blocks are picked by chance among those that records have had the time to follow, so that nobody can
 * choose one that is not looked into.
 */
export function createZoneAuditPoll(deps: ZoneAuditDeps): (signal: AbortSignal) => Promise<void> {
  let page: number | null = null
  let examined = 0

  /** Blocks of a page that have had their time and were not picked from before. */
  async function readFresh(number: number, options: ReadOptions): Promise<ZoneBlock[]> {
    const { records, requestedAt, limit } = await deps.reads.zoneBlockPage(number, options)
    // By the clock: requests are numbered on from before it was set back.
    const until = Math.min(requestedAt, deps.clock.now()) - deps.settleMs()
    if (number === page) page = Math.max(1, number + stepOf(records, until, limit))
    return records.filter(({ time, height }) => time !== null && time <= until && height > examined)
  }

  return async (signal) => {
    if (deps.zoneReadAt() === null) return
    const options = { priority: 'bulk', signal } as const
    page ??= Math.ceil((deps.settleMs() / 1_000) * (guessedBlocksPerSecond / 100)) + 1
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
    for (const block of pick(busy, Math.max(1, deps.requests - pagesPerRun), deps.random)) {
      if (await auditBlock(deps, block, options)) read += 1
    }
    const blocks = { read, first: Math.min(...heights), last: Math.max(...heights) }
    const at = fresh[0]?.time ?? deps.clock.now()
    deps.commit({ apply: () => (deps.noteBlocks(at, blocks), []) })
  }
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
async function auditBlock(deps: ZoneAuditDeps, block: ZoneBlock, options: ReadOptions): Promise<boolean> {
  const { records, bad, complete } = await deps.reads.zoneBlock(block.height, options)
  deps.commit({
    bad,
    apply: () => {
      for (const transaction of records) judgeAction(deps, transaction, block)
      return []
    },
  })
  return complete
}

function judgeAction(deps: ZoneAuditDeps, transaction: ZoneBlockTransaction, block: ZoneBlock): void {
  const { actionType, status, hash } = transaction
  if (actionType === '' || status !== 'success') return
  const counts = deps.actionsOf(actionType)
  if (deps.hasWithdrawal(hash)) return deps.countAction(actionType, { matched: 1 })
  deps.countAction(actionType, { unmatched: 1 })
  if (meansWithdrawal(counts)) deps.suspect(toAction(transaction, block))
}

/** The observation that an action is while no record tells of it: who is paid, and what, its record will say. */
function toAction(transaction: ZoneBlockTransaction, block: ZoneBlock): Observation {
  return {
    source: 'chain',
    requestedAt: transaction.requestedAt,
    id: null,
    direction: 'ZoneToMain',
    crossType: '',
    status: 'unknown',
    mainHash: null,
    mainHeight: null,
    mainTime: null,
    zoneHash: transaction.hash,
    zoneHeight: transaction.height ?? block.height,
    zoneTime: transaction.time ?? block.time,
    from: '',
    to: '',
    sourceAddress: transaction.from,
    targetAddress: '',
    value: transaction.value,
    amountRaw: transaction.amountRaw,
    token: '',
    tokenType: '',
    tokenId: '',
    tokenName: '',
    zoneEventIndex: null,
    zoneBlockHash: transaction.blockHash,
    batchDetail: null,
    updateTime: null,
    pushHeight: null,
    logIndex: '',
  }
}

/** So many of them, by chance. */
function pick<T>(all: readonly T[], count: number, random: () => number): T[] {
  const left = [...all]
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [one] = left.splice(Math.floor(random() * left.length), 1)
    return one as T
  })
}
