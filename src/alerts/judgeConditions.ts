import type { Finding } from '../bridge/finding.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Detector, Judgement } from '../rules/kind.ts'
import type { Rule } from '../rules/types.ts'
import type { AlertHead } from './store/alertRows.ts'
import { type EngineContext, labelsOf, note } from './engineContext.ts'
import { rankAmount } from '../bridge/amount.ts'
import { once } from '../lib/once.ts'
import { keptFinding, toFound } from './findingJson.ts'
import { canonicalJson, fingerprintOf } from './fingerprint.ts'
import { putIntoCase } from './caseOf.ts'
import { lossByChange, noteAsked, noteFound } from './askedBefore.ts'
import { joinGroups, touchGroups } from './groupTimers.ts'
import { gravity } from './joining.ts'
import { type Phase, resumeCondition, type Step, stepCondition, untouched } from './stateMachine.ts'

/** How old the finding of an alert that goes on may be; the text of a reminder is rendered from it. */
const refreshMs = 30_000

/** How an evaluation went. `overflow` counts the findings beyond the cap, `problem` says why it is none. */
export interface Judged {
  readonly overflow: number
  readonly problem: string | null
}

/** One successful evaluation of a condition rule. A subject that it neither finds nor calls unknown is false. */
export function judgeConditions(
  context: EngineContext,
  rule: Rule,
  { judgement, evaluatedAt }: { readonly judgement: Judgement; readonly evaluatedAt: UnixMs | null },
): Judged {
  const findings = judgement.findings.map(toStorable)
  const twice = findTwice(findings)
  if (twice !== null) return { overflow: 0, problem: `two results for ${twice}` }
  const heads = resume(context, rule, evaluatedAt)
  noteAsked(context, rule, heads)
  const left = new Map(heads.map((head) => [head.subject, head]))
  const known = new Set(left.keys())
  let active = heads.length
  let overflow = 0
  let isRefreshed = false
  const { joins } = context.kinds.find(rule.kind) ?? {}
  const rankOf = (finding: Finding) => rankAmount(moneyOf(joins, finding))
  const least = once(() =>
    leastByToken(
      findings.filter(({ subject }) => known.has(subject)),
      rankOf,
    ),
  )
  // Dust that fills the places must not hide a theft: as many again are for what is more than the least of its token that
  // has one, and what several movements lack in all, of which there are few, needs none.
  const hasPlace = (finding: Finding) =>
    active < context.maxActivePerRule ||
    isSum(finding) ||
    (active < context.maxActivePerRule * 2 && rankOf(finding) > (least().get(tokenOf(finding)) ?? ''))
  const ordered = findings.length > context.maxActivePerRule ? byWeight(findings, rankOf) : findings
  for (const finding of ordered) {
    const head = left.get(finding.subject)
    left.delete(finding.subject)
    if (head) {
      const known = keepBeginning(context, head, finding)
      isRefreshed = stepKnown(context, { rule, head, finding: known }) || isRefreshed
    } else if (hasPlace(finding)) {
      active += 1
      stepNew(context, rule, finding)
    } else overflow += 1
  }
  // More money may be gone than what the joined alert names.
  if (isRefreshed && joins?.of === 'escrow') context.store.touchJoined(context.now)
  const { unknown } = judgement
  const unknowns = unknown === 'all' ? null : new Set(unknown.map((subject) => subject.toWellFormed()))
  for (const head of left.values()) {
    if (!unknowns || unknowns.has(head.subject)) continue
    const step = stepCondition(phaseOf(head), false, rule, context.now)
    const resolvedReason = lossOf(context, head, step, judgement) ?? lossByChange(context, head, step)
    move(context, rule, head, { step, finding: null, resolvedReason })
  }
  context.evaluated.add(rule.name)
  context.looked.add(rule.name)
  return { overflow, problem: null }
}

/** What a transfer moves, or lacks at an escrow; token units. */
function moneyOf(joins: Detector['joins'], { transfer, facts }: Finding): string | null {
  if (transfer !== null || joins?.of !== 'escrow') return transfer?.amount ?? null
  return String(facts[joins.missing] ?? '')
}

function tokenOf({ transfer, labels }: Finding): string {
  return transfer?.token.address ?? labels.token ?? ''
}

/** Whether it is what several movements at an escrow lack in all. */
function isSum({ facts: { sum = '' } }: Finding): boolean {
  return sum !== ''
}

type RankOf = (finding: Finding) => string

/** Sums first, then the largest of each token, then the second: amounts of two tokens cannot be compared. */
function byWeight(findings: readonly Finding[], rankOf: RankOf): Finding[] {
  const ranked = findings
    .map((finding) => ({ finding, rank: rankOf(finding) }))
    .sort((a, b) => (a.rank < b.rank ? 1 : a.rank > b.rank ? -1 : 0))
  const before = new Map<string, number>()
  return ranked
    .map(({ finding }) => {
      const token = tokenOf(finding)
      const place = before.get(token) ?? 0
      before.set(token, place + 1)
      return { finding, place: isSum(finding) ? -1 : place }
    })
    .sort((a, b) => a.place - b.place)
    .map(({ finding }) => finding)
}

function leastByToken(findings: readonly Finding[], rankOf: RankOf): ReadonlyMap<string, string> {
  const least = new Map<string, string>()
  for (const finding of findings) {
    const [token, rank] = [tokenOf(finding), rankOf(finding)]
    const known = least.get(token)
    if (known === undefined || rank < known) least.set(token, rank)
  }
  return least
}

/** The ledger keeps text as UTF-8: a subject that is none would read back as another one, and end and begin for ever. */
function toStorable(finding: Finding): Finding {
  const { subject } = finding
  return subject.isWellFormed() ? finding : { ...finding, subject: subject.toWellFormed() }
}

/** Two results with one identity: which of them is true cannot be known. */
function findTwice(findings: readonly Finding[]): string | null {
  const seen = new Set<string>()
  for (const { subject } of findings) {
    if (seen.has(subject)) return subject
    seen.add(subject)
  }
  return null
}

/** The rule's open alerts, not those of a kind that it found before; at its first evaluation after a start with the time spent down taken out. */
function resume(context: EngineContext, rule: Rule, evaluatedAt: UnixMs | null): AlertHead[] {
  const heads = context.store.listActiveOf(rule.name).filter(({ kind }) => kind === rule.kind)
  if (context.evaluated.has(rule.name) || evaluatedAt === null) return heads
  return heads.flatMap((head) => {
    const phase = phaseOf(head)
    const step = resumeCondition(phase, rule, evaluatedAt, context.now)
    if (step.phase === phase) return [head]
    move(context, rule, head, { step, finding: null })
    return step.transition === null ? [{ ...head, ...step.phase }] : []
  })
}

/** Of its life alone: what it says is of now, and must not be taken back with that. */
function phaseOf({ state, activeAt, firedAt, keepSince, resolvedAt, episode }: AlertHead): Phase {
  switch (state) {
    case 'pending':
    case 'firing':
    case 'recovering':
    case 'resolved':
    case 'inactive':
      return { state, activeAt, firedAt, keepSince, resolvedAt, episode }
    case 'new':
    case 'delivered':
    case 'merged':
      return { ...untouched, episode }
  }
}

/**
 * What each reading dates anew began with the first one of its episode. One that lies long before it was found is by a clock
 * that was set since: the times of the episode went with the clock, those of readings did not.
 */
function keepBeginning({ kinds }: EngineContext, head: AlertHead, finding: Finding): Finding {
  const { sinceMoves = false } = kinds.find(finding.kind) ?? {}
  const isMoving = typeof sinceMoves === 'boolean' ? sinceMoves : sinceMoves(finding.facts)
  const { sinceAt, activeAt } = head
  if (!isMoving || sinceAt === null || sinceAt >= finding.since || activeAt - sinceAt > longestReadMs)
    return finding
  return { ...finding, since: sinceAt }
}

/** How old a reading may be by which something is found. */
const longestReadMs = 3_600_000

/** @returns whether what is kept of it is as of now */
function stepKnown(
  context: EngineContext,
  { rule, head, finding }: { rule: Rule; head: AlertHead; finding: Finding },
): boolean {
  noteFound(context, head)
  const step = stepCondition(phaseOf(head), true, rule, context.now)
  const labels = canonicalJson(labelsOf(rule, finding))
  const isStale = context.now - head.refreshedAt >= refreshMs || context.now < head.refreshedAt
  const isRelabelled = labels !== head.labels || rule.severity !== head.severity
  const isOther = isStale || step.transition !== null || isRelabelled
  if (isOther) context.store.updateContent(head.id, contentOf(rule, finding, labels), context.now)
  const present = { ...head, ...contentOf(rule, finding, labels) }
  move(context, rule, present, { step, finding: isOther ? finding : null })
  if (isRelabelled && head.firedAt !== null) relabel(context, present, head)
  return isOther
}

/** Its routes may be others now; that it is more severe is told to whoever knows it already, taken or not. */
function relabel(context: EngineContext, alert: AlertHead, before: Pick<AlertHead, 'severity'>): void {
  joinGroups(context, alert)
  if (gravity[alert.severity] >= gravity[before.severity]) return
  context.store.clearAck(alert.id)
  context.store.remindAlertNow(alert.id, context.now)
}

/** A subject without an open alert: its first, or one that was over. */
function stepNew(context: EngineContext, rule: Rule, finding: Finding): void {
  const { kind, subject } = finding
  const fingerprint = fingerprintOf(rule.name, { kind, subject })
  const labels = canonicalJson(labelsOf(rule, finding))
  const known = context.store.findAlert(fingerprint)
  if (known) {
    context.store.updateContent(known.id, contentOf(rule, finding, labels), context.now)
    const head = { ...known, ...contentOf(rule, finding, labels) }
    return move(context, rule, head, {
      step: stepCondition(phaseOf(known), true, rule, context.now),
      finding,
    })
  }
  const step = stepCondition(untouched, true, rule, context.now)
  const row = {
    ...step.phase,
    ...contentOf(rule, finding, labels),
    fingerprint,
    subject,
    kind,
    rule: rule.name,
    nature: 'condition' as const,
    transferKey: finding.transfer?.key ?? null,
    resolvedReason: null,
    refreshedAt: context.now,
    material: '',
    changedAt: context.now,
  }
  const id = context.store.insertAlert(row)
  if (id !== null) follow(context, { ...row, id, ackedBy: null, ackedAt: null }, { step, finding })
}

function contentOf(rule: Rule, finding: Finding, labels: string) {
  return {
    labels,
    ...toFound(finding),
    severity: rule.severity,
    amountRank: rankAmount(finding.transfer?.amount ?? null),
    runbook: rule.runbook,
  }
}

function lossOf(context: EngineContext, head: AlertHead, step: Step, judgement: Judgement): string | null {
  const row = step.transition === 'resolved' && judgement.lossOf ? context.store.getAlert(head.id) : undefined
  return row ? (judgement.lossOf?.(keptFinding(row)) ?? null) : null
}

function move(
  context: EngineContext,
  rule: Rule,
  head: AlertHead,
  moved: Moved & { readonly resolvedReason?: string | null },
): void {
  const { step, finding, resolvedReason = null } = moved
  if (step.transition === null && isSamePhase(head, step.phase)) {
    // More money may be at risk than before.
    if (finding !== null && (head.state === 'firing' || head.state === 'recovering'))
      putIntoCase(context, head, finding)
    return
  }
  if (step.transition === 'forgotten') forget(context, head)
  else context.store.updatePhase(head.id, { ...step.phase, resolvedReason }, context.now)
  follow(context, { ...head, ...step.phase, rule: rule.name }, { step, finding })
}

/** What never fired and of which nothing was sent leaves nothing to remember; of an episode before the end may be due. */
function forget({ store, now }: EngineContext, head: AlertHead): void {
  if (head.episode === 1 && store.listItemsOf(head.id).length === 0) store.deleteAlert(head.id)
  else store.updatePhase(head.id, { ...head, state: 'inactive', keepSince: null, resolvedReason: null }, now)
}

function isSamePhase(head: AlertHead, phase: Phase): boolean {
  return head.state === phase.state && head.activeAt === phase.activeAt && head.keepSince === phase.keepSince
}

const reasons = {
  pending: 'true, `for` not over',
  fired: 'true for long enough',
  recovering: 'false, kept firing for a while',
  continued: 'true again while kept firing',
  resolved: 'an evaluation said false',
  forgotten: 'false, or not evaluated for long, before `for` was over',
  demoted: '`for` was raised above its age',
} as const

interface Moved {
  readonly step: Step
  /** As it is now; null where it was not found, or is as it was. */
  readonly finding: Finding | null
}

/** What a transition causes. */
function follow(context: EngineContext, alert: AlertHead, { step: { transition }, finding }: Moved): void {
  if (transition === null) return
  note(context, alert, { what: transition, reason: reasons[transition] }, context.now)
  if (transition === 'fired') {
    // What a raised `for` had made pending goes on.
    if (alert.ackedAt !== null && alert.firedAt === context.now) takeBack(context, alert)
    if (finding !== null) putIntoCase(context, alert, finding)
    joinGroups(context, alert)
  } else if (transition === 'resolved') endOf(context, alert)
}

/** What somebody had taken began anew. To who was not told of its end, as of what flaps, it would be the old news. */
function takeBack({ store, now }: EngineContext, { id }: AlertHead): void {
  store.clearAck(id)
  store.remindAlertNow(id, now)
}

function endOf(context: EngineContext, alert: AlertHead): void {
  const row = context.store.getAlert(alert.id)
  if (row !== null) putIntoCase(context, alert, keptFinding(row))
  touchGroups(context, alert)
}

/** Rules that are gone: their firing alerts end with that as the reason, their pending ones are forgotten. */
export function dropRules(context: EngineContext, isKept: (head: AlertHead) => boolean): void {
  for (const head of context.store.listActive()) {
    if (isKept(head)) continue
    if (head.firedAt === null) {
      forget(context, head)
      note(context, head, { what: 'forgotten', reason: 'rule removed' }, context.now)
      continue
    }
    const resolvedReason = 'rule removed'
    context.store.updatePhase(
      head.id,
      { ...head, state: 'resolved', resolvedAt: context.now, resolvedReason },
      context.now,
    )
    note(context, head, { what: 'resolved', reason: resolvedReason }, context.now)
    endOf(context, { ...head, state: 'resolved', resolvedAt: context.now })
  }
}
