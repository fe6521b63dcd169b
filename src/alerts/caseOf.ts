import type { Finding } from '../bridge/finding.ts'
import { asHeldFinding } from '../bridge/movedToken.ts'
import type { UnixMs } from '../lib/clock.ts'
import { listKeys } from '../cases/listKeys.ts'
import { moreMoney, openAgain } from '../cases/judgeCase.ts'
import { hasGrown, toRisk } from '../cases/money.ts'
import { createSpeaking, listQuietChannels } from './mutes.ts'
import type { NewMember, Placed } from '../cases/placeMember.ts'
import type { CaseRow } from '../cases/store/caseRows.ts'
import { type EngineContext, expiryOf, note } from './engineContext.ts'
import { scheduleEscalations } from './escalation.ts'
import { keptFinding } from './findingJson.ts'
import { compareRanks, gravity, isLoss, stands } from './joining.ts'
import { caseMark, defaultGroupIntervalMs } from './routing.ts'
import type { AlertHead } from './store/alertRows.ts'

type CaseAlert = Omit<AlertHead, 'refreshedAt' | 'material' | 'changedAt' | 'fingerprint'>

/** How long an event that is no loss keeps its case open and counts, ms, from when it was found: nobody has to have looked in that minute. */
export const eventOpenMs = 24 * 3_600_000

/**
 * Puts an alert as it is now into its case, and has everybody who follows the case told what that changed: that it
 * opened again, or goes on as another. Costs one look where nothing did. Where rows of the case cannot be read it is told
 * without one.
 */
export function putIntoCase(context: EngineContext, alert: CaseAlert, finding: Finding): Placed | null {
  let placed: Placed | null = null
  context.store.attempt(() => (placed = place(context, alert, finding)))
  return placed
}

function place(context: EngineContext, alert: CaseAlert, finding: Finding): Placed | null {
  const { store, now } = context
  const held = asHeldFinding(finding, store.readWrapping())
  const placed = store.placeMember(toMember(context, alert, held), now)
  if (placed === null) return null
  for (const other of placed.merged) {
    store.moveGroups(caseMark(other.id), caseMark(placed.row.id), now)
    tellChange(context, { row: other, change: 'merged' })
    noteCase(context, placed.row, {
      what: 'case merged',
      reason: `c${other.id} goes on as c${placed.row.id}`,
    })
  }
  if (placed.reopened !== null) {
    store.clearAcks(placed.row.id)
    store.beginEscalations(placed.row.id, placed.row.turn, now)
    // What a silence, a mute time or another alert keeps quiet rings no pager, whatever case it is in; an open case that
    // goes on does.
    const isOpen = placed.merged.some(({ state }) => state === 'open')
    const quiet = isOpen ? new Map<string, string>() : listQuietChannels(context, alert)
    // Who has not heard that it was over hears of more money alone.
    const unaware = placed.wasOver ? store.withdrawClosed(placed.row.id, now) : []
    const silent = new Set([...quiet.keys(), ...(placed.reopened === moreMoney ? [] : unaware)])
    tellChange(context, { row: placed.row, change: 'opened again', quiet: silent })
    // Once it is inhibited no more, who was told before that it fires, and then that the case is over, hears of it.
    for (const [channel, by] of quiet)
      if (by === 'inhibited' && context.following.has(channel))
        store.remindNow({ caseId: placed.row.id, channel, since: now }, now)
    // What was told already says more now, or needs somebody again: a channel that follows no cases would hear it with
    // its next reminder. Of a case that was over nobody had taken what holds now.
    if (!placed.isNew && (placed.reopened === moreMoney || !placed.wasOver))
      remindOf(context, placed.row, context.now)
    noteCase(context, placed.row, { what: 'case opened again', reason: placed.reopened })
  }
  if (placed.isFirst || placed.reopened !== null || placed.isNew || placed.isGraver)
    scheduleEscalations(context, placed.row, { alert, isGraver: placed.isGraver })
  return placed
}

function toMember(context: EngineContext, alert: CaseAlert, finding: Finding): NewMember {
  const kind = context.kinds.find(alert.kind)
  const isEvent = alert.nature === 'event'
  const isOpen = isEvent
    ? stands({ kind, finding })
    : alert.state === 'firing' || alert.state === 'recovering'
  const from = beginningOf(alert, finding)
  const endedAt = alert.resolvedAt ?? context.now
  const isLasting = isEvent && isLoss(kind) && alert.severity === 'critical'
  return {
    alertId: alert.id,
    episode: alert.episode,
    severity: alert.severity,
    keys: listKeys(kind, finding, { rule: alert.rule, escrows: context.escrows }),
    from,
    until: isEvent ? from : isOpen ? null : Math.max(endedAt, from),
    openUntil: isEvent
      ? isOpen
        ? isLasting
          ? null
          : alert.activeAt + eventOpenMs
        : Math.min(context.now, alert.activeAt + eventOpenMs)
      : isOpen
        ? null
        : endedAt,
    isLoss: isLasting && isOpen,
    risk: isOpen ? toRisk(kind, finding) : null,
    title: `${alert.kind}: ${finding.title}`.slice(0, 300),
    isWorse: (one, than) =>
      isWorse(context, (id) => (id === alert.id ? alert : context.store.weighAlert(id)), { one, than }),
  }
}

/** What began long before it was found began anew since: an episode does not reach into those before it. */
function beginningOf({ nature, activeAt }: CaseAlert, { since, transfer }: Finding): UnixMs {
  const from = Math.min(since, activeAt)
  return nature === 'event' || transfer !== null ? from : Math.max(from, activeAt - longestUnseenMs)
}

const longestUnseenMs = 3_600_000

/** More severe; else a loss before others, more money, what says more of a transfer. */
function isWorse(
  { kinds }: EngineContext,
  find: (id: number) => Pick<CaseAlert, 'severity' | 'amountRank' | 'kind'> | null,
  of: { readonly one: number; readonly than: number },
): boolean {
  const [alert, other] = [find(of.one), find(of.than)]
  if (alert === null || other === null) return alert !== null
  const [kind, otherKind] = [kinds.find(alert.kind), kinds.find(other.kind)]
  const bySeverity = gravity[alert.severity] - gravity[other.severity]
  if (bySeverity !== 0) return bySeverity < 0
  const byLoss = Number(isLoss(otherKind)) - Number(isLoss(kind))
  if (byLoss !== 0) return byLoss < 0
  if (alert.amountRank !== other.amountRank) return alert.amountRank > other.amountRank
  return compareRanks(kind, otherKind) < 0
}

/** Something happened to a case as a whole: the channels that follow cases and know this one hear of it. */
export function tellChange(
  context: Pick<EngineContext, 'following' | 'now'> & {
    readonly store: Pick<EngineContext['store'], 'listCaseChannels' | 'queueItem'>
  },
  of: {
    readonly row: Pick<CaseRow, 'id' | 'severity' | 'worstAlert'>
    readonly change: string
    readonly quiet?: ReadonlySet<string>
    readonly afterMs?: number
  },
): void {
  const { row, change, afterMs = 0 } = of
  for (const { channel, caseId } of context.store.listCaseChannels(row.id)) {
    if (!context.following.has(channel) || of.quiet?.has(channel)) continue
    context.store.queueItem({
      alertId: row.worstAlert,
      episode: 0,
      channel,
      what: 'case',
      groupKey: null,
      isCritical: row.severity === 'critical',
      createdAt: context.now,
      notBefore: context.now + afterMs,
      expiresAt: expiryOf(row.severity, context.now),
      caseId,
      change,
    })
  }
}

/** What of a case holds is told once more, to the channels that follow no cases and were told nothing of it since a time. */
function remindOf({ store, channels, following, now }: EngineContext, { id }: CaseRow, since: UnixMs): void {
  for (const channel of channels)
    if (!following.has(channel)) store.remindNow({ caseId: id, channel, since }, now)
}

function noteCase(
  context: EngineContext,
  row: Pick<CaseRow, 'id' | 'worstAlert'>,
  entry: { readonly what: string; readonly reason: string },
): void {
  note(context, { id: row.worstAlert, rule: '', subject: `c${row.id}` }, entry, context.now)
}

/** What belongs to a critical case goes with it, so that all of it is one message. */
export function isUrgent(
  { store }: Pick<EngineContext, 'store'>,
  { severity }: Pick<AlertHead, 'severity'>,
  caseId: number | null,
): boolean {
  return severity === 'critical' || (caseId !== null && store.findCase(caseId)?.severity === 'critical')
}

/** Money was added to a case that had just opened, and nobody has taken it since: it rings anew. */
export function recheckCases(context: EngineContext): void {
  const { store, now } = context
  for (const row of store.listRechecks(now)) {
    const isMore = row.state === 'open' && hasGrown(row.turnMoney, row.money)
    if (!isMore) {
      store.saveCase({ ...row, recheckAt: null })
      continue
    }
    const opened = openAgain(row, now)
    store.saveCase(opened)
    store.beginEscalations(row.id, opened.turn, now)
    store.addCaseLog({ caseId: row.id, at: now, what: 'opened again', by: null, text: moreMoney })
    tellChange(context, { row: opened, change: 'opened again', quiet: listQuiet(context, row) })
    remindOf(context, row, row.turnAt)
    noteCase(context, opened, { what: 'case opened again', reason: moreMoney })
  }
}

/** The channels to which nothing of a case may be said now, because all of it is silenced or muted there. */
function listQuiet(context: EngineContext, { id }: CaseRow): Set<string> {
  const { store, now, following } = context
  const isSpoken = createSpeaking(context)
  const standing = store.listStanding(id, { now, limit: mostAsked })
  // Beyond that something may be heard: rather a ring too many.
  if (standing.length === mostAsked || standing.some((alert) => isSpoken(alert))) return new Set()
  return new Set(following)
}

const mostAsked = 1_000

/** A case that opened again so often within that time flaps. */
const flappingFrom = 2
const flappingMs = 3_600_000
/** What flaps is said to be over once it was for so long: a pager rings no sooner again. */
const closedAfterMs = defaultGroupIntervalMs

/** Of one that somebody has taken each turn is told. */
function flaps({ store, now }: EngineContext, { id, state }: CaseRow): boolean {
  return state === 'open' && store.countReopened(id, now - flappingMs) >= flappingFrom
}

/** Cases of which nothing holds any more are over. */
export function closeCases(context: EngineContext): void {
  for (const row of context.store.listEndedCases(context.now)) {
    const closedAt = row.closeAt ?? context.now
    const closed: CaseRow = { ...row, state: 'closed', closedAt, changedAt: context.now }
    context.store.saveCase(closed)
    context.store.addCaseLog({
      caseId: row.id,
      at: context.now,
      what: 'closed',
      by: null,
      text: 'nothing of it holds any more',
    })
    tellChange(context, { row: closed, change: 'closed', afterMs: flaps(context, row) ? closedAfterMs : 0 })
  }
}

/** What was open before there were cases, or in a ledger that a later version wrote. */
export function adoptAlerts(context: EngineContext): void {
  for (const alert of context.store.listWithoutCase(context.now - eventOpenMs, mostAdopted))
    putIntoCase(context, alert, keptFinding(alert))
}

const mostAdopted = 20_000
