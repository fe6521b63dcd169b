import { stepCondition, type Phase, untouched } from '../../alerts/stateMachine.ts'
import type { OpenKept } from '../../kernel/kept.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { evaluateConditions, type RuleJudgement } from '../../rules/evaluateRules.ts'
import type { LoadedRule } from '../../rules/types.ts'
import type { Tellings } from './tellings.ts'

/** A rule that is judged by what a check kept, and from when on it can be. */
export interface KeptRule {
  readonly rule: LoadedRule
  readonly kept: OpenKept<object>
  readonly since: UnixMs
}

interface Replaying {
  readonly since: UnixMs
  readonly until: UnixMs
  readonly tellings: Tellings
  /** What else than its own check's facts a rule may look at. */
  readonly others: (now: UnixMs) => object
}

/**
 * Judges rules on conditions as the daemon does, moment after moment, by the facts that were kept. Each begins so much
 * before the time that is asked for that what had fired by then is not raised in it.
 */
export function replayFacts(rules: readonly KeptRule[], replaying: Replaying): void {
  for (const [kept, of] of Map.groupBy(rules, (one) => one.kept)) replayKept(kept, of, replaying)
}

function replayKept(kept: OpenKept<object>, rules: readonly KeptRule[], replaying: Replaying): void {
  const { since, until, tellings, others } = replaying
  const { everyMs } = kept
  const started = rules.map(({ rule, since: keptSince }) => {
    const from = Math.max(keptSince, since - rule.forMs - rule.keepFiringForMs - everyMs)
    return { rule, from, phases: new Map<string, Phase>() }
  })
  const first = Math.min(...started.map(({ from }) => from))
  for (let now = Math.ceil(first / everyMs) * everyMs; now < until; now += everyMs) {
    // What rules ask of one moment is read once.
    const facts = { ...others(now), ...kept.facts(now), now }
    for (const { rule, from, phases } of started) {
      if (now < from) continue
      for (const judged of evaluateConditions([rule], facts)) takeIn(judged, phases, { now, tellings })
    }
  }
}

/** A subject that is neither found nor unknown is false; what is unknown keeps its state. */
function takeIn(
  { rule, judgement: { findings, unknown }, errors }: RuleJudgement,
  phases: Map<string, Phase>,
  { now, tellings }: { readonly now: UnixMs; readonly tellings: Tellings },
): void {
  if (errors.length > 0) tellings.fail(rule)
  const found = new Set(findings.map(({ subject }) => subject))
  for (const finding of findings) {
    const { phase, transition } = stepCondition(phases.get(finding.subject) ?? untouched, true, rule, now)
    phases.set(finding.subject, phase)
    if (transition === 'fired') tellings.tell(rule, finding, now)
  }
  for (const [subject, before] of phases) {
    if (found.has(subject) || unknown === 'all' || unknown.includes(subject)) continue
    const { phase, transition } = stepCondition(before, false, rule, now)
    if (transition === 'resolved') tellings.resolve(rule, now)
    if (phase.state === 'resolved' || phase.state === 'inactive') phases.delete(subject)
    else phases.set(subject, phase)
  }
}
