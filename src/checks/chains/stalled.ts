import { z } from 'zod'
import type { TrackedHead } from '../../kernel/heads/trackHead.ts'
import type { Chain } from '../../bridge/observation.ts'
import { boundText } from '../../rules/durationText.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import type { Head } from '../../kernel/heads/heads.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf } from '../../rules/kind.ts'

/** Preconfirmations are another check's: of them the height alone is shown. */
export interface PreconfHeight {
  readonly preconf: { readonly view: { readonly latest: { readonly height: number } | null } } | null
}

type Facts = SharedFacts & PreconfHeight

const params = z.strictObject({
  chain: z.enum(['main', 'zone']).optional(),
  after: boundText.default(2 * 60_000),
  behind: z.number().int().min(1).max(10_000_000).optional(),
})

type Params = z.output<typeof params>

const whats = ['standing still', 'the explorer is behind', 'the node is behind'] as const

const factTypes = declareFacts({
  height: 'int',
  limitMs: 'int',
  blockTimeAt: 'int|null',
  inFlight: 'int',
  what: whats,
  explorerHeight: 'int|null',
  canonicalHeight: 'int|null',
  preconfHeight: 'int|null',
})

/**
 * A chain whose head stands still by our clock, and was read again after the bound: not being able to read is not it.
 * Where a node of the chain is configured the head comes from it, and the explorer may fall behind that.
 */
export const chainStalled = defineCondition({
  kind: 'chain.stalled',
  docs: "A chain's head has not advanced for a time, though it was read; or the explorer is behind the chain's own node.",
  remedy:
    "Check the chain's own status page and a second node; transfers in flight wait until it moves again.",
  sources: ['explorer'],
  ties: ['chain'],
  restsOn: ['source'],
  stops: 'chain',
  cannotTell: 'its head was not read, or not since the bound passed',
  hasTransfer: false,
  subjectNames: ['chain'],
  facts: factTypes,
  params,
  judge: judgeStalled,
})

function judgeStalled(facts: Facts, given: Params): JudgementOf<typeof factTypes> {
  const { chain, behind } = given
  const judgements =
    behind === undefined
      ? (chain === undefined ? (['main', 'zone'] as const) : [chain]).map((one) =>
          judgeHead(facts, one, given),
        )
      : [judgeBehind(facts, behind, given)]
  return {
    findings: judgements.flatMap((one) => (one !== null && typeof one === 'object' ? [one.finding] : [])),
    unknown: judgements.flatMap((one) => (typeof one === 'string' ? [one] : [])),
  }
}

/** A finding, the chain of which nothing can be said, or null. */
type Judged = { readonly finding: Found<typeof factTypes> } | Chain | null

function judgeHead(facts: Facts, chain: Chain, { after }: Params): Judged {
  const head = headOf(facts, chain)
  if (!head) return chain
  if (facts.now - head.advancedAt < after) return null
  if (head.readAt < head.advancedAt + after) return chain
  return { finding: toFinding(facts, head, { after, what: 'standing still' }) }
}

/**
 * The head by the chain's own node as long as that is read and not behind the explorer's, else by the explorer: a chain
 * that either of them shows to go on does not stand.
 */
function headOf(facts: Facts, chain: Chain): Head | null {
  const explored = facts.heads.find((one) => one.chain === chain) ?? null
  const node = nodeHeadOf(facts, chain)
  if (node === null) return explored
  const { height, advancedAt, readAt } = node
  if (explored !== null && (explored.readAt > readAt + silentMs || explored.height > height)) return explored
  return { chain, height, advancedAt, readAt, blockTime: explored?.blockTime ?? null }
}

function nodeHeadOf({ canonicalHead, zoneRpcHead }: Facts, chain: Chain): TrackedHead | null {
  return chain === 'main' ? canonicalHead : zoneRpcHead
}

/** A node that was not read for so much longer than the explorer is not gone by. */
const silentMs = 60_000

/**
 * Whether the explorer is so far behind the node, or the node behind the explorer. The distance must have been there at
 * two readings `after` apart: the own head of the one that is behind stands for the first.
 */
function judgeBehind(facts: Facts, behind: number, { after, chain = 'main' }: Params): Judged {
  const explored = facts.heads.find((one) => one.chain === chain)
  const node = nodeHeadOf(facts, chain)
  if (node === null) return null
  if (!explored || facts.now - node.seenAt > silentMs) return chain
  if (explored.height - node.height >= behind) {
    if (node.seenAt + after < explored.readAt) return chain
    const head = { ...explored, ...node, blockTime: explored.blockTime }
    return { finding: toFinding(facts, head, { after, what: 'the node is behind' }) }
  }
  if (node.height - explored.height < behind) return null
  // Its reading is older than the node's: it may have come on since.
  if (explored.readAt + after < node.seenAt) return chain
  return { finding: toFinding(facts, explored, { after, what: 'the explorer is behind' }) }
}

function toFinding(
  facts: Facts,
  head: Head,
  { after, what }: { readonly after: number; readonly what: (typeof whats)[number] },
): Found<typeof factTypes> {
  const explored = facts.heads.find((one) => one.chain === head.chain)
  const isMain = head.chain === 'main'
  const node = nodeHeadOf(facts, head.chain)
  const [own, explorer] = isMain ? ['canonical RPC', 'E11'] : ['zone RPC', 'E5']
  const source = node?.height === head.height ? own : explorer
  return {
    subject: head.chain,
    title: `${head.chain} chain, head ${head.height}`,
    transfer: null,
    facts: {
      height: head.height,
      limitMs: after,
      blockTimeAt: head.blockTime,
      inFlight: facts.countPending(),
      what,
      explorerHeight: explored?.height ?? null,
      canonicalHeight: node?.height ?? null,
      // May run ahead of the canonical chain: a hint whether the chain or only its explorer stands.
      preconfHeight: isMain ? (facts.preconf?.view.latest?.height ?? null) : null,
    },
    labels: { chain: head.chain },
    evidence: [{ source, at: head.readAt, says: `the head is still ${head.height}` }],
    since: head.advancedAt,
  }
}
