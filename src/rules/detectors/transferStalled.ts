import { z } from 'zod'
import type { FactValue, Finding } from '../../domain/finding.ts'
import { destinationLeg, originChain, type Transfer } from '../../domain/transfer.ts'
import { formatDuration } from '../../lib/duration.ts'
import { boundText } from '../durationText.ts'
import type { Facts, Judgement } from '../types.ts'
import { describeTransfer, labelTransfer } from './describeTransfer.ts'
import { defineCondition } from './detector.ts'

/** A head that has not moved for so long is worth a word in a stalled transfer's message. */
const haltedMs = 120_000

const params = z.strictObject({
  direction: z.enum(['MainToZone', 'ZoneToMain']).optional(),
  after: boundText.default(30 * 60_000),
})

/**
 * A transfer without its destination leg although its time is over. Age is by our clock; it is said as soon as one
 * answer asked for after the deadline shows no destination. Until then nothing can be said of it. A halted chain is a
 * fact of the message, not a reason for silence.
 */
export const transferStalled = defineCondition({
  kind: 'transfer.stalled',
  docs: 'Value left one chain and has not arrived on the other in time.',
  hasTransfer: true,
  subjectNames: [],
  facts: {
    limitMs: 'int',
    destinationChain: 'string',
    destinationHeight: 'dyn',
    destinationHeadAgeMs: 'dyn',
    destinationHalted: 'dyn',
  },
  params,
  judge: judgeStalled,
})

function judgeStalled(facts: Facts, { direction, after }: z.output<typeof params>): Judgement {
  const findings: Finding[] = []
  const unknown: string[] = []
  const overdue = facts.listPending({ direction: direction ?? null, originAtOrBefore: facts.now - after })
  for (const transfer of overdue) {
    if (transfer.state !== 'pending' || destinationLeg(transfer) !== null) continue
    if (direction !== undefined && transfer.direction !== direction) continue
    if (facts.now - transfer.originAt < after) continue
    if (transfer.readAt < transfer.originAt + after) unknown.push(transfer.key)
    else findings.push(toFinding(facts, transfer, after))
  }
  return { findings, unknown }
}

function toFinding(facts: Facts, transfer: Transfer, after: number): Finding {
  const destination = originChain(transfer.direction) === 'main' ? 'zone' : 'main'
  return {
    kind: 'transfer.stalled',
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: { limitMs: after, ...describeHead(facts, destination) },
    labels: labelTransfer(transfer),
    evidence: [
      {
        source: transfer.confirmedStatus === 'unknown' ? 'E3' : 'E3, E12',
        at: transfer.readAt,
        says: `no ${destination} transaction, ${formatDuration(transfer.readAt - transfer.originAt)} after the origin`,
      },
    ],
    since: transfer.originAt,
  }
}

function describeHead(facts: Facts, chain: 'main' | 'zone'): Record<string, FactValue> {
  const head = facts.heads.find((one) => one.chain === chain)
  if (!head) return { destinationChain: chain, destinationHeight: null, destinationHalted: null }
  const ageMs = Math.max(facts.now - head.advancedAt, 0)
  return {
    destinationChain: chain,
    destinationHeight: head.height,
    destinationHeadAgeMs: ageMs,
    // A head that was not read since says nothing of halting.
    destinationHalted: ageMs < haltedMs ? false : head.readAt >= head.advancedAt + haltedMs ? true : null,
  }
}
