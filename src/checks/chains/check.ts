import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Poller } from '../../kernel/runner.ts'
import { trackHeight } from '../../kernel/trackHeight.ts'
import { createHeadsPoll } from './poll.ts'
import { chainStalled, type PreconfHeight } from './stalled.ts'

/** The heads of both chains: whether they go on. What they are stands in the shared facts. */
export const chains: Check<object, PreconfHeight> = {
  name: 'chains',
  kinds: [chainStalled],
  open(kernel) {
    const schedule = kernel.config.poll.heads
    const pollers: Poller[] = [{ name: 'heads', schedule, run: createHeadsPoll(kernel) }]
    if (kernel.rpcs.canonical)
      pollers.push({ name: 'canonicalHead', schedule, run: (signal) => readCanonicalHead(kernel, signal) })
    return { pollers, facts: () => ({}) }
  },
}

/** The main head by the canonical RPC, which says it at once where E11 has to be searched. */
async function readCanonicalHead({ clock, mainHead, rpcs }: Kernel, signal: AbortSignal): Promise<void> {
  const at = clock.now()
  const block = await rpcs.canonical?.call('eth_getBlockByNumber', ['latest', false], { signal })
  if (!block || block.number === null) return
  mainHead.canonical = trackHeight(mainHead.canonical, block.number, at)
  if (block.timestamp !== null) clock.noteBlock(block.timestamp * 1_000)
}
