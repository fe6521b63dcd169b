import type { KnownEscrow } from '../cases/listKeys.ts'
import type { Finding } from '../bridge/finding.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { Judgement } from '../rules/kind.ts'
import type { Kinds } from '../rules/kinds.ts'
import type { Rule, Severity } from '../rules/types.ts'
import type { AlertHead } from './store/alertRows.ts'
import type { AlertStore } from './store/alertStore.ts'
import type { InhibitRule } from './inhibition.ts'
import { channelDead, messageDead } from './metaKinds.ts'
import type { createMuteTimes } from '../lib/muteTimes.ts'
import { defaultGroupIntervalMs, defaultRepeatMs, type Labels, type Route, selectRoutes } from './routing.ts'

/** What the parts of the alert engine share: its settings, and memory that a restart may lose. */
export interface EngineContext {
  readonly store: AlertStore
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly routes: readonly Route[]
  /** Whether one of them names transfers. */
  readonly asksTransfer: boolean
  readonly inhibitions: readonly InhibitRule[]
  readonly channels: readonly string[]
  /** Those that are told what happens to a case as a whole. */
  readonly following: ReadonlySet<string>
  readonly escrows: readonly KnownEscrow[]
  readonly fallback: string | null
  readonly maxActivePerRule: number
  readonly live: { readonly rules: Iterable<Rule> }
  readonly kinds: Kinds
  /** The instant that is judged by: whoever enters the engine sets it. */
  now: UnixMs
  /** Until when conditions are held after the start, unless released before. */
  hold: { readonly until: UnixMs; readonly isReleased: boolean; readonly hasStarted: boolean }
  /** When this process began to judge; 0 before. */
  startedAt: UnixMs
  /** Rules evaluated since the start. */
  readonly evaluated: Set<string>
  /** Those, and the ones whose evaluation failed. */
  readonly looked: Set<string>
  /** What rules asked for at their last evaluation, and the ids of alerts that were not found since that changed. */
  readonly asked: Map<string, { readonly asks: string; readonly unfound: Set<number> }>
  /** Of what rules could say nothing at their last evaluation, though it is to be watched all the time. */
  readonly blind: Map<string, NonNullable<Judgement['blind']>>
  /** Findings beyond the cap, by rule, as of its last evaluation. */
  readonly overflows: Map<string, number>
  /** When an outage of a source last went on, at an evaluation; null before the first. */
  readonly outage: { lastAt: UnixMs | null }
  /** When a group's window for events closes: later events of the window join it. */
  readonly windows: Map<string, UnixMs>
  /** Alert and episode whose muting was noted: once, not at each flush. */
  readonly mutedNoted: Set<string>
  /** Silences and mute times that held at the last look; null before the first. */
  readonly mutesInForce: { value: string | null }
  /** When silences that end with their transfer were last looked at. */
  readonly overLook: { at: UnixMs }
  /** By route. */
  readonly muteTimes: Map<string, ReturnType<typeof createMuteTimes>>
  readonly routeCache: Map<string, readonly Route[]>
}

/** `rule`, `kind` and `severity` are the engine's, then the finding's own, then the rule's. */
export function labelsOf(rule: Rule, finding: Finding): Labels {
  return { ...rule.labels, ...finding.labels, rule: rule.name, kind: finding.kind, severity: rule.severity }
}

/** What was written by canonicalJson. */
export function parseLabels(text: string): Labels {
  try {
    const labels: unknown = JSON.parse(text)
    return typeof labels === 'object' && labels !== null ? (labels as Labels) : {}
  } catch {
    // Nobody's row stops the others: it goes where everything goes.
    return {}
  }
}

/**
 * Thousands of alerts share a handful of label sets: a predicate runs once for each. One that names a transfer runs for
 * each alert that has one, and each time anew: a transfer gets its hashes one by one.
 */
export function routesFor(
  context: EngineContext,
  { labels: labelsText, transferKey }: Pick<AlertHead, 'labels' | 'transferKey'>,
): readonly Route[] {
  if (transferKey !== null && context.asksTransfer)
    return selectFor(withNames(context, transferKey), parseLabels(labelsText))
  const cached = context.routeCache.get(labelsText)
  if (cached) return cached
  const labels = parseLabels(labelsText)
  const routes = selectFor(context, labels)
  if (context.routeCache.size >= 5_000) context.routeCache.clear()
  context.routeCache.set(labelsText, routes)
  return routes
}

/** The routes for alerts of one transfer; each of the keys that it goes by will do. */
function withNames(
  context: EngineContext,
  transferKey: string,
): Pick<EngineContext, 'routes' | 'channels' | 'fallback'> {
  const { transfer, ...rest } = context.store.readTransferNames(transferKey)
  const others = Object.fromEntries(Object.entries(rest).map(([label, [name = '']]) => [label, name]))
  const routes = context.routes.map((route) => ({
    ...route,
    matches: !route.asksTransfer
      ? route.matches
      : (labels: Labels) => transfer.some((key) => route.matches({ ...labels, ...others, transfer: key })),
  }))
  return { ...context, routes }
}

/** What a channel did not take, and that it is dead, is sent to others: to the fallback channel, else to every other one. */
function selectFor(
  context: Pick<EngineContext, 'routes' | 'channels' | 'fallback'>,
  labels: Labels,
): readonly Route[] {
  if (labels['kind'] !== channelDead.kind && labels['kind'] !== messageDead.kind)
    return selectRoutes(context.routes, labels)
  const others = context.channels.filter((name) => name !== labels['channel'])
  const fallback =
    context.fallback !== null && others.includes(context.fallback) ? [context.fallback] : others
  if (fallback.length === 0) return selectRoutes(context.routes, labels)
  return [
    {
      id: 'channel-dead',
      matches: () => true,
      channels: fallback,
      groupBy: ['channel'],
      groupWaitMs: 0,
      groupIntervalMs: defaultGroupIntervalMs,
      repeatMs: defaultRepeatMs,
      continue: false,
    },
  ]
}

const criticalAgeMs = 24 * 3_600_000
const otherAgeMs = 6 * 3_600_000

/** For how long a message is worth trying. */
export function expiryOf(severity: Severity, now: UnixMs): UnixMs {
  return now + (severity === 'critical' ? criticalAgeMs : otherAgeMs)
}

/** One line of the decision log: in the ledger, and in the log of the process. */
export function note(
  context: Pick<EngineContext, 'store' | 'log'>,
  alert: Pick<AlertHead, 'id' | 'rule' | 'subject'>,
  entry: { readonly what: string; readonly reason: string },
  now: UnixMs,
): void {
  context.log.info({ rule: alert.rule, subject: alert.subject, ...entry }, 'decision')
  context.store.recordDecision({
    at: now,
    alertId: alert.id,
    rule: alert.rule,
    subject: alert.subject,
    ...entry,
  })
}
