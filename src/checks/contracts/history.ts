import { isAbsent, noteReading, notYetAbsent } from '../../clients/explorer/absence.ts'
import type { BlockSpan } from '../../kernel/reads/contractReads.ts'
import { readHeight } from '../../kernel/heads/heads.ts'
import { maxSpanBlocks, readSpan, type SpanRead } from '../../kernel/reads/readSpan.ts'
import type { ReadOptions } from '../../kernel/reads/reads.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { findBirth } from './findBirth.ts'
import { newestOf, toControl } from './logPlaces.ts'
import { type BridgeGap, dropGap, listGaps, readProgress, saveGap, saveProgress } from './progressStore.ts'
import { takeLogs, type WatchedContract } from './takeLogs.ts'

const gapsPerRun = 4
const assumedBlockMs = 1_000
const retryMs = 15_000
const maxRetryMs = 3_600_000
/** How often an empty range is asked for, ever more rarely, where nothing can serve as a control question. */
const maxUncontrolled = 16

/**
 * Reads what the newest logs of contracts are not: ranges that were missed, and a piece of the past. What a run did not come
 * to, because it ended before, is first in one of the next.
 */
export function createContractHistory(
  contracts: readonly WatchedContract[],
): (signal: AbortSignal) => Promise<void> {
  let turn = 0
  return async (signal) => {
    const first = turn % contracts.length
    const parts = [readGaps, readPast]
    if (Math.floor(turn / contracts.length) % 2 === 1) parts.reverse()
    turn += 1
    for (const contract of [...contracts.slice(first), ...contracts.slice(0, first)])
      for (const read of parts) await read(contract, signal)
  }
}

/** Ranges that were missed, oldest attempt first. */
async function readGaps(contract: WatchedContract, signal: AbortSignal): Promise<void> {
  const options: ReadOptions = { priority: 'sweep', signal }
  for (const gap of listGaps(contract.db, contract.address, contract.clock.now(), gapsPerRun)) {
    await readGap(contract, gap, options)
  }
}

async function readGap(contract: WatchedContract, gap: BridgeGap, options: ReadOptions): Promise<void> {
  const read = await readSpan(contract.contractReads, contract.address, gap, options, 1)
  const isEmpty = read.logs.length === 0 && read.missed.length === 0
  const noted = isEmpty ? noteReading(gap.empty, { kind: 'absent', at: read.requestedAt }) : notYetAbsent
  const controlAt = isEmpty ? await askControl(contract, options) : null
  const empty = controlAt === null ? noted : noteReading(noted, { kind: 'control', at: controlAt })
  const isGivenUp = isEmpty && empty.controlAt === null && gap.attempts >= maxUncontrolled
  const retryAt = contract.clock.now() + Math.min(retryMs * 2 ** Math.min(gap.attempts, 10), maxRetryMs)
  const birth = await findBirth(contract, read.logs, options.signal)
  contract.commit({
    bad: read.bad,
    mayWait: 'without-news',
    apply: (now) => {
      const findings = takeLogs(contract, { ...read, birth }, now)
      dropGap(contract.db, gap.id)
      if (isEmpty && (isAbsent(noted) || isGivenUp)) return findings
      for (const span of stillOpen(gap, read)) {
        const { first, last } = span
        saveGap(contract.db, contract.address, { first, last, attempts: gap.attempts + 1, retryAt, empty })
      }
      noteHeight(contract, read)
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
async function readPast(contract: WatchedContract, signal: AbortSignal): Promise<void> {
  const options: ReadOptions = { priority: 'bulk', signal }
  const { historyFrom } = readProgress(contract.db, contract.address)
  if (historyFrom === null) return
  if (historyFrom <= 0) return setHistory(contract, null)
  const span = { first: Math.max(0, historyFrom - maxSpanBlocks), last: historyFrom - 1 }
  if (await isTooOld(contract, span.last, options)) return setHistory(contract, null)
  const read = await readSpan(contract.contractReads, contract.address, span, options)
  const unread = read.logs.length === 0 ? [span] : read.missed
  const birth = await findBirth(contract, read.logs, options.signal)
  contract.commit({
    bad: read.bad,
    mayWait: 'without-news',
    apply: (now) => {
      const findings = takeLogs(contract, { ...read, birth }, now)
      for (const gap of unread)
        saveGap(contract.db, contract.address, { ...gap, attempts: 1, retryAt: now + retryMs })
      noteHeight(contract, read)
      saveProgress(contract.db, contract.address, {
        ...readProgress(contract.db, contract.address),
        historyFrom: span.first,
      })
      return findings
    },
  })
}

/** Where the block itself does not say, blocks of a second are assumed, twice as many as that makes. */
async function isTooOld(contract: WatchedContract, height: number, options: ReadOptions): Promise<boolean> {
  const block = await contract.reads.mainBlock(height, options)
  if (typeof block !== 'string' && block.blockTime !== null) return block.blockTime < contract.tellSince
  const behind = (readHeight(contract.db, 'main') ?? height) - height
  return behind * assumedBlockMs > 2 * (contract.clock.now() - contract.tellSince)
}

function setHistory(contract: WatchedContract, historyFrom: number | null): void {
  contract.commit({
    apply: () => {
      saveProgress(contract.db, contract.address, {
        ...readProgress(contract.db, contract.address),
        historyFrom,
      })
      return []
    },
  })
}

/** The first log that is known at all becomes the control question. */
function noteHeight(contract: WatchedContract, read: SpanRead): void {
  const progress = readProgress(contract.db, contract.address)
  if (read.logs.length === 0 || progress.lastLogHeight !== null) return
  saveProgress(contract.db, contract.address, { ...progress, ...toControl(newestOf(read.logs)) })
}

async function askControl(contract: WatchedContract, options: ReadOptions): Promise<UnixMs | null> {
  const { lastLogHeight } = readProgress(contract.db, contract.address)
  if (lastLogHeight === null) return null
  const read = await readSpan(
    contract.contractReads,
    contract.address,
    { first: lastLogHeight, last: lastLogHeight },
    options,
  )
  return read.logs.length > 0 ? read.requestedAt : null
}
