import type { Kernel } from '../../kernel/kernel.ts'
import type { MainBlock } from '../../kernel/mainBlocks.ts'
import { chainReorg, toReorgFound } from './reorg.ts'
import { addBlock, contradicts, leavesHole, replaceBlocks, type ShownChain } from './shownChain.ts'
import { type ReorgBook, saveBook } from './store.ts'

type Source = MainBlock['source']
type Shown = Omit<MainBlock, 'source'>

export interface Watched {
  readonly source: Source
  readonly chain: ShownChain
  /** Blocks that were shown and not compared yet, in the order in which they came. */
  queue: MainBlock[]
}

/** More are shown in one interval by no chain. */
const mostQueued = 1_000

/** Keeps a block that is news for the next comparison: what was shown before costs a look. */
export function noteBlock(watched: Watched, block: MainBlock): void {
  const { chain, queue } = watched
  if (chain.hashes.get(block.height) === block.hash || queue.at(-1)?.hash === block.hash) return
  queue.push(block)
  if (queue.length > mostQueued) queue.shift()
}

/** Compares the blocks that were shown since the last run; what was replaced is reported, and counted. */
export async function compareBlocks(
  kernel: Pick<Kernel, 'clock' | 'commit' | 'db' | 'reads' | 'rpcs'>,
  watched: Watched,
  book: ReorgBook,
  signal: AbortSignal,
): Promise<void> {
  const { chain, source } = watched
  const readAt = (height: number) => readBlock(kernel, watched, height, signal)
  for (let block = watched.queue[0]; block !== undefined; block = watched.queue[0]) {
    let other: Shown | null = contradicts(chain, block) ? block : null
    if (other === null && leavesHole(chain, block)) {
      const tip = await readAt(chain.tip)
      if (tip !== null && contradicts(chain, tip)) other = tip
    }
    if (other !== null) {
      const reorg = await replaceBlocks(chain, other, readAt)
      const at = kernel.clock.now()
      book.reorgs.push({ ...reorg, source, at })
      book.counts[source] = (book.counts[source] ?? 0) + 1
      kernel.commit({
        apply: () => (saveBook(kernel.db, book), [chainReorg.raise(toReorgFound(reorg, source, at))]),
      })
    }
    addBlock(chain, block)
    // What could not be compared stays, and is retried.
    watched.queue = watched.queue.slice(1)
  }
}

async function readBlock(
  { rpcs, reads }: Pick<Kernel, 'reads' | 'rpcs'>,
  { chain, queue, source }: Watched,
  height: number,
  signal: AbortSignal,
): Promise<Shown | null> {
  if (source === 'explorer') {
    await reads.mainBlock(height, { priority: 'heads', signal })
    const isNow = queue.findLast((block) => block.height === height)
    const shown = chain.hashes.get(height)
    // What is as it was shown is not queued.
    return isNow ?? (shown === undefined ? null : { height, hash: shown, parentHash: null })
  }
  const block = await rpcs[source]?.call('eth_getBlockByNumber', [height, false], { signal })
  if (!block || block.number === null || block.hash === null) return null
  return { height: block.number, hash: block.hash, parentHash: block.parentHash }
}
