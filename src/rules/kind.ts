import type { z } from 'zod'
import type { ConditionKind, EventKind, Finding, FindingKind } from '../bridge/finding.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { EventContext } from '../meaning/context.ts'

/** A moment that conditions are judged at; what else there is to look at, each kind says itself. */
export interface Moment {
  readonly now: UnixMs
}

/**
 * A condition's judgement: what is true now, and of which subjects nothing can be said (they keep their state).
 * A subject in neither list is false.
 */
export interface Judgement {
  readonly findings: readonly Finding[]
  readonly unknown: readonly string[] | 'all'
  /** Why what was found before, and is found no more, ended badly; null where its end is good news. */
  readonly lossOf?: (found: Finding) => string | null
}

/** How a fact is typed in `where`; `dyn` may also be null. */
export type FactType = 'string' | 'int' | 'bool' | 'dyn'

/** Names beside `kind`, `facts`, `age` and `labels` that a kind's rules may use; filled from the finding's labels. */
export type SubjectName = 'contract' | 'chain' | 'source' | 'poller' | 'channel' | 'escrow' | 'operator'

interface Described {
  readonly kind: FindingKind
  /** One line: what a finding of this kind says. */
  readonly docs: string
  /** Whether its rules see `transfer`. */
  readonly hasTransfer: boolean
  readonly subjectNames: readonly SubjectName[]
  readonly facts: Readonly<Record<string, FactType>>
  /** The schema of a rule's `with`. */
  readonly params: z.ZodType
}

/** Judges one transfer whenever it changed. */
export interface EventDetector extends Described {
  readonly kind: EventKind
  readonly nature: 'event'
  readonly from: 'transfer'
  detect(transfer: Transfer, params: unknown, context: EventContext): Finding | null
}

/** Judges the present at every tick. */
export interface ConditionDetector extends Described {
  readonly kind: ConditionKind
  readonly nature: 'condition'
  readonly from: 'facts'
  /** Why nothing can be said of a subject, for people; left out where that is no matter of theirs. */
  readonly cannotTell?: string
  judge(facts: Moment, params: unknown): Judgement
}

/** Found by the part of the program that it happened to, and handed over ready-made. */
export interface RaisedKind extends Described {
  readonly nature: 'event' | 'condition'
  readonly from: 'raised'
  /** Who holds it to be true: the alert engine judges its own kinds itself. */
  readonly raisedBy: 'app' | 'alerts'
  /** Whether a finding is what a rule with these parameters asks for; left out, every one is. */
  readonly accepts?: (finding: Finding, params: unknown) => boolean
}

export type Detector = EventDetector | ConditionDetector | RaisedKind

/** Which facts a kind is judged on: the table of kinds is typed by the facts that there are. */
export interface JudgedOn<F> {
  readonly judgedOn?: (facts: F) => void
}

type Spec<D extends Detector, S extends z.ZodType> = Omit<
  D,
  'nature' | 'from' | 'detect' | 'judge' | 'params'
> & {
  readonly params: S
}

export function defineEvent<S extends z.ZodType>(
  spec: Spec<EventDetector, S> & {
    detect(transfer: Transfer, params: z.output<S>, context: EventContext): Finding | null
  },
): EventDetector {
  return {
    ...spec,
    nature: 'event',
    from: 'transfer',
    // A rule's parameters were parsed by this very schema when it was loaded.
    detect: (transfer, params, context) => spec.detect(transfer, params as z.output<S>, context),
  }
}

export function defineCondition<S extends z.ZodType, F extends Moment>(
  spec: Spec<ConditionDetector, S> & { judge(facts: F, params: z.output<S>): Judgement },
): ConditionDetector & JudgedOn<F> {
  return {
    ...spec,
    nature: 'condition',
    from: 'facts',
    // As above; and the checks' one list has the facts that each of its kinds is judged on.
    judge: (facts, params) => spec.judge(facts as F, params as z.output<S>),
  }
}
