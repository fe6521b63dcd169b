import type { UnixMs } from '../../lib/clock.ts'
import type { Standing } from '../../kernel/stages.ts'

/** One stage as the configuration has it, in the order in which a withdrawal passes them. */
export interface StageRule {
  readonly stage: string
  /** Whether an event or a challenge's word begins it; else it begins when the one before is over. */
  readonly isTold: boolean
  readonly lastsMs: number | null
  /** How often a proposal comes; null where that is not known. */
  readonly everyMs: number | null
}

/** A proposal covers the zone up to a height, or a removal takes back all from a height on. */
export interface Proposal {
  readonly stage: string
  readonly hash: string
  readonly zoneHeight: number
  readonly at: UnixMs
}

/** What is said of one withdrawal, and of proposals. */
export interface Said {
  /** Events that name it. */
  readonly named: readonly { readonly stage: string; readonly at: UnixMs }[]
  /** Oldest first. */
  readonly proposals: readonly Proposal[]
  readonly removals: readonly Pick<Proposal, 'zoneHeight' | 'at'>[]
  /** When a stage began for what a proposal covers, by the challenge's word on its transaction. */
  readonly wordOf: (proposal: Proposal, stage: string) => UnixMs | null
}

/** A withdrawal: when it left the zone, and in which block. */
interface Left {
  readonly at: UnixMs
  readonly zoneHeight: number
}

/** The two chains' clocks may differ by so much. */
const clocksMs = 600_000

/**
 * Where a withdrawal stands now. What was said of it before its proposal was removed holds no more. A proposal that came
 * before it left is none of it, whatever height that names: what was not there nobody proposed.
 */
export function standingOf(left: Left, rules: readonly StageRule[], said: Said, now: UnixMs): Standing {
  const covering = said.proposals.filter(
    ({ at, zoneHeight }) => zoneHeight >= left.zoneHeight && at >= left.at - clocksMs,
  )
  const valid = covering.filter((one) => removedAt(one, said) === null)
  const lost = said.named.filter(({ at }) => isLost(at, covering, said))
  const kept = said.named.filter((one) => !lost.includes(one))
  const everyMs = rules.find((rule) => rule.everyMs !== null)?.everyMs ?? null
  let current: Omit<Standing, 'isAgain'> = {
    stage: 'left',
    since: left.at,
    until: everyMs === null ? null : left.at + everyMs,
  }
  for (const [at, rule] of rules.entries()) {
    const follows = current.stage === rules[at - 1]?.stage
    const since = rule.isTold
      ? toldAt(rule.stage, { kept, valid }, said)
      : follows
        ? beganAt(current, now)
        : null
    if (since === null) continue
    current = { stage: rule.stage, since, until: rule.lastsMs === null ? null : since + rule.lastsMs }
  }
  return { ...current, isAgain: lost.length > 0 && kept.length === 0 }
}

function toldAt(
  stage: string,
  of: { readonly kept: Said['named']; readonly valid: readonly Proposal[] },
  { wordOf }: Said,
): UnixMs | null {
  const times = [
    ...of.kept.filter((one) => one.stage === stage).map(({ at }) => at),
    ...of.valid.slice(0, 1).flatMap((one) => (one.stage === stage ? one.at : (wordOf(one, stage) ?? []))),
  ]
  return times.length === 0 ? null : Math.max(...times)
}

/** A stage without a sign of its own begins when the one just before it is over. */
function beganAt({ until }: Pick<Standing, 'until'>, now: UnixMs): UnixMs | null {
  return until !== null && now >= until ? until : null
}

/** What was built on it goes with it. */
function removedAt(proposal: Proposal, { removals }: Said): UnixMs | null {
  const times = removals
    .filter(({ zoneHeight, at }) => zoneHeight <= proposal.zoneHeight && at >= proposal.at)
    .map(({ at }) => at)
  return times.length === 0 ? null : Math.min(...times)
}

/** Whether what was said then rests on a proposal that was removed later: on the oldest that stood at the time. */
function isLost(at: UnixMs, covering: readonly Proposal[], said: Said): boolean {
  const relied = covering.find((one) => one.at <= at && (removedAt(one, said) ?? Infinity) > at)
  return relied !== undefined && removedAt(relied, said) !== null
}
