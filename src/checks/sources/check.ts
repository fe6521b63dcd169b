import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Poller } from '../../kernel/running/runner.ts'
import { listContradictions, purgeWords } from '../../kernel/sources/sourceWords.ts'
import { sourceDiffers } from './differs.ts'
import { sourceDrift } from './drift.ts'
import { givenSources, type SourcesPart } from './facts.ts'
import { judgeWords, sourceNewWord } from './newWord.ts'
import { compareMs, type Compared, createComparePoll, listGroups, listPossible } from './pollCompare.ts'
import { createNodeChainsPoll } from './pollNodeChains.ts'
import { sourceRejected } from './rejected.ts'
import { sourceSuspicious } from './suspicious.ts'
import { sourceUnavailable } from './unavailable.ts'

/** What sources contradict each other about is asked again within this, as long as somebody accuses. */
const keptMs = 86_400_000

/** Whether the sources answer, with what can be read and believed, and whether several of one chain say the same. */
export const sources: Check<SourcesPart> = {
  name: 'sources',
  kinds: [sourceUnavailable, sourceRejected, sourceDrift, sourceSuspicious, sourceDiffers, sourceNewWord],
  given: givenSources,
  open(kernel) {
    const { db, tellSince } = kernel
    const groups = listGroups(kernel)
    const compared: Compared = { differences: null, possible: listPossible(groups) }
    const run = createComparePoll(kernel, compared)
    const isSeveral = groups.length > 0
    const nodePollers = isSeveral ? [] : listNodePollers(kernel)
    return {
      pollers: isSeveral ? [{ name: 'compare', schedule: compareMs, isBackground: true, run }] : nodePollers,
      start() {
        kernel.nodeChains.isPending = nodePollers.length > 0
      },
      facts: () => ({ differences: { ...compared, contradictions: listContradictions(db) } }),
      prune: (now) => purgeWords(db, now - keptMs),
      onRecords: ({ changes }, now) => judgeWords(db, changes, { tellSince, now }),
    }
  },
}

/** Where there are no others to take its place a node of another chain is asked nothing. */
function listNodePollers(kernel: Kernel): Poller[] {
  const { config, rpcs } = kernel
  if (rpcs.canonical === null && rpcs.preconf === null) return []
  return [{ name: 'compare', schedule: config.poll.heads, run: createNodeChainsPoll(kernel) }]
}
