import type { Check } from '../../kernel/check.ts'
import { readHeight } from '../../kernel/heads.ts'
import { createHeadsPoll } from './poll.ts'
import { chainStalled, type PreconfHeight } from './stalled.ts'

/** The heads of both chains: whether they go on. What they are stands in the shared facts. */
export const chains: Check<object, PreconfHeight> = {
  name: 'chains',
  kinds: [chainStalled],
  open(kernel) {
    const run = createHeadsPoll({
      ...kernel,
      readMainHeight: () => readHeight(kernel.db, 'main'),
      namedMainHeight: () => kernel.ledger.highestHeight('main'),
    })
    return { pollers: [{ name: 'heads', schedule: kernel.config.poll.heads, run }], facts: () => ({}) }
  },
}
