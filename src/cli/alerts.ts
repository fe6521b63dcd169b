import { createAlertViews, toAlertView } from '../web/views/toAlertView.ts'
import { formatDuration } from '../lib/duration.ts'
import { createAlertStore } from '../alerts/store/alertStore.ts'
import type { AlertView } from '../web/types.ts'
import { exitCodes, type Io } from './io.ts'
import { loadProject } from './loadProject.ts'
import { openLedger } from './openLedger.ts'

export interface AlertsCommand {
  readonly config: string
  readonly open?: boolean
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
    const query = { limit: Number(options.limit) || 50, ...(options.open && { state: 'open' as const }) }
    const source = createAlertViews(alerts, () => rules, now)
    const views = alerts.listAlerts(query).map((row) => toAlertView(source, row))
    io.out(options.json ? `${JSON.stringify(views, null, 2)}\n` : format(views, now))
    return exitCodes.fine
  } finally {
    db.close()
  }
}

function format(views: readonly AlertView[], now: number): string {
  if (views.length === 0) return 'No alerts.\n'
  return views
    .map((view) => {
      const told = view.told.map(({ channel, at }) => (at === null ? `${channel} (queued)` : channel))
      const ago = (at: number) => `${formatDuration(Math.max(0, now - at))} ago`
      const state = view.endedBadly ? 'ended' : view.state
      return `${view.id}  ${view.severity.padEnd(8)} ${state.padEnd(10)} ${view.rule}  happened ${ago(view.since)}, ${view.toldAt === null ? 'not told yet' : `told ${ago(view.toldAt)}`}\n          ${view.summary ?? view.title}\n          ${view.title}\n          told: ${told.join(', ') || 'nobody yet'}${view.ack ? `; acknowledged by ${view.ack.by}` : ''}\n`
    })
    .join('')
}
