import type { AlertEngine } from '../alerts/alertEngine.ts'
import type { Finding } from '../domain/finding.ts'
import type { Transfer } from '../domain/transfer.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { type Evaluation, evaluateTransfer, matchFinding } from '../rules/evaluateRules.ts'
import type { EventContext } from '../rules/detectors/detector.ts'
import type { Rule } from '../rules/types.ts'
import type { Database } from '../store/database.ts'
import { recordHead } from '../store/heads.ts'
import type { Ledger } from '../store/ledger.ts'
import { countCommit } from '../store/openState.ts'
import { recordQuarantine } from '../store/quarantine.ts'
import type { RecordResult, TransferChange } from '../store/recordAnswer.ts'
import type { Commit, Findings } from './reads.ts'

export interface CommitDeps {
  readonly db: Database
  readonly ledger: Ledger
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn'>
  readonly engine: Pick<AlertEngine, 'tellEvents' | 'correctEvents' | 'renameSubject' | 'flush'>
  rules(): readonly Rule[]
  /** What was final before this is history, not news. */
  readonly tellSince: UnixMs
  /** What the configuration says of the bridge. */
  readonly bridge: EventContext['bridge']
  /** After each durable commit. */
  onCommitted(): void
}

/**
 * Puts what a reading found into the ledger, with the events that follow from it and the messages that tell them:
 * one transaction, so that no crash can separate a record from its alert.
 */
export function createCommit(deps: CommitDeps): Commit {
  return (findings) => {
    const now = deps.clock.now()
    const results = deps.db.transaction(() => {
      const recorded = (findings.answers ?? [])
        .filter((answer) => answer.length > 0)
        .map((answer) => deps.ledger.recordAnswer(answer, now))
      const evidence = deps.ledger.recordZoneTransactions(findings.zoneTransactions ?? [], now)
      recordRest(deps.db, findings, now)
      tell(deps, recorded, evidence, now)
      tellFindings(deps, findings.apply?.(now) ?? [], now)
      countCommit(deps.db)
      return recorded
    })
    deps.onCommitted()
    return {
      news: results.reduce((sum, { news }) => sum + news, 0),
      hasUrgent: results.some(({ urgent }) => urgent > 0),
    }
  }
}

function recordRest(db: Database, findings: Findings, now: UnixMs): void {
  recordQuarantine(db, findings.bad ?? [], now)
  for (const { chain, height, blockTime, requestedAt } of findings.heads ?? []) {
    recordHead(db, { chain, height, blockTime, readAt: requestedAt })
  }
}

function tell(
  deps: CommitDeps,
  recorded: readonly RecordResult[],
  evidence: readonly TransferChange[],
  now: UnixMs,
): void {
  for (const { from, to } of recorded.flatMap(({ joined }) => joined))
    deps.engine.renameSubject(from, to, now)
  const changed = listChanged([...recorded.flatMap(({ changes }) => changes), ...evidence])
  if (changed.length === 0) return
  const rules = deps.rules()
  const context = { now, tellSince: deps.tellSince, bridge: deps.bridge }
  const evaluations = changed.map((transfer) => evaluateTransfer(rules, transfer, context))
  warnOfErrors(deps, evaluations)
  deps.engine.tellEvents(
    evaluations.flatMap(({ matches }) => matches),
    now,
  )
  deps.engine.correctEvents(changed, now)
  deps.engine.flush(now)
}

/** Events that a check found by itself, ready-made. */
function tellFindings(deps: CommitDeps, found: readonly Finding[], now: UnixMs): void {
  if (found.length === 0) return
  const rules = deps.rules()
  const evaluations = found.map((finding) => matchFinding(rules, finding, now))
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
  }
}

/** The last word on each transfer that is other than it was; being read again alone is no change. */
function listChanged(changes: readonly TransferChange[]): Transfer[] {
  const changed = new Map<string, Transfer>()
  for (const { before, after } of changes) {
    if (changed.has(after.key) || before === null || isOther(before, after)) changed.set(after.key, after)
  }
  return [...changed.values()]
}

function isOther(before: Transfer, after: Transfer): boolean {
  return (
    before.changedAt !== after.changedAt ||
    before.state !== after.state ||
    before.confirmedStatus !== after.confirmedStatus ||
    before.rewrites.length !== after.rewrites.length ||
    before.evidence.length !== after.evidence.length ||
    before.evidence.some((evidence, index) => evidence.status !== after.evidence[index]?.status)
  )
}
