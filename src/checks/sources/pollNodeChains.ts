import type { Kernel } from '../../kernel/kernel.ts'
import { neededBlocks, type Settled } from '../../kernel/heads/nodeChains.ts'
import { waitForHead } from '../../kernel/heads/waitForHead.ts'
import type { Database } from '../../store/database.ts'
import { hash } from '../../store/hash.ts'

type Comparing = Pick<Kernel, 'clock' | 'db' | 'nodeChains' | 'reads'>

/** What lies so far below the head is replaced by no reorganisation: two epochs of Ethereum. */
const depth = 64
/** Settled blocks do not change; those of an explorer that did are read sooner while one of the two is wrong. */
const keptMs = 600_000
const keptWhileForeignMs = 60_000

/** Compares settled blocks of the main chain by its nodes with the explorer's, which are asked for rarely. */
export function createNodeChainsPoll(kernel: Comparing): (signal: AbortSignal) => Promise<void> {
  const { clock, nodeChains } = kernel
  let blocks: Settled['blocks'] = []
  let readAt = Number.NEGATIVE_INFINITY
  return async (signal) => {
    try {
      const kept = nodeChains.isAnyForeign() ? keptWhileForeignMs : keptMs
      const read = clock.monotonicMs() - readAt < kept ? [] : await readSettled(kernel, signal)
      if (read.length > 0) {
        blocks = read
        readAt = clock.monotonicMs()
      }
      await nodeChains.compare({ blocks, transactions: listSettled(kernel.db) }, signal)
    } finally {
      nodeChains.isPending = false
    }
  }
}

const mostTransactions = 5

/** Main transactions of the transfers that were seen first. */
function listSettled(db: Database): string[] {
  const sql = `SELECT main_hash FROM transfers WHERE key <= (SELECT min(key) FROM transfers) + 1000 AND state = 'completed'
    AND main_hash IS NOT NULL ORDER BY key LIMIT ?`
  return hash.all(db, sql, mostTransactions)
}

async function readSettled(kernel: Comparing, signal: AbortSignal): Promise<Settled['blocks']> {
  const head = await waitForHead(kernel, signal)
  const lowest = (head ?? 0) - depth - neededBlocks + 1
  if (lowest < 0) return []
  const found: Settled['blocks'][number][] = []
  for (let height = lowest; height < lowest + neededBlocks; height += 1) {
    const block = await kernel.reads.mainBlock(height, { priority: 'heads', signal })
    if (typeof block === 'string' || !block.hash || !/^0x[0-9a-f]{64}$/.test(block.hash)) return []
    found.push({ height, hash: block.hash })
  }
  return found
}
