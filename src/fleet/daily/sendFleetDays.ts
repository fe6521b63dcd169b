import { retryDelayMs } from '../../delivery/planDelivery.ts'
import type { Channel, DeliveryResult } from '../../delivery/channels/message.ts'
import type { Clock } from '../../lib/clock.ts'
import { errorText } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import { cleanText } from '../../lib/text.ts'
import type { Query } from '../../replicas/connect.ts'
import { dayOf, dueAt, listDueDays, shiftDay, windowOf } from '../../report/reportDay.ts'
import { readFleetDay } from './fleetDay.ts'
import { renderFleetDay, toFleetMessage } from './renderFleetDay.ts'

export interface FleetDailyDeps {
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly query: Query
  readonly channel: Channel
  readonly settings: { readonly cron: string; readonly timezone: string }
  readonly pageUrl: string | null
}

/** Days that are caught up after a time down; older ones are left. */
const mostCaughtUp = 3
const keptTrying = '24 hours'
/** One that is under way is not begun again before this, by whoever: counting a day may take two minutes, a mail as long. */
const attempt = '5 minutes'
const retryMs = 1_000

/**
 * Sends the report of each day whose time has come, once: its row in PostgreSQL is given to one process at a time, and says
 * what was sent. Asked again and again, so that a restart neither skips a day nor sends it twice.
 */
export async function sendFleetDays(deps: FleetDailyDeps, signal: AbortSignal): Promise<void> {
  await noteDueDays(deps)
  for (let row = await takeDay(deps.query); row !== null && !signal.aborted; row = await takeDay(deps.query))
    await deliver(deps, row, signal)
}

async function noteDueDays({ clock, query, settings }: FleetDailyDeps): Promise<void> {
  const now = clock.now()
  const zone = settings.timezone
  const today = dayOf(now, zone)
  // One of a day to come was made by a wrong clock, here or elsewhere.
  const [last] = await query<{ day: string | null }>(
    'SELECT max(day)::text AS day FROM spanwatch.fleet_reports WHERE day <= $1::date',
    [today],
  )
  if (last?.day == null) {
    // The first report is of the day of the first start.
    await query(
      `INSERT INTO spanwatch.fleet_reports (day, next_at, last_error) VALUES ($1::date, 'infinity', 'before the first start')
       ON CONFLICT DO NOTHING`,
      [shiftDay(today, -1)],
    )
    return
  }
  const { due } = listDueDays({ lastDay: last.day, now, zone, most: mostCaughtUp }, (window) =>
    dueAt(settings, window),
  )
  for (const day of due)
    await query(
      `INSERT INTO spanwatch.fleet_reports (day, next_at) VALUES ($1::date, clock_timestamp()) ON CONFLICT DO NOTHING`,
      [day],
    )
}

interface TakenDay {
  readonly day: string
  readonly attempt: number
  readonly recipients: readonly string[] | null
}

/** The oldest that waits; nobody else gets it while it is under way. */
async function takeDay(query: Query): Promise<TakenDay | null> {
  const [row] = await query<TakenDay>(
    `UPDATE spanwatch.fleet_reports SET attempt = attempt + 1, next_at = clock_timestamp() + interval '${attempt}'
     WHERE day = (SELECT day FROM spanwatch.fleet_reports WHERE sent_at IS NULL AND next_at <= clock_timestamp()
       ORDER BY day LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING day::text, attempt, recipients`,
  )
  return row ?? null
}

async function deliver(deps: FleetDailyDeps, row: TakenDay, signal: AbortSignal): Promise<void> {
  const { query, log, channel } = deps
  const answer = await send(deps, row, signal).catch(
    (error: unknown): DeliveryResult => ({
      result: 'transient',
      reason: `it could not be made or sent: ${cleanText(errorText(error), 300)}`,
    }),
  )
  const facts = { day: row.day, attempt: row.attempt }
  if (answer.result === 'ack' || (answer.result === 'partial' && answer.retry.length === 0)) {
    await noteSent(deps, row, signal)
    log.info(facts, 'report over all bridges delivered')
    return
  }
  const reason = answer.result === 'partial' ? 'some recipients deferred it' : answer.reason
  const waitMs = retryDelayMs({ channelType: channel.type, attempt: row.attempt, random: 0.5 })
  await query(
    `UPDATE spanwatch.fleet_reports SET last_error = $2, recipients = $3::text[],
       next_at = CASE WHEN clock_timestamp() - first_at > interval '${keptTrying}' THEN 'infinity'
         ELSE clock_timestamp() + $4::float8 * interval '1 ms' END
     WHERE day = $1::date`,
    [row.day, cleanText(reason, 300), answer.result === 'partial' ? answer.retry : row.recipients, waitMs],
  )
  log.warn({ ...facts, error: reason }, 'report over all bridges not delivered')
}

/** Until it is written down: without it somebody would send it again. */
async function noteSent(
  { query, clock, log }: FleetDailyDeps,
  { day }: TakenDay,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      await query('UPDATE spanwatch.fleet_reports SET sent_at = clock_timestamp() WHERE day = $1::date', [
        day,
      ])
      return
    } catch (error) {
      if (signal.aborted) throw error
      log.warn({ day, error: errorText(error) }, 'that a report was sent could not be written down')
      await clock.sleep(retryMs, signal)
    }
  }
}

async function send(
  { query, clock, channel, settings, pageUrl }: FleetDailyDeps,
  { day, attempt: tries, recipients }: TakenDay,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const window = windowOf(day, settings.timezone)
  if (window === null) return { result: 'bad_message', reason: `there is no day ${day}` }
  const built = await readFleetDay(query, window, clock.now())
  const options = { signal, degraded: false, recipients }
  if (!channel.deliverReport)
    return channel.deliver(toFleetMessage(built, { channel: channel.name, attempt: tries, pageUrl }), options)
  const rendered = renderFleetDay(built, pageUrl)
  const answer = await channel.deliverReport(rendered, options)
  return answer.result === 'bad_message'
    ? channel.deliverReport(rendered, { ...options, degraded: true })
    : answer
}
