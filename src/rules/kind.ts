import type { z } from 'zod'
import type { Finding } from '../bridge/finding.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { WatchedSetting } from '../config/listUnwatched.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { EventContext } from '../ledger/context.ts'
import { type FactsOf, type FactTable, type FactType, plainFacts, wordsOfFacts } from './factTable.ts'

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
  /** What is to be watched all the time and of which nothing could be said since: somebody hears of it after an hour. */
  readonly blind?: readonly { readonly subject: string; readonly title: string; readonly since: UnixMs }[]
  /** Why what was found before, and is found no more, ended badly; null where its end is good news. */
  readonly lossOf?: (found: Finding) => string | null
}

/** What findings have in common when they share a cause. */
export type Tie =
  | 'transfer'
  | 'transaction'
  | 'escrow'
  | 'party'
  | 'error'
  | 'crowd'
  | 'delay'
  | 'source'
  | 'chain'
  | 'token'

/** A finding as the code of its kind makes it; the kind's object puts the name on it. */
export interface Found<T extends FactTable> extends Omit<Finding, 'kind' | 'facts'> {
  readonly facts: FactsOf<T>
}

/** As `Judgement`, of what the code of a kind found. */
export interface JudgementOf<T extends FactTable> extends Omit<Judgement, 'findings'> {
  readonly findings: readonly Found<T>[]
}

/** Names beside `kind`, `facts`, `age` and `labels` that a kind's rules may use; filled from the finding's labels. */
export type SubjectName = 'contract' | 'chain' | 'source' | 'poller' | 'channel' | 'escrow' | 'operator'

/** What only a configuration has: a token's symbol, or the name or address of something else. */
export type ConfiguredName = 'symbol' | 'token' | 'tokenAddress' | 'operator' | 'contract' | 'limit'

/** What is named by words of which all are known, though another one is no mistake for certain. */
export type WordName = 'crossType' | 'tokenType' | 'source'

/** What a message says of a finding where the rule has no `summary`. */
interface Words {
  /**
   * While it is open, of what it names: `paid more than once`; a function gives the whole sentence. Left out, the name
   * of the kind says it.
   */
  readonly open?: string | ((of: Said) => string)
  /** What is said of many transfers at once: `failed`, after `388 withdrawals`. */
  readonly many?: string
  /** What became of it once it is over: `it is not paid more than once any more`. */
  readonly over?: string
  /** What a correction says although it is not over; null where that is the finding's own to say. */
  readonly corrected?: (finding: Pick<Finding, 'transfer' | 'facts' | 'since'>) => string | null
}

export interface Said {
  /** The transfer in words, or the finding's title. */
  readonly what: string
  readonly finding: Finding
  readonly now: UnixMs
}

/** One kind of finding: what it is, what is said of it, and what it is to others. */
interface Described extends Relations {
  readonly kind: string
  /** One line: what a finding of this kind says. */
  readonly docs: string
  /** What to do about it, in one line: every message carries it, docs/runbooks.md goes on from there. */
  readonly remedy: string
  /** What to do about this one where that is something else; null where it is not. */
  readonly remedyFor?: (finding: Pick<Finding, 'transfer'>) => string | null
  readonly words?: Words
  /** The sources that it is judged by: while one of them is silent nothing is known of the present. */
  readonly sources: readonly ('explorer' | 'canonical' | 'zoneRpc' | 'preconf')[]
  /** By what its alerts join others in one case, beside their own subject; cases/listKeys.ts says what each means. */
  readonly ties: readonly Tie[]
  /** Whether all that its transfer moves is at risk; a loss says itself how much, see `joins`. */
  readonly risksTransfer?: true | ((transfer: Transfer) => boolean)
  /** The fact that says how much of its token is at risk in all, where it joins nothing that says so; token units. */
  readonly risksInAll?: string
  /** Settings without one of which it cannot be found. */
  readonly needs?: readonly WatchedSetting[]
  /** Whether the rule on it that is shipped holds beside the operator's own: who judges must be known to work. */
  readonly isGuard?: true
  /** Whether a condition of it begins at a block's time: an event of a transfer always does. */
  readonly beginsAtBlock?: true
  /** Whether `since` is that of the newest reading, or of a window that moves: of an episode the earliest is kept. */
  readonly sinceMoves?: true | ((facts: Finding['facts']) => boolean)
  /** Whether `retention.transfers` forgets what it judges, however long the parameter `after` waits for it. */
  readonly isForgottenByAge?: true
  /** Whether nothing that it finds is younger than its parameter `after`. */
  readonly isAsOldAsAfter?: true
  /** Whether its rules see `transfer`. */
  readonly hasTransfer: boolean
  readonly subjectNames: readonly SubjectName[]
  /** Facts (`facts.name`) and parameters (`with.token`) that hold the name of something configured; a `source` that is one alone. */
  readonly configured?: Readonly<Record<`facts.${string}` | `with.${string}`, ConfiguredName>> & {
    readonly source?: 'source'
  }
  readonly facts: Readonly<Record<string, FactType>>
  /** All that those facts can be which have words of their own. */
  readonly factWords: Readonly<Record<string, readonly string[]>>
  /** The schema of a rule's `with`. */
  readonly params: z.ZodType
}

/** Judges one transfer whenever it changed. */
export interface EventDetector extends Described {
  readonly nature: 'event'
  readonly from: 'transfer'
  /** Which transfers of the past it has to look at; left out, all of them. */
  readonly looksAt?: readonly HistoryPart[]
  /** Whether anything can be said by now of what was told of a transfer; left out, it can: that nothing is found takes it back. */
  readonly canJudge?: (told: Finding['facts'], transfer: Transfer, context: EventContext) => boolean
  detect(transfer: Transfer, params: unknown, context: EventContext): Finding | null
}

/** What of the ledger's history a kind finds something in: what was seen once, whole and well is left out. */
export type HistoryPart = 'evidence' | 'outOfOrder' | 'batches' | 'tokens'

/** Judges the present at every tick. */
export interface ConditionDetector extends Described {
  readonly nature: 'condition'
  readonly from: 'facts'
  /** Why nothing can be said of a subject, for people; left out where that is no matter of theirs. */
  readonly cannotTell?: string
  /** Whether the ledger's history is all that it is judged on. */
  readonly judgesPast?: true
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

type Spec<D extends Detector, T extends FactTable, S extends z.ZodType> = Omit<
  D,
  'from' | 'detect' | 'judge' | 'accepts' | 'facts' | 'factWords' | 'params'
> & {
  readonly facts: T
  readonly params: S
}

/** What one kind's alerts are to those of others, and what becomes of them: read by the alert engine alone. */
interface Relations {
  /** It says that this gives nothing new: while it fires, what rests on it is inhibited. */
  readonly stops?: 'source' | 'chain'
  /** What its judgement rests on: it is inhibited while an alert says that this gives nothing new. */
  readonly restsOn?: readonly ('source' | 'chain')[]
  /** Kinds of which it says all, of the same source. */
  readonly inhibits?: readonly string[]
  /** It is held for a while after a source is back: what waited for that gets its turn at the pace. */
  readonly isHeldAfterOutage?: true
  /** How it joins what was sent of the same loss, or is joined. */
  readonly joins?: OfTransfer | OfEscrow
  /** Whether what it says still stands, as far as its newest finding says; left out, it does. */
  readonly stands?: (finding: Pick<Finding, 'transfer' | 'facts' | 'since'>) => boolean
  /** It rests on a comparison: where that finds no difference any more, it is over. */
  readonly isComparison?: true
  /** What else than amount and token a reader acts on: when it changes, what was sent is corrected. */
  readonly material?: (finding: Finding, transfer: Transfer) => object
  /** Without a transfer: the same subject is no news again, whenever it comes. */
  readonly isOncePerSubject?: true
  /** Whether what it accuses is no example of how the bridge works. What is but new may become usual. */
  readonly accuses?: (facts: Finding['facts']) => boolean
  /** Paying what it names is what ends it: it is no reason not to pay. */
  readonly endsWhenPaid?: true
  /** Whether it goes by what the zone's actions say: an upgrade of these may have made it accuse an honest transfer. */
  readonly readsActions?: (facts: Finding['facts']) => boolean
}

/** It accuses a transfer. */
interface OfTransfer {
  readonly of: 'transfer'
  /** Of one transfer the lowest rank says the most, and what comes after it says no second thing. */
  readonly rank: number
  /** What the bridge lost by the transfer: all of it, or what lies between its record and the amount that was found. */
  readonly loses?: 'all' | ((facts: Finding['facts']) => string)
  /** A second rule of the kind, less severe and by a tighter bound, adds nothing. */
  readonly saysAllAtOnce?: true
}

/** It says how much lacks at an escrow. */
interface OfEscrow {
  readonly of: 'escrow'
  /** The fact that says how much. */
  readonly missing: string
  /** Whether it is one movement, with the facts `direction`, `amount`, `mainTxHash` and `sum`; else it is a balance. */
  readonly isMovement: boolean
  /** It is said before it is proven: it explains nothing else that lacks, and its proof is news. */
  readonly isUnproven?: true
}

export function defineEvent<const T extends FactTable, S extends z.ZodType>(
  spec: Omit<Spec<EventDetector, T, S>, 'nature'> & {
    detect(transfer: Transfer, params: z.output<S>, context: EventContext): Found<NoInfer<T>> | null
  },
): EventDetector {
  return {
    ...spec,
    facts: plainFacts(spec.facts),
    factWords: wordsOfFacts(spec.facts),
    nature: 'event',
    from: 'transfer',
    detect: (transfer, params, context) => {
      // A rule's parameters were parsed by this very schema when it was loaded.
      const found = spec.detect(transfer, params as z.output<S>, context)
      return found === null ? null : named(spec, found)
    },
  }
}

export function defineCondition<const T extends FactTable, S extends z.ZodType, F extends Moment>(
  spec: Omit<Spec<ConditionDetector, T, S>, 'nature'> & {
    judge(facts: F, params: z.output<S>): JudgementOf<NoInfer<T>>
  },
): ConditionDetector & JudgedOn<F> {
  return {
    ...spec,
    facts: plainFacts(spec.facts),
    factWords: wordsOfFacts(spec.facts),
    nature: 'condition',
    from: 'facts',
    judge: (facts, params) => {
      // As above; and the checks' one list has the facts that each of its kinds is judged on.
      const judged = spec.judge(facts as F, params as z.output<S>)
      return { ...judged, findings: judged.findings.map((found) => named(spec, found)) }
    },
  }
}

/** A kind whose findings are made where it happens: `raise` puts its name on one. */
export function defineRaised<const T extends FactTable, S extends z.ZodType>(
  spec: Spec<RaisedKind, T, S> & { readonly accepts?: (finding: Finding, params: z.output<S>) => boolean },
): RaisedKind & { raise(found: Found<T>): Finding } {
  const { accepts, ...described } = spec
  return {
    ...described,
    facts: plainFacts(spec.facts),
    factWords: wordsOfFacts(spec.facts),
    from: 'raised',
    // As above.
    ...(accepts && { accepts: (finding, params) => accepts(finding, params as z.output<S>) }),
    raise: (found) => named(spec, found),
  }
}

function named<T extends FactTable>({ kind }: { readonly kind: string }, found: Found<T>): Finding {
  return { kind, ...found }
}

/** Facts that stand apart from their kind, because code below names them too. */
export function declareFacts<const T extends FactTable>(facts: T): T {
  return facts
}
