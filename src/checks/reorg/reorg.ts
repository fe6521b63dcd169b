import { z } from 'zod'
import { declareFacts, defineRaised, type Found } from '../../rules/kind.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { MainBlock } from '../../kernel/reads/mainBlocks.ts'
import type { Reorg } from './shownChain.ts'

const facts = declareFacts({
  depth: 'int',
  depthAtMost: 'int|null',
  fromHeight: 'int',
  toHeight: 'int',
  before: 'string',
  after: 'string',
  source: ['preconf', 'canonical', 'explorer'],
})

/** Raised by the poller that compares the blocks. */
export const chainReorg = defineRaised({
  kind: 'chain.reorg',
  nature: 'event',
  raisedBy: 'app',
  docs: 'The main chain replaced more blocks than the rule gives.',
  remedy:
    'Look up the transfers of these blocks again, and let nothing be paid by hand that rests on them before it is final.',
  words: { open: 'replaced blocks that it had shown' },
  sources: [],
  ties: ['chain'],
  isOncePerSubject: true,
  hasTransfer: false,
  subjectNames: ['chain'],
  facts,
  // More than is remembered is never found.
  params: z.strictObject({ depth: z.number().int().min(0).max(250).default(3) }),
  /** What is known counts: blocks in between that were not read may have stayed. */
  accepts: ({ facts: { depth } }, { depth: bound }) => Number(depth) > bound,
})

/** The same blocks by another source, or there and back again, are the same reorganisation. */
export function toReorgFound(reorg: Reorg, source: MainBlock['source'], at: UnixMs): Found<typeof facts> {
  const { depth, depthAtMost, fromHeight, toHeight, before, after } = reorg
  return {
    subject: `main ${fromHeight} ${[before, after].toSorted().join(' ')}`,
    title: `the main chain from block ${fromHeight} to ${toHeight}`,
    transfer: null,
    facts: { depth, depthAtMost, fromHeight, toHeight, before, after, source },
    labels: { chain: 'main', source },
    evidence: [{ source, at, says: `block ${fromHeight} was ${before} and is ${after}` }],
    since: at,
  }
}
