import { isAbsent, noteReading, notYetAbsent } from '../../clients/explorer/absence.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { type BridgeGap, dropGap, listGaps, readProgress, saveGap, saveProgress } from './progressStore.ts'
import type { BlockSpan } from '../../kernel/contractReads.ts'
import type { FollowDeps } from './followContract.ts'
import { maxSpanBlocks, readSpan, type SpanRead } from '../../kernel/readSpan.ts'
import type { ExplorerReads, ReadOptions } from '../../kernel/reads.ts'

export interface HistoryDeps extends FollowDeps {
  readonly blocks: Pick<ExplorerReads, 'mainBlock'>
  /** Logs from before this are of no interest. */
  readonly since: UnixMs
}

const gapsPerRun = 4
const assumedBlockMs = 1_000
const retryMs = 15_000
const maxRetryMs = 3_600_000
/** Where nothing can serve as a control question, an empty range is asked for so often, ever more rarely. */
const maxUncontrolled = 16

/** Reads what the newest logs are not: ranges that were missed, oldest attempt first, and a piece of the past. */
export async function readContractHistory(
  deps: HistoryDeps,
  address: string,
  signal: AbortSignal,
): Promise<void> {
  const options: ReadOptions = { priority: 'sweep', signal }
  for (const gap of listGaps(deps.db, address, deps.clock.now(), gapsPerRun)) {
    await readGap(deps, address, gap, options)
  }
  await readPast(deps, address, { priority: 'bulk', signal })
}

async function readGap(
  deps: HistoryDeps,
  address: string,
  gap: BridgeGap,
  options: ReadOptions,
): Promise<void> {
  const read = await readSpan(deps.reads, address, gap, options, 1)
  const isEmpty = read.logs.length === 0 && read.missed.length === 0
  const noted = isEmpty ? noteReading(gap.empty, { kind: 'absent', at: read.requestedAt }) : notYetAbsent
  const controlAt = isEmpty ? await askControl(deps, address, options) : null
  const empty = controlAt === null ? noted : noteReading(noted, { kind: 'control', at: controlAt })
  const isGivenUp = isEmpty && empty.controlAt === null && gap.attempts >= maxUncontrolled
  const retryAt = deps.clock.now() + Math.min(retryMs * 2 ** Math.min(gap.attempts, 10), maxRetryMs)
  deps.commit({
    bad: read.bad,
    apply: (now) => {
      const findings = deps.takeLogs(address, read.logs, now)
      dropGap(deps.db, gap.id)
      if (isEmpty && (isAbsent(noted) || isGivenUp)) return findings
      for (const span of stillOpen(gap, read)) {
        const { first, last } = span
        saveGap(deps.db, address, { first, last, attempts: gap.attempts + 1, retryAt, empty })
      }
      noteHeight(deps, address, read)
      return findings
    },
  })
}

/** Where nothing at all was found an empty piece proves nothing: the range stays open, in halves when it failed. */
function stillOpen(gap: BlockSpan, read: SpanRead): readonly BlockSpan[] {
  if (read.logs.length > 0) return read.missed
  if (read.missed.length === 0 || gap.first === gap.last) return [gap]
  const middle = gap.first + Math.floor((gap.last - gap.first) / 2)
  return [
    { first: gap.first, last: middle },
    { first: middle + 1, last: gap.last },
  ]
}

/** One more piece of the past, until blocks are older than what is of interest. */
async function readPast(deps: HistoryDeps, address: string, options: ReadOptions): Promise<void> {
  const { historyFrom } = readProgress(deps.db, address)
  if (historyFrom === null) return
  if (historyFrom <= 0) return setHistory(deps, address, null)
  const span = { first: Math.max(0, historyFrom - maxSpanBlocks), last: historyFrom - 1 }
  if (await isTooOld(deps, span.last, options)) return setHistory(deps, address, null)
  const read = await readSpan(deps.reads, address, span, options)
  const unread = read.logs.length === 0 ? [span] : read.missed
  deps.commit({
    bad: read.bad,
    apply: (now) => {
      const findings = deps.takeLogs(address, read.logs, now)
      for (const gap of unread) saveGap(deps.db, address, { ...gap, attempts: 1, retryAt: now + retryMs })
      noteHeight(deps, address, read)
      saveProgress(deps.db, address, { ...readProgress(deps.db, address), historyFrom: span.first })
      return findings
    },
  })
}

/** Where the block itself does not say, blocks of a second are assumed, twice as many as that makes. */
async function isTooOld(deps: HistoryDeps, height: number, options: ReadOptions): Promise<boolean> {
  const block = await deps.blocks.mainBlock(height, options)
  if (typeof block !== 'string' && block.blockTime !== null) return block.blockTime < deps.since
  const behind = (deps.readMainHeight() ?? height) - height
  return behind * assumedBlockMs > 2 * (deps.clock.now() - deps.since)
}

function setHistory(deps: HistoryDeps, address: string, historyFrom: number | null): void {
  deps.commit({
    apply: () => {
      saveProgress(deps.db, address, { ...readProgress(deps.db, address), historyFrom })
      return []
    },
  })
}

/** The first log that is known at all becomes the control question. */
function noteHeight(deps: HistoryDeps, address: string, read: SpanRead): void {
  const progress = readProgress(deps.db, address)
  if (read.logs.length === 0 || progress.lastLogHeight !== null) return
  const lastLogHeight = Math.max(...read.logs.map(({ height }) => height))
  saveProgress(deps.db, address, { ...progress, lastLogHeight })
}

async function askControl(deps: HistoryDeps, address: string, options: ReadOptions): Promise<UnixMs | null> {
  const { lastLogHeight } = readProgress(deps.db, address)
  if (lastLogHeight === null) return null
  const read = await readSpan(deps.reads, address, { first: lastLogHeight, last: lastLogHeight }, options)
  return read.logs.length > 0 ? read.requestedAt : null
}
