import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { MainBlock } from '../../kernel/reads/mainBlocks.ts'
import { compareBlocks, noteBlock, type Watched } from './poll.ts'
import { chainReorg } from './reorg.ts'
import { createShownChain } from './shownChain.ts'
import { readBook, type ReorgBook, saveBook } from './store.ts'

/** How often what was shown is saved: after a restart it is compared with what is shown then. */
const saveMs = 60_000

/** Reorganisations of the main chain, from the blocks that are read anyway. */
export const reorg: Check = {
  name: 'reorg',
  kinds: [chainReorg],
  metrics: [
    {
      type: 'counter',
      name: 'spanwatch_main_reorgs_total',
      help: 'Reorganisations of the main chain that a source has shown.',
      labels: ['source'],
    },
    {
      type: 'gauge',
      name: 'spanwatch_main_reorg_depth_blocks',
      help: 'How many blocks the newest reorganisation replaced, at least.',
      labels: ['source'],
    },
  ],
  open(kernel) {
    const { clock, config, db, log } = kernel
    const book = readBook(db)
    const watched = listSources(kernel).map(
      (source): Watched => ({
        source,
        fillsHoles: source === 'canonical' && !kernel.rpcs.preconf,
        chain: createShownChain(book.chains[source]),
        queue: [],
        ahead: null,
      }),
    )
    kernel.blockListeners.add((block) => {
      for (const one of watched) if (one.source === block.source) noteBlock(one, block)
    })
    let savedAt = clock.monotonicMs()
    const save = () => {
      savedAt = clock.monotonicMs()
      for (const { source, chain } of watched) book.chains[source] = [...chain.hashes]
      kernel.commit({ apply: () => (saveBook(db, book), []) })
    }
    const run = async (signal: AbortSignal) => {
      for (const one of watched) await compareBlocks(kernel, one, book, signal)
      if (clock.monotonicMs() - savedAt >= saveMs) save()
    }
    return {
      pollers: [{ name: 'reorg', schedule: config.poll.heads, run }],
      facts: () => ({}),
      async stop() {
        try {
          save()
        } catch (error) {
          // The end of everything else does not wait for this: a full disk must not keep messages from being sent.
          log.warn({ err: error }, 'the blocks that were shown could not be saved')
        }
      },
      metrics: () => ({
        spanwatch_main_reorgs_total: watched.map(({ source }) => [{ source }, book.counts[source] ?? 0]),
        spanwatch_main_reorg_depth_blocks: watched.flatMap(({ source }) => {
          const newest = book.reorgs.findLast((one) => one.source === source)
          return newest ? [[{ source }, newest.depth] as const] : []
        }),
      }),
      panel: () => ({ id: 'reorg', title: 'Main chain reorganisations', lines: toLines(watched, book) }),
    }
  },
}

/** The sources that show the main chain's blocks; the explorer, which does not say what stands on what, where there is no other. */
function listSources({ rpcs }: Kernel): MainBlock['source'][] {
  const sources: MainBlock['source'][] = []
  if (rpcs.preconf) sources.push('preconf')
  if (rpcs.canonical) sources.push('canonical')
  return sources.length > 0 ? sources : ['explorer']
}

function toLines(watched: readonly Watched[], { counts, reorgs }: ReorgBook) {
  const seen = watched.map(({ source }) => ({
    name: `Seen by ${source}`,
    value: String(counts[source] ?? 0),
  }))
  const newest = reorgs.at(-1)
  const deepest = reorgs.toSorted((one, other) => other.depth - one.depth)[0]
  return [
    ...seen,
    ...(newest ? [{ name: 'Newest', value: describe(newest) }] : []),
    ...(deepest && deepest !== newest ? [{ name: 'Deepest', value: describe(deepest) }] : []),
  ]
}

function describe({ depth, fromHeight, at, source }: ReorgBook['reorgs'][number]): string {
  const time = new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  return `${depth} ${depth === 1 ? 'block' : 'blocks'} from ${fromHeight} on, at ${time} UTC, by ${source}`
}
