import { z } from 'zod'
import type { SharedFacts } from '../../kernel/facts.ts'
import type { PreconfPart } from './facts.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf } from '../../rules/kind.ts'

type Facts = SharedFacts & PreconfPart

const params = z.strictObject({ blocks: z.number().int().min(1).max(1_000_000).default(5) })

/** Readings older than this, or than three intervals, say nothing of the distance now. */
const freshMs = 2_000

const factTypes = declareFacts({
  gap: 'int',
  limit: 'int',
  pendingHeight: 'int',
  pendingAgeMs: 'int',
  latestHeight: 'int',
  latestAgeMs: 'int|null',
})

/** The block being made lies behind complete ones: preconfirmations show the past. */
export const preconfGap = defineCondition({
  kind: 'preconf.gap',
  docs: 'The block being made lies so many blocks behind the newest complete one.',
  remedy: 'Check the sequencer: it builds on an old block.',
  sources: ['preconf'],
  ties: ['source'],
  needs: ['preconf'],
  restsOn: ['chain'],
  cannotTell: 'the preconfirmation endpoint does not answer',
  hasTransfer: false,
  subjectNames: ['chain', 'source'],
  facts: factTypes,
  params,
  judge: judgeGap,
})

function judgeGap(facts: Facts, { blocks }: z.output<typeof params>): JudgementOf<typeof factTypes> {
  const { preconf, now, heads, canonicalHead } = facts
  if (preconf === null) return { findings: [], unknown: [] }
  const { pending, latest, readAt } = preconf.view
  if (readAt === null || now - readAt > Math.max(freshMs, 3 * preconf.intervalMs))
    return { findings: [], unknown: ['preconf'] }
  // Never any: that is preconf.stalled.
  if (pending === null) return { findings: [], unknown: [] }
  // A head that was read after the block being made may be ahead for that reason alone.
  const isOfThen = (at: number) => at <= readAt + 1_000
  const main = heads.find((head) => head.chain === 'main' && isOfThen(head.readAt))
  const canonical = canonicalHead !== null && isOfThen(canonicalHead.seenAt) ? canonicalHead.height : 0
  const height = Math.max(latest?.height ?? 0, main?.height ?? 0, canonical)
  const gap = height - pending.height
  if (gap < blocks) return { findings: [], unknown: [] }
  const finding: Found<typeof factTypes> = {
    subject: 'preconf',
    title: `preconfirmations, block ${pending.height}`,
    transfer: null,
    facts: {
      gap,
      limit: blocks,
      pendingHeight: pending.height,
      pendingAgeMs: now - pending.advancedAt,
      latestHeight: height,
      latestAgeMs: latest === null ? null : now - latest.advancedAt,
    },
    labels: { chain: 'main', source: 'preconf' },
    evidence: [{ source: 'preconf', at: readAt, says: `pending ${pending.height}, latest ${height}` }],
    since: pending.advancedAt,
  }
  return { findings: [finding], unknown: [] }
}
