import { z } from 'zod'
import type { UnixMs } from '../../lib/clock.ts'
import { boundText } from '../../rules/durationText.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import type { PreconfFacts, PreconfPart } from './facts.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf } from '../../rules/kind.ts'

type Facts = SharedFacts & PreconfPart

const params = z.strictObject({ after: boundText.default(10_000) })

const factTypes = declareFacts({
  reason: ['frozen', 'none pending', 'unanswered'],
  pendingHeight: 'int|null',
  pendingAgeMs: 'int|null',
  latestHeight: 'int|null',
  latestAgeMs: 'int|null',
  gap: 'int|null',
  limitMs: 'int',
})

/**
 * Preconfirmations that stand still while the chain goes on: the block being made does not change, there is none, or
 * the connection stands and nothing is answered. When the RPC cannot be asked at all `source.unavailable` fires.
 */
export const preconfStalled = defineCondition({
  kind: 'preconf.stalled',
  docs: 'Preconfirmations stand still while the chain goes on; an open connection that answers nothing counts.',
  remedy: 'Check the preconfirmation endpoint; blocks still come, so do not credit anything before they do.',
  sources: ['preconf'],
  ties: ['source'],
  needs: ['preconf'],
  restsOn: ['chain'],
  cannotTell: 'the preconfirmation endpoint does not answer',
  hasTransfer: false,
  subjectNames: ['chain', 'source'],
  facts: factTypes,
  params,
  judge: judgeStalled,
})

function judgeStalled(facts: Facts, { after }: z.output<typeof params>): JudgementOf<typeof factTypes> {
  const { preconf } = facts
  if (preconf === null) return { findings: [], unknown: [] }
  const standing = findStanding(facts, preconf, after)
  if (standing === 'unknown') return { findings: [], unknown: ['preconf'] }
  return {
    findings: standing === null ? [] : [toFinding(facts, preconf, { ...standing, after })],
    unknown: [],
  }
}

interface Standing {
  readonly reason: 'frozen' | 'none pending' | 'unanswered'
  readonly since: UnixMs
}

function findStanding(facts: Facts, preconf: PreconfFacts, after: number): Standing | 'unknown' | null {
  const { now } = facts
  const { view, unansweredSince } = preconf
  const isRead = view.readAt !== null && now - view.readAt < after
  if (!isRead) {
    const since = unansweredSince === null ? null : Math.max(unansweredSince, view.readAt ?? 0)
    if (since === null || now - since < after) return 'unknown'
    return chainMovedSince(facts, since) ? { reason: 'unanswered', since } : 'unknown'
  }
  const readAt = view.readAt ?? 0
  const readSince = view.readSince ?? readAt
  if (view.nullSince !== null) {
    // What was said before a pause in the readings may have been taken back meanwhile.
    if (readAt - Math.max(view.nullSince, readSince) < after) return waitFor(now, view.nullSince, after)
    return { reason: 'none pending', since: view.nullSince }
  }
  const { pending } = view
  if (pending === null || now - pending.advancedAt < after) return null
  if (readAt - Math.max(pending.advancedAt, readSince) < after) return 'unknown'
  const beyond = Math.max(view.latest?.height ?? 0, mainHeight(facts))
  return beyond > pending.height ? { reason: 'frozen', since: pending.advancedAt } : null
}

/** A state that has not lasted `after` yet is no finding; one that has, but was not read meanwhile, is not known. */
function waitFor(now: UnixMs, since: UnixMs, after: number): 'unknown' | null {
  return now - since < after ? null : 'unknown'
}

/** The main head by the explorer and the canonical RPC. */
function mainHeight({ heads, canonicalHead }: Facts): number {
  return Math.max(heads.find(({ chain }) => chain === 'main')?.height ?? 0, canonicalHead?.height ?? 0)
}

function chainMovedSince({ heads, canonicalHead }: Facts, since: UnixMs): boolean {
  const main = heads.find(({ chain }) => chain === 'main')
  return (main?.advancedAt ?? 0) > since || (canonicalHead?.advancedAt ?? 0) > since
}

function toFinding(
  { now }: Facts,
  { view }: PreconfFacts,
  { reason, since, after }: Standing & { readonly after: number },
): Found<typeof factTypes> {
  const { pending, latest } = view
  return {
    subject: 'preconf',
    title: `preconfirmations, ${pending === null ? 'none ever told' : `block ${pending.height}`}`,
    transfer: null,
    facts: {
      reason,
      pendingHeight: pending?.height ?? null,
      pendingAgeMs: pending === null ? null : now - pending.advancedAt,
      latestHeight: latest?.height ?? null,
      latestAgeMs: latest === null ? null : now - latest.advancedAt,
      gap: pending === null || latest === null ? null : latest.height - pending.height,
      limitMs: after,
    },
    labels: { chain: 'main', source: 'preconf' },
    evidence: [
      {
        source: 'preconf',
        at: view.readAt ?? since,
        says: `${reason}; pending ${pending?.height ?? 'none'}, latest ${latest?.height ?? 'not known'}`,
      },
    ],
    since,
  }
}
