import type { Transfer } from '../../bridge/transfer.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { MainBlock } from '../../kernel/reads/mainBlocks.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { chainReorg, toReorgFound } from './reorg.ts'
import {
  addBlock,
  contradicts,
  createShownChain,
  keptHeights,
  leavesHole,
  type Reorg,
  replaceBlocks,
  type ShownChain,
} from './shownChain.ts'
import { type ReorgBook, saveBook } from './store.ts'

type Source = MainBlock['source']
type Shown = Omit<MainBlock, 'source'>

export interface Watched {
  readonly source: Source
  /** No other source shows every block: those between two that it was asked for are read as well. */
  readonly fillsHoles: boolean
  chain: ShownChain
  /** Blocks that were shown and not compared yet, in the order in which they came. */
  queue: MainBlock[]
  /** A height so far ahead that another has to agree with it; null without one. */
  ahead: number | null
}

/** What is further ahead may be a slip of the source. */
const mostLeap = 100_000

/** More are shown in one interval by no chain. */
const mostQueued = 1_000
/** How many blocks below a new one are read, so that depths are exact up to there. */
const mostFilled = 32
/** How many reorganisations are remembered: a source that swings between two chains shows ever more. */
const keptReorgs = 50

/** Keeps a block that is news for the next comparison: what was shown before costs a look. */
export function noteBlock(watched: Watched, block: MainBlock): void {
  const { ahead, chain, queue } = watched
  if (chain.hashes.get(block.height) === block.hash || queue.at(-1)?.hash === block.hash) return
  const top = Math.max(chain.tip, queue.at(-1)?.height ?? -1)
  const isLeap = top >= 0 && block.height > top + mostLeap
  watched.ahead = isLeap ? block.height : null
  if (isLeap && (ahead === null || Math.abs(block.height - ahead) > mostLeap)) return
  queue.push(block)
  if (queue.length > mostQueued) queue.shift()
}

type CompareKernel = Pick<Kernel, 'clock' | 'commit' | 'db' | 'ledger' | 'reads' | 'rpcs' | 'trigger'>
type ReadAt = (height: number) => Promise<Shown | null>

/** Compares the blocks that were shown since the last run; what was replaced is reported, and counted. */
export async function compareBlocks(
  kernel: CompareKernel,
  watched: Watched,
  book: ReorgBook,
  signal: AbortSignal,
): Promise<void> {
  const readAt: ReadAt = (height) => readBlock(kernel, watched.source, height, signal)
  for (let block = watched.queue[0]; block !== undefined; block = watched.queue[0]) {
    if (!(await isOfAnotherNode(watched.chain, block, readAt))) {
      const other = await findOther(watched.chain, block, readAt)
      if (other !== null) {
        // What was shown is replaced once that is saved: what could not be saved is found again.
        const next = createShownChain(watched.chain.hashes)
        const reorg = await replaceBlocks(next, other, readAt)
        save(kernel, book, { ...reorg, source: watched.source, at: kernel.clock.now() }, next)
        watched.chain = next
      }
      if (watched.fillsHoles) await fillHole(watched.chain, block, readAt)
      addBlock(watched.chain, block)
    }
    // What could not be compared stays, and is retried.
    watched.queue = watched.queue.slice(1)
  }
}

/** Each block names its parent too: every second one is enough. */
async function fillHole(chain: ShownChain, block: Shown, readAt: ReadAt): Promise<void> {
  if (!leavesHole(chain, block)) return
  const heights: number[] = []
  const lowest = Math.max(chain.tip + 1, block.height - mostFilled)
  for (let height = block.height - 2; height >= lowest; height -= 2) heights.unshift(height)
  const read = await Promise.all(heights.map(readAt))
  for (const between of read) if (between !== null && !contradicts(chain, between)) addBlock(chain, between)
}

/**
 * Whether the source shows what stood above this block as before: behind one address nodes may answer in turn, of which
 * one fell behind on a block that the chain left. It replaces nothing.
 */
async function isOfAnotherNode(chain: ShownChain, block: Shown, readAt: ReadAt): Promise<boolean> {
  if (block.height >= chain.tip || !contradicts(chain, block)) return false
  const tip = await readAt(chain.tip)
  return tip !== null && tip.hash === chain.hashes.get(chain.tip)
}

/** A block that contradicts what was shown: this one, or the newest one as it is now; null when none does. */
async function findOther(chain: ShownChain, block: Shown, readAt: ReadAt): Promise<Shown | null> {
  if (contradicts(chain, block)) return block
  if (!leavesHole(chain, block)) return null
  const tip = await readAt(chain.tip)
  return tip !== null && contradicts(chain, tip) ? tip : null
}

function save(
  kernel: CompareKernel,
  book: ReorgBook,
  reorg: ReorgBook['reorgs'][number],
  chain: ShownChain,
): void {
  const { commit, db } = kernel
  const { source, at } = reorg
  const saved = {
    chains: { ...book.chains, [source]: [...chain.hashes] },
    counts: { ...book.counts, [source]: (book.counts[source] ?? 0) + 1 },
    reorgs: [...book.reorgs, reorg].slice(-keptReorgs),
  }
  commit({
    apply(now) {
      saveBook(db, saved)
      askAgain(kernel, reorg, now)
      return [chainReorg.raise(toReorgFound(reorg, source, at))]
    },
  })
  Object.assign(book, saved)
}

/** What was seen in blocks that were replaced may be in none any more: what transfers were proven by there is asked again. */
function askAgain({ ledger, trigger }: CompareKernel, { depthAtMost, toHeight }: Reorg, now: UnixMs): void {
  const stayed = toHeight - (depthAtMost ?? keptHeights)
  const transfers = [
    ...listAbove(stayed, (limit) => ledger.listTransfers({ direction: 'MainToZone', limit })),
    ...listAbove(stayed, (limit) => ledger.listArrived({ direction: 'ZoneToMain', limit })),
  ]
  for (const transfer of transfers) ledger.askAgain(transfer, now)
  if (transfers.length > 0) trigger('evidence')
}

/** No more transfers are in the blocks that are remembered. */
const mostListed = 12_800

/** Those with a main leg above a height, of a list that has the newest main leg first. */
function listAbove(height: number, list: (limit: number) => readonly Transfer[]): Transfer[] {
  for (let limit = 50; ; limit *= 4) {
    const found = list(limit)
    const oldest = found.at(-1)
    const isPast = oldest !== undefined && (heightOf(oldest) ?? Infinity) <= height
    if (found.length < limit || isPast || limit >= mostListed)
      return found.filter((one) => (heightOf(one) ?? -1) > height)
  }
}

/** Of the main leg, as records say it, or else what showed its transaction; null where nobody does. */
function heightOf({ main, evidence }: Transfer): number | null {
  if (main?.height != null) return main.height
  return evidence.find(({ chain, height }) => chain === 'main' && height != null)?.height ?? null
}

async function readBlock(
  { rpcs, reads }: Pick<Kernel, 'reads' | 'rpcs'>,
  source: Source,
  height: number,
  signal: AbortSignal,
): Promise<Shown | null> {
  if (source === 'explorer') {
    const block = await reads.mainBlock(height, { priority: 'heads', signal })
    // An empty answer says nothing.
    if (typeof block === 'string' || !block.hash) return null
    return { height: block.height, hash: block.hash, parentHash: null }
  }
  const block = await rpcs[source]?.call('eth_getBlockByNumber', [height, false], { signal })
  if (!block || block.number === null || block.hash === null) return null
  return { height: block.number, hash: block.hash, parentHash: block.parentHash }
}
