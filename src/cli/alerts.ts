import { createAlertViews, toAlertView } from '../web/views/toAlertView.ts'
import { type AlertStore, createAlertStore } from '../alerts/store/alertStore.ts'
import { suggest } from '../lib/nearest.ts'
import type { LoadedRule } from '../rules/types.ts'
import { cutTo, readLimit, readPast, readWords, usage } from './readOptions.ts'
import { formatList, formatStory, listColumns } from './alertTexts.ts'
import { formatTable } from './formatTable.ts'
import { exitCodes, type Io } from './io.ts'
import { loadProject, readConfig } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
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
