import type { AlertEngine } from '../alerts/alertEngine.ts'
import type { Finding } from '../bridge/finding.ts'
import type { UnixMs } from '../lib/clock.ts'
import { errorText } from '../lib/errors.ts'
import type { RuleTimer } from '../lib/timings.ts'
import { evaluateConditions, matchFinding } from '../rules/evaluateRules.ts'
import type { Moment } from '../rules/kind.ts'
import type { LoadedRule } from '../rules/types.ts'

/** An `unless` that cannot be answered fails its own rule and no other. */
function readExcuse(
  rule: LoadedRule,
  isFiring: (kind: string) => boolean,
): { holds: boolean } | { failure: string } {
  try {
    return { holds: rule.isExcused(isFiring) }
  } catch (error) {
    return { failure: errorText(error) }
  }
}

/** One evaluation of every condition, inside a transaction; `raised` are those that other parts hold to be true now. */
export function evaluate(
  of: {
    readonly engine: Pick<
      AlertEngine,
      'applyCondition' | 'excuseCondition' | 'keepCondition' | 'dropRules' | 'isFiring'
    >
    readonly rules: readonly LoadedRule[]
    readonly facts: Moment
    readonly raised: readonly Finding[]
    /** Measures what each rule takes. */
    readonly timer?: RuleTimer
  },
  now: UnixMs,
): void {
  const { engine, rules } = of
  const judged = evaluateConditions(rules, of.facts, of.raised, of.timer)
  of.timer?.done()
  for (const { rule, judgement, errors } of judged) {
    const failure = errors.find(({ subject }) => subject === null)?.error
    const excuse = failure === undefined ? readExcuse(rule, (kind) => engine.isFiring(kind)) : { failure }
    if ('failure' in excuse) engine.keepCondition(rule, excuse.failure, now)
    // An excused rule says nothing new, and takes nothing back either.
    else if (excuse.holds) engine.excuseCondition(rule, now)
    else engine.applyCondition(rule, judgement, now)
  }
  engine.dropRules(rules, now)
}

/** A finding of the program about itself. */
export function tellFinding(
  engine: Pick<AlertEngine, 'tellEvents'>,
  rules: readonly LoadedRule[],
  finding: Finding,
  now: UnixMs,
): void {
  engine.tellEvents(matchFinding(rules, finding, now).matches, now)
}
