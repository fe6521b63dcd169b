import { z } from 'zod'
import type { Finding } from '../../domain/finding.ts'
import type { Chain } from '../../domain/observation.ts'
import { boundText } from '../durationText.ts'
import type { Facts, Head, Judgement } from '../types.ts'
import { defineCondition } from './detector.ts'

const params = z.strictObject({
  chain: z.enum(['main', 'zone']).optional(),
  after: boundText.default(2 * 60_000),
})

/** A chain whose head stands still by our clock, and was read again after the bound: not being able to read is not it. */
export const chainStalled = defineCondition({
  kind: 'chain.stalled',
  docs: "A chain's head has not advanced for a time, though it was read.",
  hasTransfer: false,
  subjectNames: ['chain'],
  facts: { height: 'int', limitMs: 'int', blockTimeAt: 'dyn', inFlight: 'int' },
  params,
  judge: judgeStalled,
})

function judgeStalled(facts: Facts, { chain, after }: z.output<typeof params>): Judgement {
  const findings: Finding[] = []
  const unknown: Chain[] = []
  for (const name of chain === undefined ? (['main', 'zone'] as const) : [chain]) {
    const head = facts.heads.find((one) => one.chain === name)
    if (!head) unknown.push(name)
    else if (facts.now - head.advancedAt < after) continue
    else if (head.readAt < head.advancedAt + after) unknown.push(name)
    else findings.push(toFinding(facts, head, after))
  }
  return { findings, unknown }
}

function toFinding(facts: Facts, head: Head, after: number): Finding {
  return {
    kind: 'chain.stalled',
    subject: head.chain,
    title: `${head.chain} chain, head ${head.height}`,
    transfer: null,
    facts: {
      height: head.height,
      limitMs: after,
      blockTimeAt: head.blockTime,
      inFlight: facts.countPending(),
    },
    labels: { chain: head.chain },
    evidence: [
      {
        source: head.chain === 'zone' ? 'E5' : 'E11',
        at: head.readAt,
        says: `the head is still ${head.height}`,
      },
    ],
    since: head.advancedAt,
  }
}
