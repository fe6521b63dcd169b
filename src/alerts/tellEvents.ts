import type { Finding } from '../bridge/finding.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { once } from '../lib/once.ts'
import type { Rule } from '../rules/types.ts'
import type { AlertHead, AlertRow } from './store/alertRows.ts'
import type { OutboxWhat } from './store/outboxItems.ts'
import { isUrgent, putIntoCase } from './caseOf.ts'
import { whenToTell } from './caseWindows.ts'
import { moreMoney } from '../cases/judgeCase.ts'
import type { Placed } from '../cases/placeMember.ts'
import { type EngineContext, expiryOf, labelsOf, note, parseLabels } from './engineContext.ts'
import { rankAmount } from '../bridge/amount.ts'
import { keptFinding, toFound } from './findingJson.ts'
import { canonicalJson, fingerprintOf } from './fingerprint.ts'
import { addsNothing, findJoined } from './findJoined.ts'
import { holdEvent } from './heldEvents.ts'
import { compareRanks, stands } from './joining.ts'
import {
  digestMaterial,
  isOnlyFilledIn,
  readMaterial,
  reconsider,
  settlingOf,
  toPresentForm,
} from './material.ts'
import { moveGone } from './moveQueued.ts'
import { listEventChannels } from './mutes.ts'
import { groupKeyOf, groupWaitOf, isByCase, type Route } from './routing.ts'

export interface EventMatch {
  readonly rule: Rule
  readonly finding: Finding
}

/**
 * Raises each event once for ever: its row in the ledger is the mark that it was. What is found again is compared with
 * what was sent; when the facts have changed, a correction follows. Costs the same for the first event and the hundred-thousandth.
 */
export function tellEvents(context: EngineContext, matches: Iterable<EventMatch>): void {
  const kindOf = ({ finding }: EventMatch) => context.kinds.find(finding.kind)
  // What says the most goes first: the rest joins it.
  const sorted = [...matches].sort((a, b) => compareRanks(kindOf(a), kindOf(b)))
  for (const { rule, finding } of sorted) {
    const { kind, subject } = finding
    const fingerprint = fingerprintOf(rule.name, { kind, subject })
    const known = context.store.findAlert(fingerprint)
    if (known) tellAgain(context, known, finding)
    else if (!finding.isOver) tellFirst(context, { rule, finding, fingerprint })
  }
}

function tellFirst(
  context: EngineContext,
  { rule, finding, fingerprint }: EventMatch & { fingerprint: string },
): void {
  const labels = canonicalJson(labelsOf(rule, finding))
  const row = {
    fingerprint,
    labels,
    rule: rule.name,
    kind: finding.kind,
    nature: 'event' as const,
    severity: rule.severity,
    subject: finding.subject,
    transferKey: finding.transfer?.key ?? null,
    state: 'new' as const,
    episode: 1,
    activeAt: context.now,
    firedAt: context.now,
    keepSince: null,
    resolvedAt: null,
    resolvedReason: null,
    ...toFound(finding),
    refreshedAt: context.now,
    material: JSON.stringify([digestMaterial(context.kinds.find(finding.kind), finding)]),
    amountRank: rankAmount(finding.transfer?.amount ?? null),
    runbook: rule.runbook,
    changedAt: context.now,
  }
  const id = context.store.insertAlert(row)
  if (id === null) return
  const alert = { ...row, id, ackedBy: null, ackedAt: null }
  queueEvent(context, alert, { finding, placed: putIntoCase(context, alert, finding) })
}

function queueEvent(
  context: EngineContext,
  alert: AlertRow,
  { finding, placed }: { readonly finding: Finding; readonly placed: Placed | null },
): void {
  const channels = listEventChannels(context, alert)
  const told: string[] = []
  for (const { route, channel, hold } of channels) {
    if (hold) {
      holdEvent(context, alert, { channel, what: 'event', hold })
      continue
    }
    const above = findJoined(context, alert, channel, finding)
    if (above && addsNothing(context, alert, above)) {
      note(context, alert, { what: 'not told', reason: `${above.rule} said it to ${channel}` }, context.now)
      continue
    }
    const what = above ? 'joined' : 'event'
    const at = windowOf(context, route, { alert, caseId: placed?.row.id ?? null })
    queue(context, alert, { channel, what, ...whereOf(context, { route, alert, channel, placed, at }) })
    told.push(channel)
  }
  if (channels.length === 0)
    note(context, alert, { what: 'not told', reason: 'no route matches its labels' }, context.now)
  if (told.length === 0) return
  note(context, alert, { what: 'told', reason: `to ${told.join(', ')}` }, context.now)
}

function queue(
  context: EngineContext,
  alert: AlertRow,
  item: {
    readonly channel: string
    readonly what: OutboxWhat
    readonly notBefore: UnixMs
    readonly caseId: number | null
  },
): void {
  context.store.queueItem({
    alertId: alert.id,
    episode: alert.episode,
    groupKey: null,
    isCritical: isUrgent(context, alert, item.caseId),
    createdAt: context.now,
    expiresAt: expiryOf(alert.severity, context.now),
    change: null,
    ...item,
  })
}

/** In which case it is told, and when: what is but one more of it waits for the next update. */
function whereOf(
  context: EngineContext,
  of: {
    readonly route: Route
    readonly alert: AlertRow
    readonly channel: string
    readonly placed: Placed | null
    readonly at: UnixMs
  },
): { caseId: number | null; notBefore: UnixMs } {
  const { route, alert, channel, placed, at } = of
  if (placed === null || !isByCase(route)) return { caseId: null, notBefore: at }
  const isUrgent = placed.isFirst || placed.reopened !== null || placed.isGraver
  const notBefore = Math.max(at, whenToTell(context, placed.row, { alert, channel, isUrgent }))
  return { caseId: placed.row.id, notBefore }
}

/** A written group wait counts from the first event of a window; those that follow within it join. */
function windowOf(
  context: EngineContext,
  route: Route,
  { alert, caseId }: { readonly alert: AlertRow; readonly caseId: number | null },
): UnixMs {
  const wait = groupWaitOf(route, { nature: 'event', severity: alert.severity })
  if (wait <= 0) return context.now
  const key = groupKeyOf(route, parseLabels(alert.labels), caseId)
  const open = context.windows.get(key)
  if (open !== undefined && open > context.now && open <= context.now + wait) return open
  if (context.windows.size >= 10_000) context.windows.clear()
  context.windows.set(key, context.now + wait)
  return context.now + wait
}

function tellAgain(context: EngineContext, known: AlertHead, finding: Finding): void {
  const kind = context.kinds.find(finding.kind)
  const digest = digestMaterial(kind, finding)
  const stored = readMaterial(known.material)
  if (settlingOf(stored, digest) === null) return learnKeys(context, known, finding)
  const row = context.store.getAlert(known.id)
  if (!row) return
  if (finding.transfer === null && !finding.isOver)
    return tellRecurrence(context, row, { finding, told: stored, digest })
  const told = toPresentForm(kind, stored, { kept: keptFinding(row), found: finding })
  const settlesMs = settlingOf(told, digest)
  if (settlesMs === null) {
    context.store.updateMaterial(row.id, JSON.stringify(told), row.episode, context.now)
    return learnKeys(context, known, finding)
  }
  const placed = putIntoCase(context, row, finding)
  const isNew = !told.includes(digest)
  // An amount that was not known may open again what somebody had taken: who follows no cases hears it by that.
  const isFilledIn = placed?.reopened == null && isOnlyFilledIn(kind, keptFinding(row), finding)
  keepFinding(context, row, { finding, material: [...told, digest], episode: row.episode })
  // What joined it has to be sent by itself from now on.
  if (!stands({ finding, kind })) context.store.touchQuietGroups(context.now)
  if (isFilledIn)
    return note(context, row, { what: 'not told', reason: 'only fills in what was unknown' }, context.now)
  correct(context, row, { settlesMs: placed?.reopened === moreMoney ? 0 : settlesMs, isNew })
}

/** What is known of it by now may tie it to others, as the text of an error that was asked for after it was told. */
function learnKeys(context: EngineContext, known: AlertHead, finding: Finding): void {
  if (finding.isOver || known.state === 'merged') return
  const placed = putIntoCase(context, known, finding)
  if (placed === null) return
  const { labels, severity, runbook } = known
  const amountRank = rankAmount(finding.transfer?.amount ?? null)
  const content = { labels, severity, runbook, amountRank, ...toFound(finding) }
  context.store.updateContent(known.id, content, context.now)
  if (placed.reopened === moreMoney) correct(context, { ...known, ...content }, { settlesMs: 0, isNew: true })
}

/** Without a transfer an event can happen anew: the monitor's state was recovered a second time. */
function tellRecurrence(
  context: EngineContext,
  row: AlertRow,
  { finding, told, digest }: { finding: Finding; told: readonly string[]; digest: string },
): void {
  if (finding.since <= keptFinding(row).since) return
  const again = { ...row, episode: row.episode + 1 }
  keepFinding(context, row, { finding, material: [...told, digest], episode: again.episode })
  context.store.updatePhase(
    row.id,
    { ...again, state: 'new', activeAt: context.now, firedAt: context.now },
    context.now,
  )
  queueEvent(context, again, { finding, placed: putIntoCase(context, again, finding) })
}

const keptDigests = 20

function keepFinding(
  context: EngineContext,
  row: AlertRow,
  news: { readonly finding: Finding; readonly material: readonly string[]; readonly episode: number },
): void {
  const content = {
    ...row,
    ...toFound(news.finding),
    amountRank: rankAmount(news.finding.transfer?.amount ?? null),
  }
  context.store.updateContent(row.id, content, context.now)
  context.store.updateMaterial(
    row.id,
    JSON.stringify(news.material.slice(-keptDigests)),
    news.episode,
    context.now,
  )
}

/**
 * To every channel that got the event, unless it is still queued there: texts are rendered when sent. What has to stand
 * first waits as if it were silenced; what was told before and comes back meanwhile waits anew.
 * @param settles how long it waits, and whether it was never told before: see `settlingOf`
 */
function correct(
  context: EngineContext,
  row: AlertRow,
  { settlesMs, isNew }: { readonly settlesMs: number; readonly isNew: boolean },
): void {
  // What happened to its case says nothing of it.
  const items = context.store
    .listItemsOf(row.id)
    .filter((item) => item.state !== 'dead' && item.what !== 'case')
  const waiting = new Set(
    items.filter((item) => item.state === 'queued' && item.deliveryId === null).map((item) => item.channel),
  )
  const told = [...new Set(items.map((item) => item.channel))].filter((channel) => !waiting.has(channel))
  const holds = listEventChannels(context, row)
  const from = isNew
    ? Math.min(Math.max(0, ...items.map(({ createdAt }) => createdAt)), context.now)
    : context.now
  const until = from + settlesMs
  const settling = until <= context.now ? null : { reason: 'it keeps changing', until, silenceId: null }
  for (const channel of told) {
    const hold = holds.find((entry) => entry.channel === channel)?.hold ?? settling
    if (hold) holdEvent(context, row, { channel, what: 'correction', hold })
    else
      queue(context, row, {
        channel,
        what: 'correction',
        notBefore: context.now,
        // Where it was told: a pager that was told of it alone would ring anew for its case.
        caseId: items.findLast((item) => item.channel === channel)?.caseId ?? null,
      })
    moveGone(context, channel)
  }
  const reason = told.length > 0 ? `facts changed, to ${told.join(', ')}` : 'facts changed before it was sent'
  note(context, row, { what: 'correction', reason }, context.now)
}

/** Whether a rule still finds what was sent of a transfer; null when that was not judged, or can be no more. */
export type StillFound = (rule: string, transferKey: string, told: () => Finding) => boolean | null

/** Transfers that changed: events that were sent of them are corrected where they are otherwise now. */
export function correctEvents(
  context: EngineContext,
  transfers: Iterable<Transfer>,
  stillFound: StillFound,
): void {
  const all = [...transfers]
  const events = Map.groupBy(context.store.listEventsOf(all.map(({ key }) => key)), ({ key }) => key)
  for (const transfer of all) {
    for (const { id, rule } of events.get(transfer.key) ?? []) {
      const row = context.store.getAlert(id)
      if (row === null) continue
      const told = once(() => keptFinding(row))
      const isFound = stillFound(rule, transfer.key, told)
      // What is found was already compared with what was sent, with the facts of today.
      if (isFound === true) continue
      const kind = context.kinds.find(told().kind)
      tellAgain(context, row, reconsider(kind, told(), { transfer, isFound }))
    }
  }
}
