import { OverBudgetError } from '../rules/cel/budget.ts'
import type { Severity } from '../rules/types.ts'
import type { AlertNature } from './store/alertRows.ts'
import { canonicalJson } from './fingerprint.ts'
import type { MuteTime } from '../lib/muteTimes.ts'

export type Labels = Readonly<Record<string, string>>

export interface Route {
  /** Distinct, also for routes with equal matchers. */
  readonly id: string
  readonly matches: (labels: Labels) => boolean
  /** Whether `matches` names the alert's transfer, which belongs to no alert's labels. */
  readonly asksTransfer?: boolean
  readonly channels: readonly string[]
  /** Names of labels; `case` is the case of the alert. */
  readonly groupBy: readonly string[]
  /** Null when the route does not say: 0 for events and critical alerts, 30 s otherwise. */
  readonly groupWaitMs: number | null
  readonly groupIntervalMs: number
  readonly repeatMs: number
  /** Reminders grow, each twice as late as the one before, up to here; null or none: they do not. */
  readonly maxRepeatMs?: number | null
  /** Whether the end of a condition is sent; yes when left out. */
  readonly sendResolved?: boolean
  /** While one of these holds, this route sends only what is critical. */
  readonly mutes?: readonly MuteTime[]
  /** Where there are any: outside of them, too. */
  readonly active?: readonly MuteTime[]
  /** Whether they hold for what is critical too. */
  readonly muteCritical?: boolean
  /** Who is told too when nobody has taken the case so long after it opened. */
  readonly escalate?: readonly EscalationStep[]
  /** Whether routes below are looked at too. */
  readonly continue: boolean
}

interface EscalationStep {
  readonly afterMs: number
  readonly channels: readonly string[]
}

const defaultGroupWaitMs = 30_000
export const defaultGroupIntervalMs = 300_000
export const defaultRepeatMs = 14_400_000

/** What holds without `routes`: everything to every channel. */
export function defaultRoute(channels: readonly string[]): Route {
  return {
    id: 'default',
    matches: () => true,
    channels: channels.length > 0 ? channels : ['console'],
    groupBy: ['case'],
    groupWaitMs: null,
    groupIntervalMs: defaultGroupIntervalMs,
    repeatMs: defaultRepeatMs,
    continue: false,
  }
}

/**
 * First match; `continue` goes on. A route that throws on these labels does not match them; one that could not finish
 * takes them and goes on, so that they reach somebody.
 */
export function selectRoutes(routes: readonly Route[], labels: Labels): Route[] {
  const selected: Route[] = []
  for (const route of routes) {
    const answer = ask(route, labels)
    if (answer === 'no') continue
    selected.push(route)
    if (answer === 'yes' && !route.continue) break
  }
  return selected
}

function ask(route: Route, labels: Labels): 'yes' | 'no' | 'unfinished' {
  try {
    return route.matches(labels) ? 'yes' : 'no'
  } catch (error) {
    return error instanceof OverBudgetError ? 'unfinished' : 'no'
  }
}

/** Whether a route's alerts are told by case: one message, and one thread, for what shares a cause. */
export function isByCase({ groupBy }: Pick<Route, 'groupBy'>): boolean {
  return groupBy.includes('case')
}

/** A case in a group's key: merged cases are found by it. */
export function caseMark(caseId: number): string {
  return `"case":"c${caseId}"`
}

/** The route and the values of its `groupBy` labels; a missing label is an empty one. */
export function groupKeyOf(route: Route, labels: Labels, caseId: number | null): string {
  const values = route.groupBy.map((name) => [
    name,
    name === 'case' ? (caseId === null ? '' : `c${caseId}`) : (labels[name] ?? ''),
  ])
  return `${route.id} ${canonicalJson(Object.fromEntries(values))}`
}

export function groupWaitOf(
  route: Pick<Route, 'groupWaitMs'>,
  of: { readonly nature: AlertNature; readonly severity: Severity },
): number {
  if (route.groupWaitMs !== null) return route.groupWaitMs
  return of.nature === 'event' || of.severity === 'critical' ? 0 : defaultGroupWaitMs
}

/** No group waits for longer than this before its first message. */
export function longestWaitOf(routes: readonly Pick<Route, 'groupWaitMs'>[]): number {
  return Math.max(...routes.map(({ groupWaitMs }) => groupWaitMs ?? defaultGroupWaitMs))
}

/** A reminder is looked for when a group is flushed: its interval is a multiple of the group's, rounded up. */
export function repeatOf(route: Pick<Route, 'groupIntervalMs' | 'repeatMs'>): number {
  return roundUp(route.repeatMs, route.groupIntervalMs)
}

/** The longest distance of reminders that grow; null when they do not. */
export function maxRepeatOf(
  route: Pick<Route, 'groupIntervalMs' | 'repeatMs' | 'maxRepeatMs'>,
): number | null {
  if (route.maxRepeatMs == null) return null
  return Math.max(roundUp(route.maxRepeatMs, route.groupIntervalMs), repeatOf(route))
}

function roundUp(ms: number, toMultipleOf: number): number {
  return toMultipleOf <= 0 ? ms : Math.ceil(ms / toMultipleOf) * toMultipleOf
}

/**
 * When the next reminder is due after `count` of them: the distance doubles with each.
 * @example growRepeat({ repeatMs: 3_600_000, maxRepeatMs: 86_400_000 }, 2) // 14_400_000
 */
export function growRepeat(
  of: { readonly repeatMs: number; readonly maxRepeatMs: number | null },
  count: number,
): number {
  return of.maxRepeatMs === null
    ? of.repeatMs
    : Math.min(of.repeatMs * 2 ** Math.min(count, 40), of.maxRepeatMs)
}
