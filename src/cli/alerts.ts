import { createAlertViews, toAlertView } from '../web/views/toAlertView.ts'
import { formatDuration } from '../lib/duration.ts'
import { type AlertStore, createAlertStore } from '../alerts/store/alertStore.ts'
import { suggest } from '../lib/nearest.ts'
import type { LoadedRule } from '../rules/types.ts'
import { cutTo, readLimit, readPast, readWords, usage } from './readOptions.ts'
import type { AlertStory, AlertView } from '../web/caseTypes.ts'
import { type Column, formatTable } from './formatTable.ts'
import { exitCodes, type Io } from './io.ts'
import { styleOf } from './screen.ts'
import { loadProject, readConfig } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
import { section } from './section.ts'
import { findAlert } from '../alerts/operations.ts'
import { toAlertStory } from '../web/views/toAlertStory.ts'
import { cleanText } from '../lib/text.ts'
import { openOperations } from './openOperations.ts'
import { readAuthor, toActor } from './readAuthor.ts'

const allSeverities = ['critical', 'warning', 'info'] as const

export interface AlertsCommand {
  readonly config: string
  readonly open?: boolean
  readonly severity?: string
  readonly rule?: string
  readonly since?: string
  readonly limit: string
  readonly json?: boolean
}

/** `spanwatch alerts list`: newest change first. */
export async function listAlerts(io: Io, options: AlertsCommand): Promise<number> {
  const { config, rules } = await loadProject(io, options.config, { needs: [] })
  const { db } = openLedger(config)
  try {
    const alerts = createAlertStore(db)
    const now = io.clock.now()
    const query = readQuery(options, { rules, alerts, now })
    const source = createAlertViews(alerts, rules, now)
    const { limit } = query
    const { rows, rest } = cutTo(limit, alerts.listAlerts({ ...query, limit: limit + 1 }))
    const views = rows.map((row) => toAlertView(source, row))
    if (options.json) io.out(`${JSON.stringify(views, null, 2)}\n`)
    else if (io.screen === null || views.length === 0) io.out(formatList(views, now))
    else io.out(formatTable(io.screen, listColumns(now), views))
    io.err(rest)
    return exitCodes.fine
  } finally {
    db.close()
  }
}

function readQuery(
  options: AlertsCommand,
  of: { readonly rules: readonly LoadedRule[]; readonly alerts: AlertStore; readonly now: number },
): Parameters<AlertStore['listAlerts']>[0] & { readonly limit: number } {
  const { rule } = options
  const names = of.rules.map(({ name }) => name)
  const severities = readWords('--severity', options.severity, allSeverities)
  const { since } = readPast({ since: options.since }, of.now)
  if (rule !== undefined && !names.includes(rule) && !of.alerts.hasAlertsOf(rule))
    throw usage(`--rule: no rule and no alert is named \`${cleanText(rule, 60)}\`${suggest(rule, names)}`)
  return {
    limit: readLimit(options.limit),
    ...(options.open && { state: 'open' }),
    ...(severities !== null && { severities }),
    ...(rule !== undefined && { rule }),
    ...(since !== null && { changedSince: since }),
  }
}

const listColumns = (now: number): readonly Column<AlertView>[] => [
  { name: 'ID', read: ({ id }) => id },
  { name: 'SEVERITY', read: ({ severity }) => severity, style: ({ severity }) => styleOf(severity) },
  { name: 'STATE', read: nameState, style: (view) => styleOf(nameState(view)) },
  { name: 'HAPPENED', read: ({ since }) => `${formatDuration(Math.max(0, now - since))} ago` },
  { name: 'CASE', read: (view) => view.case?.id ?? '' },
  { name: 'WHAT', read: ({ summary }) => summary, least: 20 },
  { name: 'RULE', read: ({ rule }) => rule, least: 10 },
  { name: 'TOLD', read: sayTold, least: 6 },
]

function nameState({ endedBadly, state }: AlertView): string {
  return endedBadly ? 'ended' : state
}

/** Each channel once, whatever number of messages it got. */
function sayTold({ told }: AlertView): string {
  return [...Map.groupBy(told, ({ channel }) => channel)]
    .map(([channel, items]) => `${channel}${sayQueued(items)}`)
    .join(', ')
}

function sayQueued(items: AlertView['told']): string {
  if (items.every(({ at }) => at !== null)) return ''
  return items.some(({ at }) => at !== null) ? ' (more is queued)' : ' (queued)'
}

function formatList(views: readonly AlertView[], now: number): string {
  if (views.length === 0) return 'No alerts.\n'
  return views
    .map((view) => {
      const ago = (at: number) => `${formatDuration(Math.max(0, now - at))} ago`
      return `${view.id}  ${view.severity.padEnd(8)} ${nameState(view).padEnd(10)} ${view.rule}  happened ${ago(view.since)}, ${view.toldAt === null ? 'not sent yet' : `sent ${ago(view.toldAt)}`}\n          ${view.summary}\n          ${view.title}\n          told: ${sayTold(view) || 'nobody yet'}${view.ack ? `; acknowledged by ${view.ack.by}` : ''}${sayCase(view)}\n`
    })
    .join('')
}

function sayCase(view: AlertView): string {
  return view.case === null ? '' : `; case ${view.case.id}, ${view.case.state}`
}

interface ShowAlertCommand {
  readonly config: string
  readonly json?: boolean
}

/** `spanwatch alerts show`: what it is, what was decided about it and why, and every message. */
export async function showAlert(io: Io, id: string, options: ShowAlertCommand): Promise<number> {
  const { config, rules } = await loadProject(io, options.config, { needs: [] })
  const { db } = openLedger(config)
  try {
    const store = createAlertStore(db)
    const now = io.clock.now()
    const source = createAlertViews(store, rules, now)
    const story = toAlertStory(source, findAlert(store, id))
    io.out(options.json ? `${JSON.stringify(story, null, 2)}\n` : formatStory(story, now))
    return exitCodes.fine
  } finally {
    db.close()
  }
}

function formatStory(story: AlertStory, now: number): string {
  const time = (at: number) => new Date(at).toISOString()
  const clean = (text: string) => cleanText(text, 600)
  const labels = Object.entries(story.labels).map(([name, value]) => `${name}=${clean(value)}`)
  return [
    `#${story.id}  ${story.severity}  ${story.endedBadly ? 'ended' : story.state}  ${story.rule} (${story.kind})\n`,
    `  ${clean(story.summary)}\n  ${clean(story.title)}\n`,
    `  happened   ${time(story.since)}, ${formatDuration(Math.max(0, now - story.since))} ago; episode ${story.episode}\n`,
    `  sent       ${story.toldAt === null ? 'to nobody yet' : time(story.toldAt)}\n`,
    story.case === null ? '' : `  case       ${story.case.id}, ${story.case.state}\n`,
    `  labels     ${labels.join(' ')}\n`,
    story.ack ? `  ack        by ${clean(story.ack.by)} at ${time(story.ack.at)}\n` : '',
    story.heldFor.length === 0 ? '' : `  silenced   to be listed to ${story.heldFor.join(', ')}\n`,
    ...section(
      'evidence',
      story.evidence.map(({ source, at, says }) => `${time(at)}  ${source}: ${clean(says)}`),
    ),
    ...section(
      'messages',
      story.messages.map(
        ({ item, channel, what, state, message, queuedAt, sentAt }) =>
          `${time(sentAt ?? queuedAt)}  ${what} to ${channel}: ${state}${message === null ? '' : ` (#${message})`}, outbox item ${item}`,
      ),
    ),
    ...section(
      'decisions',
      story.decisions.map(({ at, what, reason }) => `${time(at)}  ${what}: ${clean(reason)}`),
    ),
  ].join('')
}

interface AckCommand extends ShowAlertCommand {
  readonly by?: string
}

/** `spanwatch alerts ack`: no reminders until it fires anew. */
export async function ackAlert(io: Io, id: string, options: AckCommand): Promise<number> {
  const author = readAuthor(io, options.by)
  const operations = openOperations(io, readConfig(io, options.config, { needs: ['http'] }).config)
  try {
    const acked = await operations.ackAlert(id, toActor(author))
    if (options.json) io.out(`${JSON.stringify(acked, null, 2)}\n`)
    else
      io.out(
        `#${acked.id} (${acked.rule}) is acknowledged by ${acked.ackedBy}: no reminders until it fires anew.\n`,
      )
    return exitCodes.fine
  } finally {
    operations.close()
  }
}
