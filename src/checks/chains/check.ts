import type { Chain } from '../../bridge/observation.ts'
import type { Rpc } from '../../clients/rpc/createRpc.ts'
import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { askSideBySide } from '../../kernel/running/askSideBySide.ts'
import type { Poller } from '../../kernel/running/runner.ts'
import { intervalOf } from '../../kernel/running/schedule.ts'
import { trackHeight } from '../../kernel/heads/trackHead.ts'
import { chainStalled, type PreconfHeight } from './stalled.ts'
import { readHeight } from '../../kernel/heads/heads.ts'
import type { ExplorerReads, ReadOptions } from '../../kernel/reads/reads.ts'

/** The heads of both chains: whether they go on. What they are stands in the shared facts. */
export const chains: Check<object, PreconfHeight> = {
  name: 'chains',
  kinds: [chainStalled],
  open(kernel) {
    const schedule = kernel.config.poll.heads
    const pollers: Poller[] = [
      { name: 'heads', schedule, run: createHeadsPoll(kernel, intervalOf(schedule)) },
    ]
    const { canonical, zoneRpc } = kernel.rpcs
    if (canonical)
      pollers.push({
        name: 'canonicalHead',
        schedule,
        run: (signal) => readNodeHead(kernel, { chain: 'main', rpc: canonical }, signal),
      })
    if (zoneRpc)
      pollers.push({
        name: 'zoneRpcHead',
        schedule,
        run: (signal) => readNodeHead(kernel, { chain: 'zone', rpc: zoneRpc }, signal),
      })
    return { pollers, facts: () => ({}) }
  },
}

/** A head by the chain's own node, which says it at once where E11 has to be searched. */
async function readNodeHead(
  { clock, nodeHeads }: Pick<Kernel, 'clock' | 'nodeHeads'>,
  { chain, rpc }: { readonly chain: Chain; readonly rpc: Rpc },
  signal: AbortSignal,
): Promise<void> {
  const at = clock.now()
  const block = await rpc.call('eth_getBlockByNumber', ['latest', false], { signal })
  if (!block || block.number === null) return
  nodeHeads[chain] = trackHeight(nodeHeads[chain], block.number, at)
  if (block.timestamp !== null) clock.noteBlock(block.timestamp * 1_000)
}

type HeadsKernel = Pick<Kernel, 'clock' | 'db' | 'ledger' | 'list' | 'nodeHeads' | 'reads' | 'commit'>

/**
 * Reads both heads: the zone's from E5, the main chain's by galloping on E11 from the last known height.
 * @param restMs after so long one is read again while the other takes long
 */
export function createHeadsPoll(kernel: HeadsKernel, restMs: number): (signal: AbortSignal) => Promise<void> {
  let step = 1
  return async (signal) => {
    const options: ReadOptions = { priority: 'heads', signal }
    // Each half is committed by itself: one chain's trouble must not hide the other's head.
    const results = await askSideBySide({ clock: kernel.clock, signal, restMs }, [
      () => readZone(kernel, options),
      async () => {
        step = Math.max(1, (await readMain(kernel, options, step)) ?? step)
      },
    ])
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }
}

async function readZone(kernel: HeadsKernel, options: ReadOptions): Promise<void> {
  const head = await kernel.reads.zoneHead(options)
  if (head) kernel.commit({ heads: [{ ...head, chain: 'zone' }], mayWait: 'without-news' })
}

/** @returns how far the head moved, as the next gallop's first step */
async function readMain(kernel: HeadsKernel, options: ReadOptions, step: number): Promise<number | null> {
  const read = (height: number) => kernel.reads.mainBlock(height, options)
  const before = readHeight(kernel.db, 'main')
  // What a record says may be wrong.
  const named = kernel.ledger.highestHeight('main') ?? firstHeight(kernel)
  const known = before === null && named === null ? null : Math.max(before ?? 0, named ?? 0)
  if (known === null) return null
  // A record may name a block above the last head: the head is expected where it moves to, not so far above that.
  const guess = Math.max(1, (before ?? known) + step - known)
  const found =
    (await gallop(read, known, guess)) ?? (await searchBelow(read, { before, named: known, step }))
  if (found) kernel.commit({ heads: [{ ...found, chain: 'main' }], mayWait: 'without-news' })
  return found ? found.height - (before ?? found.height) : null
}

/** Where a head is looked for that no record names: of a bridge that nobody has used yet from the chain's begin on. */
function firstHeight({ list, nodeHeads }: Pick<HeadsKernel, 'list' | 'nodeHeads'>): number | null {
  return nodeHeads.main?.height ?? (list.readAt === null ? null : 0)
}

/**
 * A record may name a height that the explorer has not reached, or that never was; and the explorer itself may stand
 * lower than it did. Then the head is looked for from where it was read last, and else downwards, in steps that double.
 */
async function searchBelow(
  read: (height: number) => Promise<BlockAnswer>,
  from: { readonly before: number | null; readonly named: number; readonly step: number },
): ReturnType<typeof gallop> {
  const { before, named, step } = from
  if (before !== null) {
    const found = before < named ? await gallop(read, before, step) : null
    // An empty answer says nothing: only a block that is said to lie beyond the head does.
    if (found !== null || (await read(before)) !== 'beyond') return found
  }
  const known = before ?? named
  for (let down = 1, height = known; height > 0; down *= 2) {
    height = Math.max(0, known - down)
    const answer = await read(height)
    if (typeof answer !== 'string') return gallop(read, height, Math.ceil(down / 2))
    if (answer === 'unknown' && before !== null) return null
  }
  return null
}

type BlockAnswer = Awaited<ReturnType<ExplorerReads['mainBlock']>>

/**
 * The highest block from `known` on that can be read. The first step is a guess of the distance, mostly off by one;
 * from where it lands steps double, up while blocks are there, else down, and what lies between the last one there and
 * the first one beyond is halved.
 * Without any (an answer may be only empty) the known block itself is asked for: when it answers, the head was read
 * and has not moved as far as can be seen.
 */
export async function gallop(
  read: (height: number) => Promise<BlockAnswer>,
  known: number,
  guess: number,
): Promise<Exclude<BlockAnswer, string> | null> {
  let best: Exclude<BlockAnswer, string> | null = null
  let low = known
  let high = Infinity
  for (let probe = known + guess, up = 1, down = 1; high - low > 1; ) {
    const block = await read(probe)
    if (typeof block === 'string') high = probe
    else {
      best = block
      low = probe
    }
    if (high === Infinity) {
      probe = low + up
      up *= 2
    } else if (best === null) {
      probe = Math.max(low + 1, high - down)
      down *= 2
    } else probe = low + Math.floor((high - low) / 2)
  }
  if (best) return best
  const block = await read(known)
  return typeof block === 'string' ? null : block
}
