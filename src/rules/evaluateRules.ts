import type { Finding } from '../bridge/finding.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { errorText } from '../lib/errors.ts'
import { once } from '../lib/once.ts'
import type { RuleTimer } from '../lib/timings.ts'
import type { EventContext } from '../ledger/context.ts'
import type { Judgement, Moment } from './kind.ts'
import type { LoadedRule } from './types.ts'

interface RuleMatch {
  readonly rule: LoadedRule
  readonly finding: Finding
}

/** A rule that could not say true or false; of one subject, or, when `subject` is null, at all. */
interface RuleError {
  readonly rule: LoadedRule
  readonly subject: string | null
  readonly error: string
}

export interface Evaluation {
  readonly matches: readonly RuleMatch[]
  readonly errors: readonly RuleError[]
  /** What detectors found, whether a rule's `where` is met or not. */
  readonly detected: readonly RuleMatch[]
}

type Timer = Pick<RuleTimer, 'begin' | 'took'>

const untimed: Timer = { begin() {}, took() {} }

const nothing: Evaluation = { matches: [], errors: [], detected: [] }

export interface RuleJudgement {
  readonly rule: LoadedRule
  /** Filtered by the rule's `where`. */
  readonly judgement: Judgement
  readonly errors: readonly RuleError[]
}

/** What the rules on events say of one transfer as it is now. A rule that fails holds up no other. */
export function evaluateTransfer(
  rules: readonly LoadedRule[],
  transfer: Transfer,
  context: EventContext,
  timer: Timer = untimed,
): Evaluation {
  const evaluations: Evaluation[] = []
  timer.begin()
  for (const rule of rules) {
    const { detector } = rule
    if (detector.from !== 'transfer') continue
    try {
      const finding = detector.detect(transfer, rule.params, context)
      if (finding !== null) evaluations.push(matchFinding([rule], finding, context.now))
    } catch (error) {
      const errors = [{ rule, subject: transfer.key, error: errorText(error) }]
      evaluations.push({ ...nothing, errors })
    }
    timer.took(rule.name)
  }
  return evaluations.length === 0 ? nothing : join(evaluations)
}

/**
 * The rules that report a ready-made finding: those on its kind whose `where` it meets. A `where` that fails on it is not
 * a "no": the finding is reported, and says that it could not be filtered.
 */
export function matchFinding(rules: readonly LoadedRule[], finding: Finding, now: UnixMs): Evaluation {
  const evaluations = rules.map((rule): Evaluation => {
    if (rule.kind !== finding.kind || !isAccepted(rule, finding)) return nothing
    try {
      const matches = rule.matches(finding, now) ? [{ rule, finding }] : []
      return { matches, errors: [], detected: [{ rule, finding }] }
    } catch (error) {
      const text = errorText(error)
      const told = { ...finding, facts: { ...finding.facts, notFiltered: text } }
      const errors = [{ rule, subject: finding.subject, error: text }]
      return { matches: [{ rule, finding: told }], errors, detected: [{ rule, finding }] }
    }
  })
  return join(evaluations)
}

function isAccepted(rule: LoadedRule, finding: Finding): boolean {
  const { detector } = rule
  return detector.from !== 'raised' || (detector.accepts?.(finding, rule.params) ?? true)
}

/**
 * Judges every rule on a condition. `raised` are the conditions that the application holds to be true now, all of them,
 * for the kinds that no detector looks for; what the alert engine says of itself it judges by itself.
 */
export function evaluateConditions(
  rules: readonly LoadedRule[],
  facts: Moment,
  raised: readonly Finding[] = [],
  timer: Timer = untimed,
): readonly RuleJudgement[] {
  timer.begin()
  return rules.flatMap((rule) => {
    const { detector } = rule
    if (detector.nature !== 'condition') return []
    // An empty judgement from here would end what the alert engine found of itself.
    if (detector.from === 'raised' && detector.raisedBy === 'alerts') return []
    try {
      const judgement =
        detector.from === 'facts'
          ? detector.judge(facts, rule.params)
          : { findings: raised.filter(({ kind }) => kind === rule.kind), unknown: [] }
      return [filterJudgement(rule, judgement, facts.now)]
    } catch (error) {
      const errors = [{ rule, subject: null, error: errorText(error) }]
      return [{ rule, judgement: { findings: [], unknown: 'all' as const }, errors }]
    } finally {
      timer.took(rule.name)
    }
  })
}

function filterJudgement(rule: LoadedRule, judgement: Judgement, now: UnixMs): RuleJudgement {
  const evaluations = judgement.findings.map((finding) => matchFinding([rule], finding, now))
  const { matches, errors } = join(evaluations)
  const findings = matches.map(({ finding }) => finding)
  if (findings.length === judgement.findings.length)
    return { rule, judgement: { ...judgement, findings }, errors }
  const found = once(() => new Set(judgement.findings.map(({ subject }) => subject)))
  // What is found no less is not over because the rule looks at it no more.
  const lossOf = (ended: Finding) =>
    found().has(ended.subject) ? 'its `where` is not met any more' : (judgement.lossOf?.(ended) ?? null)
  return { rule, judgement: { ...judgement, findings, lossOf }, errors }
}

function join(evaluations: readonly Evaluation[]): Evaluation {
  return {
    matches: evaluations.flatMap(({ matches }) => matches),
    errors: evaluations.flatMap(({ errors }) => errors),
    detected: evaluations.flatMap(({ detected }) => detected),
  }
}
