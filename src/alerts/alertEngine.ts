import type { Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { formatDuration } from '../lib/duration.ts'
import type { Logger } from '../lib/log.ts'
import type { KnownEscrow } from '../cases/listKeys.ts'
import type { Judgement } from '../rules/kind.ts'
import type { Kinds } from '../rules/kinds.ts'
import type { Rule } from '../rules/types.ts'
import { adoptAlerts, eventOpenMs } from './caseOf.ts'
import type { EngineContext } from './engineContext.ts'
import { resumeEscalations } from './escalation.ts'
import { flushGroups } from './flushGroups.ts'
import { joinGroups } from './groupTimers.ts'
import { type InhibitRule, listInhibitions } from './inhibition.ts'
import { dropRules, judgeConditions } from './judgeConditions.ts'
import {
  judgeChannels,
  judgeDeadMessages,
  judgeNoData,
  judgeOverflows,
  judgeRuleErrors,
  noteOverflow,
  saveGoodEvaluation,
} from './judgeMeta.ts'
import { longestSettleMs } from './material.ts'
import { metaKinds, metaRule } from './metaKinds.ts'
import { moveQueued } from './moveQueued.ts'
import { renameSubject } from './renameSubject.ts'
import { defaultRoute, type Route } from './routing.ts'
import { findSilenceProblem } from './silences.ts'
import type { AlertHead } from './store/alertRows.ts'
import type { AlertStore } from './store/alertStore.ts'
import { correctEvents, type EventMatch, type StillFound, tellEvents } from './tellEvents.ts'

export interface AlertSettings {
  /** Empty: everything to every channel. */
  readonly routes: readonly Route[]
  /** Configured ones; the built-in ones hold as well. */
  readonly inhibit: readonly InhibitRule[]
  readonly channels: readonly {
    readonly name: string
    readonly type: string
    readonly followsCases?: boolean
  }[]
  /** Where each token's money is held: findings of one escrow share a cause. */
  readonly escrows?: readonly KnownEscrow[]
  readonly fallback?: string | null
  /** Active conditions of one rule; what goes beyond is counted. */
  readonly maxActivePerRule?: number
}

export interface AlertEngineDeps {
  readonly store: AlertStore
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly settings: AlertSettings
  readonly kinds: Kinds
  /** The rules in force: one with a `monitor.*` kind of the engine's own sets that alert's severity and texts. */
  readonly live: { readonly rules: Iterable<Rule> }
}

/** All of it is synchronous and belongs inside `database.transaction`, together with what caused it. */
export interface AlertEngine {
  /** Once, before anything else: begins the start hold and finds the groups of what was firing. */
  start(now: UnixMs): void
  /** Sources and chains were judged once: conditions need wait no longer. */
  releaseStart(): void
  tellEvents(matches: Iterable<EventMatch>, now: UnixMs): void
  /** Transfers that changed since: their events are corrected where it is otherwise now. */
  correctEvents(transfers: Iterable<Transfer>, stillFound: StillFound, now: UnixMs): void
  applyCondition(rule: Rule, judgement: Judgement, now: UnixMs): void
  /** The rule's `unless` holds: everything stays as it is. */
  excuseCondition(rule: Rule, now: UnixMs): void
  /** The evaluation failed: everything stays as it is. */
  keepCondition(rule: Rule, reason: string, now: UnixMs): void
  /** Ends the alerts of all other rules, and of those that find another kind now. Call after one evaluation of the new rules. */
  dropRules(kept: readonly Pick<Rule, 'name' | 'kind'>[], now: UnixMs): void
  renameSubject(from: string, to: string, now: UnixMs): void
  /** At start: what is queued for channels that are gone goes to others. */
  moveQueued(now: UnixMs): void
  /** Which channels refuse us. Known without it at the next evaluation. */
  judgeChannels(now: UnixMs): void
  /** The machine slept for `byMs`. */
  rebaseClock(byMs: number, now: UnixMs): void
  /** Whether an alert of a kind is firing, for a rule's `unless`. */
  isFiring(kind: string): boolean
  /** Queues what is due; returns when to call again at the latest, null when nothing waits. */
  flush(now: UnixMs): UnixMs | null
}

const startHoldMs = 10_000

const mostSilences = 1_000

const defaultMaxActive = 1_000

/**
 * The life cycle of alerts: findings and judgements in, outbox items out.
 *
 * @example
 * database.transaction(() => {
 *   engine.tellEvents([{ rule, finding }], now)
 *   engine.flush(now)
 * })
 * dispatcher.wake()
 */
export function createAlertEngine(deps: AlertEngineDeps): AlertEngine {
  const context = createContext(deps)
  const at = (now: UnixMs) => {
    context.now = now
    return context
  }
  const { store } = deps
  return {
    start: (now) => start(at(now)),
    releaseStart: () => {
      context.hold = { ...context.hold, isReleased: true }
    },
    tellEvents: (matches, now) => tellEvents(at(now), matches),
    correctEvents: (transfers, found, now) => correctEvents(at(now), transfers, found),
    applyCondition: (rule, judgement, now) =>
      alone(at(now), rule, (context) => applyCondition(context, rule, judgement)),
    excuseCondition: (rule, now) => alone(at(now), rule, (context) => excuseCondition(context, rule)),
    keepCondition: (rule, reason, now) =>
      alone(at(now), rule, (context) => keepCondition(context, rule, reason)),
    dropRules: (kept, now) => dropAll(at(now), kept),
    renameSubject: (from, to, now) => renameSubject(at(now), from, to),
    moveQueued: (now) => moveQueued(at(now)),
    judgeChannels: (now) => judgeChannels(at(now)),
    rebaseClock: (byMs, now) => rebaseClock(at(now), byMs),
    isFiring: (kind) => store.isKindFiring(kind),
    flush: (now) => flushGroups(at(now)),
  }
}

function createContext({ store, log, settings, live, kinds }: AlertEngineDeps): EngineContext {
  const channels = settings.channels.map((channel) => channel.name)
  return {
    store,
    log,
    live,
    kinds,
    channels,
    following: new Set(settings.channels.flatMap((one) => (one.followsCases ? [one.name] : []))),
    escrows: settings.escrows ?? [],
    routes: settings.routes.length > 0 ? settings.routes : [defaultRoute(channels)],
    asksTransfer: settings.routes.some(({ asksTransfer }) => asksTransfer),
    inhibitions: [...listInhibitions(kinds), ...settings.inhibit],
    fallback: settings.fallback ?? null,
    maxActivePerRule: settings.maxActivePerRule ?? defaultMaxActive,
    now: 0,
    startedAt: 0,
    hold: { until: 0, isReleased: true, hasStarted: false },
    evaluated: new Set(),
    looked: new Set(),
    asked: new Map(),
    blind: new Map(),
    overflows: new Map(),
    outage: { lastAt: null },
    windows: new Map(),
    mutedNoted: new Set(),
    mutesInForce: { value: null },
    overLook: { at: 0 },
    muteTimes: new Map(),
    routeCache: new Map(),
  }
}

/** A row that cannot be read holds up its own rule, whose alerts keep their state, and no other. */
function alone(context: EngineContext, rule: Rule, work: (context: EngineContext) => void): void {
  const problem = context.store.attempt(() => work(context))
  if (problem !== null) context.store.attempt(() => keepCondition(context, rule, problem))
}

function dropAll(context: EngineContext, rules: readonly Pick<Rule, 'name' | 'kind'>[]): void {
  const { store, kinds } = context
  const conditions = rules.filter(({ kind }) => kinds.find(kind)?.nature !== 'event')
  const kept = new Map(conditions.map(({ name, kind }) => [name, kind]))
  const parts = [
    () => dropRules(context, (head) => kept.get(head.rule) === head.kind || isMetaRule(context, head)),
    () => {
      for (const { rule } of store.listEvaluations()) if (!kept.has(rule)) store.deleteEvaluation(rule)
    },
    () => judgeRuleErrors(context),
    () => judgeNoData(context),
    () => judgeOverflows(context),
    () => judgeChannels(context),
    () => judgeDeadMessages(context),
  ]
  for (const part of parts) store.attempt(part)
}

/** The engine's own alerts belong to whatever rule is on their kind now. */
function isMetaRule(context: EngineContext, { kind, rule }: Pick<AlertHead, 'kind' | 'rule'>): boolean {
  const meta = metaKinds.find((one) => one.kind === kind)
  return meta !== undefined && metaRule(context.live.rules, meta).name === rule
}

/**
 * Routes may be others than before: what fires, and what has ended and is not told yet, joins the groups it has now, and mute times
 * that are no more hold nothing.
 * Nothing is sent twice to a channel by that.
 */
function start(context: EngineContext): void {
  context.startedAt = context.now
  context.hold = { until: context.now + startHoldMs, isReleased: false, hasStarted: true }
  const { store } = context
  const parts = [
    () => store.clampCases(context.now, eventOpenMs),
    () => store.clampDone(context.now),
    () => adoptAlerts(context),
    () => resumeEscalations(context),
    () => store.resumeHeld(longestSettleMs, context.now),
    () => {
      for (const head of [...store.listActive(), ...store.listEndedMembers()])
        if (head.firedAt !== null) joinGroups(context, head)
    },
    () => warnOfSilences(context),
  ]
  for (const part of parts) store.attempt(part)
}

function warnOfSilences({ store, log, now }: EngineContext): void {
  for (const silence of store.listSilences({ since: now, limit: mostSilences })) {
    const problem = findSilenceProblem(silence)
    if (problem !== null)
      log.warn(
        { silence: silence.id, problem },
        'silence set aside, because it cannot be read: it silences nothing',
      )
  }
}

/** After a jump beyond this nobody's reminder comes before its group's next interval. */
const longJumpMs = 3_600_000

/**
 * The machine slept: every length of what was watched goes on where it was, so that the sleep alone neither fires nor
 * resolves nor repeats anything. Ends of silences are dates and stay.
 */
function rebaseClock(context: EngineContext, byMs: number): void {
  context.store.rebaseTimes(byMs)
  if (Math.abs(byMs) > longJumpMs) context.store.holdRepeats(context.now)
  context.windows.clear()
  context.muteTimes.clear()
  if (!context.hold.isReleased) context.hold = { ...context.hold, until: context.hold.until + byMs }
  const reason = `the machine slept for ${formatDuration(byMs)}`
  context.log.warn({ byMs }, reason)
  context.store.recordDecision({
    at: context.now,
    alertId: null,
    rule: '',
    subject: 'clock',
    what: 'rebased',
    reason,
  })
}

/** One evaluation of a condition rule that gave an answer. */
function applyCondition(context: EngineContext, rule: Rule, judgement: Judgement): void {
  const before = context.store.getEvaluation(rule.name)
  const judged = judgeConditions(context, rule, { judgement, evaluatedAt: before?.evaluatedAt ?? null })
  if (judged.problem !== null) return keepCondition(context, rule, judged.problem)
  const { findings, unknown } = judgement
  const isUnknown = unknown === 'all' && findings.length === 0
  saveGoodEvaluation(context, rule, context.now, {
    unknownSince: isUnknown ? Math.min(before?.unknownSince ?? context.now, context.now) : null,
    unsure: unknown === 'all' ? [] : unknown,
  })
  context.blind.set(rule.name, judgement.blind ?? [])
  if ((before?.errors ?? 0) > 0) judgeRuleErrors(context)
  noteOverflow(context, { rule: rule.name, overflow: judged.overflow })
}

/** The rule's `unless` holds: nothing fires and nothing ends, and that is no lack of data. */
function excuseCondition(context: EngineContext, rule: Rule): void {
  const before = context.store.getEvaluation(rule.name)
  const judgement: Judgement = { findings: [], unknown: 'all' }
  judgeConditions(context, rule, { judgement, evaluatedAt: before?.evaluatedAt ?? null })
  saveGoodEvaluation(context, rule, context.now)
  context.blind.delete(rule.name)
}

/** An evaluation that failed: every alert of the rule keeps its state. */
function keepCondition(context: EngineContext, rule: Rule, reason: string): void {
  context.looked.add(rule.name)
  const before = context.store.getEvaluation(rule.name)
  const errors = (before?.errors ?? 0) + 1
  context.store.saveEvaluation({
    rule: rule.name,
    evaluatedAt: before?.evaluatedAt ?? null,
    errors,
    failingSince: Math.min(before?.failingSince ?? context.now, context.now),
    reason,
    unknownSince: null,
    asks: before?.asks ?? null,
  })
  if (errors === 1) context.log.warn({ rule: rule.name, reason }, 'a rule could not be evaluated')
  judgeRuleErrors(context)
}
