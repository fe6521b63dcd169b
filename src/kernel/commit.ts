import type { AlertEngine } from '../alerts/alertEngine.ts'
import type { StillFound } from '../alerts/tellEvents.ts'
import type { Finding } from '../bridge/finding.ts'
import type { Observation } from '../bridge/observation.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { Timings } from '../lib/timings.ts'
import type { Learned } from '../ledger/lessons/learned.ts'
import { noteFirstHead } from '../ledger/lessons/firstHeads.ts'
import { learnMoney } from '../ledger/learnMoney.ts'
import type { Kinds } from '../rules/kinds.ts'
import { type Evaluation, evaluateTransfer, matchFinding } from '../rules/evaluateRules.ts'
import type { EventContext, RelatedTransfers } from '../ledger/context.ts'
import type { LoadedRule } from '../rules/types.ts'
import { accuses, isAccused } from '../alerts/store/accused.ts'
import { isUnlearned } from '../meaning/taught.ts'
import type { MayWait } from '../store/commits.ts'
import type { Database } from '../store/database.ts'
import { recordHead } from './heads/heads.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { countCommit } from '../store/openFiles.ts'
import { type RequestNumbers, withTimes } from '../store/requestNumbers.ts'
import { recordQuarantine } from './reads/quarantine.ts'
import { createRelated } from './related.ts'
import type { RecordResult, TransferChange } from '../ledger/recordAnswer.ts'
import type { Commit, ReadingResult } from './reads/reads.ts'
import type { EventRetries } from './eventRetries.ts'
import type { LiveRules } from './kernel.ts'
import type { Stakes } from './stakes.ts'
import { listChanged } from './listChanged.ts'
import { verifyClaimed, withSameOrigin } from './sameOrigin.ts'

/** What records said: each inner list is one answer; and what of it was new. */
interface Recorded {
  readonly answers: readonly (readonly Observation[])[]
  readonly changes: readonly TransferChange[]
}

/** What a check does inside a commit's transaction. */
export interface CommitHooks {
  /** Heads of chains were read, before they are recorded. */
  onHeads?(heads: NonNullable<ReadingResult['heads']>, now: UnixMs): void
  /** Records came, before anything is judged by them. Returns the events that follow. */
  onRecords?(recorded: Recorded, now: UnixMs): readonly Finding[]
  /** Transfers that changed, and keys that ceased because they were joined into others. */
  onTransfers?(changed: readonly Transfer[], ceased: readonly string[], now: UnixMs): void
  /** Something accuses a transfer: what it taught is taken back. */
  onAccused?(transfer: Transfer): void
  /** A transfer was judged, and this was found. Returns the events that follow. */
  onJudged?(
    transfer: Transfer,
    found: readonly Finding[],
    related: RelatedTransfers,
    now: UnixMs,
  ): readonly Finding[]
}

/** What transfers are judged by, beside themselves and what was learned. */
type JudgedBy = Pick<EventContext, 'watermark' | 'horizons' | 'settleMs'> & {
  readonly clockAheadMs: number
}

export interface CommitDeps {
  readonly db: Database
  readonly ledger: Ledger
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Logger, 'warn'>
  readonly engine: Pick<AlertEngine, 'tellEvents' | 'correctEvents' | 'renameSubject' | 'flush'>
  readonly live: Pick<LiveRules, 'rules'>
  readonly kinds: Kinds
  /** What was final before this is history, not news. */
  readonly tellSince: UnixMs
  /** What the configuration says of the bridge. */
  readonly bridge: EventContext['bridge']
  readonly stakes: Pick<Stakes, 'lockedOf' | 'reserveOf' | 'reserveSince'>
  /** What matched transfers have taught; null where nothing is learned. */
  readonly learned: Learned | null
  /** Numbers of requests, to go on with after a restart; null where nothing is asked. */
  readonly numbers: Pick<RequestNumbers, 'save' | 'timeOf'> | null
  readonly timings: Pick<Timings, 'startRules'> | null
  readonly eventRetries: Pick<EventRetries, 'failed'> | null
  /** What checks do inside the transaction, one after the other. */
  readonly hooks: readonly CommitHooks[]
  /** Run before anything is saved, and after each commit that there may be something to send of. */
  readonly before: Iterable<() => void>
  readonly after: Iterable<() => void>
  /** As it is at this moment. */
  readonly judgedBy: () => JudgedBy
}

/**
 * Puts what a reading found into the ledger, with the events that follow from it and the messages about them:
 * one transaction, so that no crash can separate a record from its alert.
 */
export function createCommit(deps: CommitDeps): Commit {
  return (result) => {
    for (const run of deps.before) run()
    const now = deps.clock.now()
    const { news, hasUrgent, isNews } = deps.db.transaction(() => {
      const recorded = (result.answers ?? [])
        .filter((answer) => answer.length > 0)
        .map((answer) => deps.ledger.recordAnswer(answer, now))
      const evidence = [
        ...deps.ledger.recordZoneTransactions(result.zoneTransactions ?? [], now),
        ...deps.ledger.recordEvidence(result.evidence ?? [], now),
        ...(result.judge ?? []).flatMap((key) => {
          const after = deps.ledger.getTransfer(key)
          return after ? [{ before: null, after }] : []
        }),
      ]
      recordRest(deps, result, now)
      const events = onRecords(deps, result.answers, recorded, now)
      const changed = tell(deps, recorded, evidence, now)
      const found = [...events, ...(result.apply?.(now) ?? [])]
      tellFindings(deps, found, now)
      countCommit(deps.db)
      deps.numbers?.save()
      const news = recorded.reduce((sum, one) => sum + one.news, 0)
      const hasUrgent = recorded.some(({ urgent }) => urgent > 0)
      return { news, hasUrgent, isNews: news > 0 || changed > 0 || found.length > 0 }
    }, waits(result))
    // Without news there is nothing to send.
    if (!result.goesOn && (isNews || result.mayWait !== 'without-news')) for (const run of deps.after) run()
    return { news, hasUrgent }
  }
}

function waits({ mayWait }: ReadingResult): MayWait<{ readonly isNews: boolean }> {
  return mayWait === 'without-news' ? ({ isNews }) => !isNews : (mayWait ?? false)
}

function onRecords(
  { hooks }: CommitDeps,
  answers: ReadingResult['answers'],
  recorded: readonly RecordResult[],
  now: UnixMs,
): Finding[] {
  if (!answers) return []
  const changes = recorded.flatMap((result) => result.changes)
  return hooks.flatMap((hook) => hook.onRecords?.({ answers, changes }, now) ?? [])
}

function recordRest({ db, log, hooks }: CommitDeps, result: ReadingResult, now: UnixMs): void {
  recordQuarantine(db, result.bad ?? [], now)
  if (result.heads) for (const hook of hooks) hook.onHeads?.(result.heads, now)
  for (const { chain, height, blockTime, requestedAt } of result.heads ?? []) {
    // By the clock: requests are numbered on from before it was set back.
    const at = Math.min(requestedAt, now)
    const before = recordHead(db, chain, { height, blockTime, at })
    noteFirstHead(db, chain, height, blockTime)
    if (before !== null) log.warn({ chain, before }, 'the head of a chain went back, and stays there')
  }
}

/** @returns how many transfers are other than they were */
function tell(
  deps: CommitDeps,
  recorded: readonly RecordResult[],
  evidence: readonly TransferChange[],
  now: UnixMs,
): number {
  const joined = recorded.flatMap((result) => result.joined)
  for (const { from, to } of joined) deps.engine.renameSubject(from, to, now)
  const changed = listChanged([...recorded.flatMap(({ changes }) => changes), ...evidence])
  if (changed.length > 0 || joined.length > 0) {
    const ceased = joined.map(({ from }) => from)
    for (const hook of deps.hooks) hook.onTransfers?.(changed, ceased, now)
  }
  if (changed.length === 0) return joined.length
  const { learned, numbers } = deps
  const { rules } = deps.live
  const related = createRelated(deps, changed)
  const judgedBy = deps.judgedBy()
  const listedUntil = judgedBy.horizons?.list ?? null
  if (learned)
    learnMoney(
      { ...deps, learned, listedUntil, isAccused: (key) => isAccused(deps, key) },
      changed,
      related,
      now,
    )
  const context = {
    ...judgedBy,
    now,
    tellSince: deps.tellSince,
    bridge: deps.bridge,
    related,
    ...(learned && { learned }),
  }
  const judged = withSameOrigin(changed, related, now)
  verifyClaimed(deps, changed, related, now)
  const timer = deps.timings?.startRules()
  const changes: Finding[] = []
  const evaluations = judged.map((transfer) => {
    const timed = numbers ? withTimes(numbers, transfer, now) : transfer
    const evaluation = evaluateTransfer(rules, timed, context, timer)
    const found = evaluation.detected.map(({ finding }) => finding)
    if (found.some((one) => accuses(deps.kinds, one))) takeBack(deps, transfer)
    // One after the other: what each shows, the next is judged by.
    for (const hook of deps.hooks) changes.push(...(hook.onJudged?.(transfer, found, related, now) ?? []))
    return evaluation
  })
  timer?.done()
  warnOfErrors(deps, evaluations)
  deps.engine.tellEvents(
    evaluations.flatMap(({ matches }) => matches),
    now,
  )
  const judges = ({ kind: name, facts }: Finding, transfer: Transfer) => {
    const kind = deps.kinds.find(name)
    if (kind?.from === 'transfer' && kind.canJudge?.(facts, transfer, context) === false) return false
    return (
      learned === null ||
      kind?.readsActions?.(facts) !== true ||
      !isUnlearned({ transfer, related, learned, bridge: deps.bridge, now }, String(facts['what'] ?? ''))
    )
  }
  deps.engine.correctEvents(judged, toStillFound(rules, judged, evaluations, judges), now)
  deps.engine.flush(now)
  tellFindings(deps, changes, now)
  return changed.length + joined.length
}

function takeBack({ learned, hooks }: CommitDeps, transfer: Transfer): void {
  for (const leg of [transfer.main, transfer.zone]) if (leg !== null) learned?.forget(leg.hash)
  for (const hook of hooks) hook.onAccused?.(transfer)
}

/**
 * Only a rule that was evaluated, and found nothing, takes back what it reported.
 * @param judges whether what it was told by judges such a transfer still
 */
function toStillFound(
  rules: readonly LoadedRule[],
  judged: readonly Transfer[],
  evaluations: readonly Evaluation[],
  judges: (told: Finding, transfer: Transfer) => boolean,
): StillFound {
  const byKey = new Map(
    judged.map((transfer, at) => [transfer.key, { transfer, evaluation: evaluations[at] }]),
  )
  const names = new Set(rules.map(({ name }) => name))
  return (rule, key, told) => {
    const { transfer, evaluation } = byKey.get(key) ?? {}
    if (
      !transfer ||
      !evaluation ||
      !names.has(rule) ||
      evaluation.errors.some((one) => one.rule.name === rule)
    )
      return null
    if (!evaluation.detected.some((one) => one.rule.name === rule))
      return judges(told(), transfer) ? false : null
    // Its `where` asks for something else by now: that takes nothing back.
    return evaluation.matches.some((one) => one.rule.name === rule) ? true : null
  }
}

/** Events that a check found by itself, ready-made. */
function tellFindings(deps: CommitDeps, found: readonly Finding[], now: UnixMs): void {
  if (found.length === 0) return
  const evaluations = found.map((finding) => matchFinding(deps.live.rules, finding, now))
  warnOfErrors(deps, evaluations)
  deps.engine.tellEvents(
    evaluations.flatMap(({ matches }) => matches),
    now,
  )
  deps.engine.flush(now)
}

function warnOfErrors(deps: CommitDeps, evaluations: readonly Evaluation[]): void {
  for (const { rule, subject, error } of evaluations.flatMap(({ errors }) => errors)) {
    deps.log.warn({ rule: rule.name, subject }, `a rule could not be evaluated: ${error}`)
    if (subject !== null) deps.eventRetries?.failed(rule.name, subject, error)
  }
}
