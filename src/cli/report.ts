import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { kinds } from '../checks/index.ts'
import { buildDailyReport } from '../report/buildDailyReport.ts'
import { readReportKnowledge } from '../report/readReportKnowledge.ts'
import type { Config } from '../config/config.ts'
import type { DailyReport } from '../report/dailyReport.ts'
import { dayOf, type Period, periodOf, settingNames, shiftDay, windowOf } from '../report/reportDay.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import { makeFolder } from '../lib/makeFolder.ts'
import { createChannel } from '../delivery/channels/createChannel.ts'
import { renderReport } from '../report/render/renderReport.ts'
import { type RenderedReport } from '../delivery/channels/message.ts'
import { toReportMessage } from '../report/render/toReportMessage.ts'
import { createReportStore } from '../report/store.ts'
import { createProgress } from './createBar.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'
import { openLedger } from './openLedger.ts'

export interface ReportCommand {
  readonly config: string
  readonly date: string
  readonly out?: string
  readonly send?: boolean
  readonly json?: boolean
}

/**
 * `spanwatch report`: a day's reconciliation from what the ledger knows now. Prints it, writes it to a folder (mail as
 * HTML and text, charts, CSV), or sends it to the report's channel.
 */
export async function report(io: Io, options: ReportCommand): Promise<number> {
  const { config } = readConfig(io, options.config, { needs: options.send ? ['channels'] : [] })
  const built = await build(io, config, options.date)
  if (options.json) {
    io.out(`${JSON.stringify(built, null, 2)}\n`)
    return exitCodes.fine
  }
  const rendered = await renderReport(built, config.http?.publicUrl ?? null)
  if (options.send) return send(io, config, built, rendered)
  if (options.out === undefined) io.out(rendered.text)
  else for (const path of writeFiles(options.out, rendered)) io.out(`${path}\n`)
  return exitCodes.fine
}

/** By how many periods before the present one. */
const named = new Map<string, { readonly period: Period; readonly back: number }>([
  ['today', { period: 'day', back: 0 }],
  ['yesterday', { period: 'day', back: 1 }],
  ['this-week', { period: 'week', back: 0 }],
  ['last-week', { period: 'week', back: 1 }],
  ['this-month', { period: 'month', back: 0 }],
  ['last-month', { period: 'month', back: 1 }],
])

async function build(io: Io, config: Config, date: string): Promise<DailyReport> {
  const now = io.clock.now()
  const asked = named.get(date)
  const zone = settingsOf(config, asked?.period ?? periodOf(date))?.timezone ?? 'UTC'
  const day = asked === undefined ? date : shiftDay(dayOf(now, zone, asked.period), -asked.back)
  const window = windowOf(day, zone)
  if (window === null) {
    const words = [...named.keys()].join(', ')
    const wanted = `a date such as 2026-03-08, a week such as 2026-W10, a month such as 2026-03, or ${words}`
    throw new MonitorError('usage', `--date: expected ${wanted}, got "${date}"`)
  }
  if (window.from > now)
    throw new MonitorError('usage', `--date: ${day} is not here yet: in ${zone} it is ${dayOf(now, zone)}`)
  const { db, ledger } = openLedger(config)
  const progress = createProgress(io, 'transfers read')
  progress.show({ share: 0, count: 0 })
  try {
    const store = createReportStore(db, periodOf(day) ?? 'day')
    const [before, since] = [store.find(shiftDay(day, -1)), store.readBuiltBefore(day)]
    const knows = await readReportKnowledge({ db, ledger, tokens: config.bridge.tokens }, window, now)
    const onAdvance = (share: number, count: number) => progress.show({ share, count })
    return await buildDailyReport({ db, ledger, kinds, before, since, knows, onAdvance }, window, now)
  } finally {
    progress.end()
    db.close()
  }
}

/** How reports of a period are sent; as those of days are where none is sent of it. */
function settingsOf({ reports }: Config, period: Period | null): Config['reports']['daily'] {
  return reports[settingNames[period ?? 'day']] ?? reports.daily
}

function writeFiles(out: string, rendered: RenderedReport): string[] {
  const folder = resolve(out)
  // A mail names its images by cid; a file in a folder by their names.
  const html = rendered.charts.reduce(
    (text, { name }) => text.replaceAll(`src="cid:${name}"`, `src="${name}-${rendered.day}.png"`),
    rendered.html,
  )
  const files: [string, string | Buffer][] = [
    [`report-${rendered.day}.html`, html],
    [`report-${rendered.day}.txt`, rendered.text],
    ...rendered.charts.map(({ name, png }): [string, Buffer] => [`${name}-${rendered.day}.png`, png]),
    ...rendered.csv.map(({ name, content }): [string, string] => [name, content]),
  ]
  try {
    makeFolder(folder)
    return files.map(([name, content]) => {
      const path = join(folder, name)
      writeFileSync(path, content, { mode: 0o600 })
      return path
    })
  } catch (error) {
    throw new MonitorError('usage', `--out: ${out} cannot be written: ${errorText(error)}`, { cause: error })
  }
}

async function send(io: Io, config: Config, built: DailyReport, rendered: RenderedReport): Promise<number> {
  const period = periodOf(built.window.day)
  const name = settingsOf(config, period)?.channel
  const settings = config.channels.find((channel) => channel.name === name)
  if (name === undefined || !settings) {
    const setting = `reports.${settingNames[period ?? 'day']}.channel`
    throw new MonitorError('usage', `--send: expected ${setting} in the configuration`)
  }
  const channel = createChannel({ clock: io.clock, write: io.out, color: false }, settings)
  try {
    const deliver = { signal: io.stop, degraded: false, recipients: null }
    const message = toReportMessage(built, {
      channel: name,
      attempt: 1,
      pageUrl: config.http?.publicUrl ?? null,
    })
    const answer = channel.deliverReport
      ? await channel.deliverReport(rendered, deliver)
      : await channel.deliver(message, deliver)
    if (answer.result === 'ack') {
      io.out(`The report of ${rendered.day} was sent to ${name}.\n`)
      return exitCodes.fine
    }
    const why = answer.result === 'partial' ? 'some recipients refused it' : answer.reason
    io.err(`${name} did not take the report of ${rendered.day}: ${why}\n`)
    return exitCodes.unreachable
  } finally {
    await channel.close()
  }
}
