import type { MainBlock } from '../../kernel/reads/mainBlocks.ts'

/** The main chain as one source showed it: the hash of each block that it showed, or named as a parent. */
export interface ShownChain {
  readonly hashes: Map<number, string>
  /** The highest height of them; -1 before the first. */
  tip: number
}

/** Blocks that the source showed and that are others by now. */
export interface Reorg {
  /** How many blocks are known to be replaced: from the lowest of them to the highest that was shown. */
  readonly depth: number
  /** Blocks in between that were not read may be replaced too: at most so many; null when none is known that stayed. */
  readonly depthAtMost: number | null
  readonly fromHeight: number
  readonly toHeight: number
  /** The hash of the lowest one, before and now. */
  readonly before: string
  readonly after: string
}

/** How many heights are remembered. */
export const keptHeights = 256

export function createShownChain(hashes: Iterable<readonly [number, string]> = []): ShownChain {
  const known = new Map(hashes)
  return { hashes: known, tip: Math.max(-1, ...known.keys()) }
}

type Hashes = Pick<MainBlock, 'height' | 'hash' | 'parentHash'>

/** Whether a block, or its parent, is another than the one that was shown. */
export function contradicts({ hashes }: ShownChain, { height, hash, parentHash }: Hashes): boolean {
  const isOther = (shown: string | undefined, given: string) => shown !== undefined && shown !== given
  return (
    isOther(hashes.get(height), hash) || (parentHash !== null && isOther(hashes.get(height - 1), parentHash))
  )
}

/** Whether what lies above the tip does not say that it stands on it: blocks in between were not shown, or its parent is not said. */
export function leavesHole({ hashes, tip }: ShownChain, { height, parentHash }: Hashes): boolean {
  return tip >= 0 && height > tip && (parentHash === null || !hashes.has(height - 1))
}

export function addBlock(chain: ShownChain, { height, hash, parentHash }: Hashes): void {
  const { hashes } = chain
  if (parentHash !== null && height > 0) hashes.set(height - 1, parentHash)
  hashes.set(height, hash)
  chain.tip = Math.max(chain.tip, height)
  if (hashes.size <= keptHeights) return
  for (const old of hashes.keys()) if (old <= chain.tip - keptHeights) hashes.delete(old)
}

/**
 * Replaces what a block contradicts, down to the highest block that stayed.
 * @param readAt the chain as it is now at a height; its reading ends the walk when it throws, and nothing was changed
 */
export async function replaceBlocks(
  chain: ShownChain,
  block: Hashes,
  readAt: (height: number) => Promise<Hashes | null>,
): Promise<Reorg> {
  const now = createShownChain()
  addBlock(now, block)
  const shown = [...chain.hashes].filter(([height]) => height <= block.height).toSorted(([a], [b]) => b - a)
  let lowest = { height: block.height, before: chain.hashes.get(block.height) ?? '', after: block.hash }
  let stayed: number | null = null
  for (const [height, before] of shown) {
    if (!now.hashes.has(height)) {
      const read = await readAt(height)
      if (read !== null) addBlock(now, read)
    }
    const after = now.hashes.get(height)
    // One that cannot be read says nothing of those below it.
    if (after === undefined) continue
    if (after === before) {
      stayed = height
      break
    }
    lowest = { height, before, after }
  }
  const { tip } = chain
  for (const height of chain.hashes.keys()) if (height >= lowest.height) chain.hashes.delete(height)
  for (const [height, hash] of now.hashes) chain.hashes.set(height, hash)
  chain.tip = Math.max(...now.hashes.keys())
  const toHeight = Math.max(tip, lowest.height)
  return {
    depth: toHeight - lowest.height + 1,
    depthAtMost: stayed === null ? null : toHeight - stayed,
    fromHeight: lowest.height,
    toHeight,
    before: lowest.before,
    after: lowest.after,
  }
}
