import { eventOpenMs } from '../alerts/caseOf.ts'
import { formatDuration } from '../lib/duration.ts'
import { allowedMs, type PollerHealth } from '../kernel/running/runner.ts'
import type { EndpointHealth } from '../clients/sourceHealth.ts'
import type { Severity } from '../rules/types.ts'
import type { StatusCase } from './caseTypes.ts'
import type { Coverage, StatusFacts, Verdict } from './statusFacts.ts'
import type { AlertView } from './caseTypes.ts'

/** Queued messages older than this mean that messages do not reach people. */
const slowOutboxMs = 5 * 60_000
const overdueFactor = 3
const overdueFloorMs = 5_000
/** What reads in the background waits while others ask. */
const backgroundFloorMs = 600_000

/**
 * The one word at the top of the page: by cases, in which what is acknowledged counts and what is handled does not. Known harm goes before blindness, blindness before lesser harm: with a
 * critical alert open it is `critical` even when half of the sources are silent, but with a source silent it is
 * never `fine` and never merely `attention`.
 */
export function judgeVerdict(facts: StatusFacts): Verdict {
  const alerts = listLoose(facts)
  const critical = [
    ...facts.cases.filter(({ counts }) => counts === 'critical').map(nameCase),
    ...alerts.filter(({ severity }) => severity === 'critical').map(nameAlert),
  ]
  const warning = [
    ...facts.cases.filter(({ counts }) => counts === 'warning').map(nameCase),
    ...alerts.filter((alert) => isLesser(alert) && !isCovered(alert, alerts)).map(nameAlert),
  ]
  const blind = listBlindSpots(facts, (late) => late.map((one) => sayLate(one, facts.now)))
  const attention = [...warning, ...listChannelProblems(facts)]
  const reasons = [...critical, ...blind, ...attention]
  if (critical.length > 0) return { level: 'critical', reasons }
  if (blind.length > 0) return { level: 'unknown', reasons }
  if (attention.length > 0) return { level: 'attention', reasons }
  return { level: 'fine', reasons: [] }
}

/**
 * What fires, or was found of late, and is in no case, or in one that the list of cases had no room for. What is in a case
 * that was handled or is over does not count.
 */
function listLoose({
  cases,
  openAlerts,
  recentEvents,
  now,
}: Pick<StatusFacts, 'cases' | 'openAlerts' | 'recentEvents' | 'now'>): AlertView[] {
  const listed = new Set(cases.map(({ id }) => id))
  return [...openAlerts.filter(isSpeaking), ...recentEvents.filter(isRecent(now))].filter(
    ({ case: of }) =>
      of === null || ((of.state === 'open' || of.state === 'acknowledged') && !listed.has(of.id)),
  )
}

/** How much of a severity there is, in words: cases, and alerts that are in none; '' for nothing. */
export function countOf(
  facts: Pick<StatusFacts, 'cases' | 'caseCounts' | 'openAlerts' | 'recentEvents' | 'now'>,
  wanted: Severity,
): string {
  const cases = facts.cases.filter(({ counts }) => counts === wanted)
  const taken = cases.filter(({ state }) => state === 'acknowledged').length
  const loose = listLoose(facts)
  const alerts = loose.filter(
    (alert) => alert.severity === wanted && (wanted === 'critical' || !isCovered(alert, loose)),
  ).length
  const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`
  const inHand =
    taken === 0 ? '' : taken === cases.length ? ', acknowledged' : `, ${taken} of them acknowledged`
  const isCut = listedOf(facts.caseCounts) > facts.cases.length && cases.length === facts.cases.length
  return [
    ...(cases.length === 0 ? [] : [`${isCut ? 'at least ' : ''}${count(cases.length, 'case')}${inHand}`]),
    ...(alerts === 0 ? [] : [count(alerts, 'alert')]),
  ].join(' and ')
}

/** How many cases are open or acknowledged. */
function listedOf(counts: StatusFacts['caseCounts']): number {
  return counts.filter(({ state }) => state !== 'handled').reduce((sum, { count }) => sum + count, 0)
}

/** Why nothing can be said of a part of the present, equal reasons in one line; empty when everything was looked at. */
export function sayBlindSpots(facts: StatusFacts): readonly string[] {
  return listBlindSpots(facts, (late) =>
    [...Map.groupBy(late, ({ lastSuccessAt }) => lastSuccessAt === null)].flatMap(([isNew, pollers]) => {
      const [first] = pollers
      if (first === undefined || pollers.length === 1) return pollers.map((one) => sayLate(one, facts.now))
      return isNew && pollers.every((one) => !isOverdue(one, facts.now))
        ? [`${pollers.length} pollers have not finished their first pass`]
        : [`${pollers.length} pollers have not succeeded in time`]
    }),
  )
}

function nameCase({ id, title, state, by }: StatusCase): string {
  return `${id}: ${title}${state === 'acknowledged' ? ` (acknowledged by ${by ?? 'somebody'})` : ''}`
}

/** Why the present cannot be judged; empty when everything that has to be looked at was. */
function listBlindSpots(
  facts: StatusFacts,
  sayPollers: (late: readonly PollerHealth[]) => readonly string[],
): readonly string[] {
  const { now } = facts
  if (facts.coverage.length === 0 && facts.sources.length === 0) return ['No source has been read yet']
  return [
    ...(facts.replica?.role === 'follower' && facts.replica.holder === null
      ? ['No node holds the lease: nobody watches']
      : []),
    ...facts.coverage.flatMap(({ source, lastGoodAt, staleAfterMs }) => {
      if (lastGoodAt === null) return [`${source} has never been read`]
      return isStale({ lastGoodAt, staleAfterMs }, now)
        ? [`${source} was last read ${formatDuration(now - lastGoodAt)} ago`]
        : []
    }),
    ...facts.sources.flatMap(({ source, rejected }) =>
      rejected ? [`${source} refuses our credentials`] : [],
    ),
    ...sayPollers(facts.pollers.filter((one) => one.lastSuccessAt === null || isOverdue(one, now))),
    ...(facts.unchecked == null ? [] : [facts.unchecked]),
    ...(facts.judgedAt != null && now - facts.judgedAt > stuckMs
      ? [`Rules have not been evaluated for ${formatDuration(now - facts.judgedAt)}`]
      : []),
    ...(facts.heads.length === 0 ? ['No chain head has been read yet'] : []),
  ]
}

/** A busy machine is late by seconds. */
const stuckMs = 15_000

function sayLate(health: PollerHealth, now: number): string {
  const { poller, startedAt, lastSuccessAt } = health
  return isOverdue(health, now)
    ? `${poller} has not succeeded for ${formatDuration(now - (lastSuccessAt ?? startedAt))}`
    : `${poller} has not finished its first pass`
}

/** Whether a source has been silent for so long that nothing is known of the present. */
export function isStale(
  { lastGoodAt, staleAfterMs }: Pick<Coverage, 'lastGoodAt' | 'staleAfterMs'>,
  now: number,
): boolean {
  return lastGoodAt === null || now - lastGoodAt > staleAfterMs
}

/**
 * Whether an endpoint gives no good answer. One that failed while all of its source did, and that nobody has asked since
 * others answer again, is not known to fail: it waits to be asked.
 */
export function isFailing(endpoint: EndpointHealth, of: readonly EndpointHealth[]): boolean {
  return lastFailed(endpoint) && !isUnasked(endpoint, of)
}

export function isUnasked(endpoint: EndpointHealth, of: readonly EndpointHealth[]): boolean {
  const { lastFailureAt, ownFailures } = endpoint
  const isBack = of.some(({ lastGoodAt }) => (lastGoodAt ?? -Infinity) > (lastFailureAt ?? Infinity))
  return lastFailed(endpoint) && ownFailures === 0 && isBack
}

function lastFailed({ lastGoodAt, lastFailureAt }: EndpointHealth): boolean {
  return lastFailureAt !== null && lastFailureAt > (lastGoodAt ?? -Infinity)
}

/** Whether a poller's newest success is too long ago. */
export function isOverdue(health: Omit<PollerHealth, 'poller'>, now: number): boolean {
  const { intervalMs, isBackground, startedAt, lastSuccessAt } = health
  const floorMs = isBackground ? backgroundFloorMs : overdueFloorMs
  const limitMs = allowedMs(health, Math.max(overdueFactor * intervalMs, floorMs))
  return now - (lastSuccessAt ?? startedAt) > limitMs
}

export function listChannelProblems({ channels, now }: StatusFacts): readonly string[] {
  return channels.flatMap(({ channel, circuit, oldestAt }) => {
    if (circuit === 'open') return [`Channel ${channel} takes no messages`]
    const waitedMs = oldestAt === null ? 0 : now - oldestAt
    return waitedMs > slowOutboxMs ? [`A message for ${channel} has waited ${formatDuration(waitedMs)}`] : []
  })
}

function isLesser({ severity }: AlertView): boolean {
  return severity === 'warning'
}

/** Something worse is said of its transfer. */
function isCovered({ transferKey }: AlertView, all: readonly AlertView[]): boolean {
  return (
    transferKey !== null && all.some((one) => one.severity === 'critical' && one.transferKey === transferKey)
  )
}

function isSpeaking({ state }: AlertView): boolean {
  return state === 'firing' || state === 'recovering'
}

function isRecent(now: number): (alert: AlertView) => boolean {
  return ({ foundAt }) => now - foundAt <= eventOpenMs
}

function nameAlert({ rule, summary }: AlertView): string {
  return `${rule}: ${summary}`
}
