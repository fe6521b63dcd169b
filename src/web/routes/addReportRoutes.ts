import { createHash } from 'node:crypto'
import type { Context, Hono } from 'hono'
import { renderMessagePage } from '../pages/messagePage.ts'
import { renderReportPage, renderReportsPage } from '../pages/reportsPage.ts'
import type { WebDeps, WebEnv } from '../types.ts'
import { type KeptReport, readKeptReport } from '../../report/readKeptReport.ts'
import { listReports } from '../views/pageQueries.ts'

/** The daily reports that are kept, to be looked at again. */
export function addReportRoutes(app: Hono<WebEnv>, deps: WebDeps): void {
  app.get('/reports', (c) => c.html(renderReportsPage(listReports(deps.db), deps.dailyReport)))
  app.get('/reports/:day', (c) => withReport(c, deps, (report) => c.html(renderReportPage(report))))
  app.get('/reports/:day/mail', (c) =>
    withReport(c, deps, ({ html }) => (c.set('policy', toPolicy(html)), c.html(html))),
  )
  app.get('/reports/:day/:file', (c) =>
    withReport(c, deps, ({ csv }) => {
      const file = csv.find(({ name }) => name === c.req.param('file'))
      if (!file) return c.notFound()
      return c.body(file.content, 200, {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': `attachment; filename="${file.name}"`,
      })
    }),
  )
}

async function withReport(
  c: Context<WebEnv>,
  deps: WebDeps,
  answer: (report: KeptReport) => Response | Promise<Response>,
): Promise<Response> {
  const day = c.req.param('day') ?? ''
  const report = /^\d{4}-\d{2}-\d{2}$/.test(day) ? await readKeptReport(deps.db, day) : null
  if (report !== null) return answer(report)
  return c.html(renderMessagePage('Not found', 'No report is kept of that day.'), 404)
}

/** A mail has its styles inline: exactly those of this page are allowed, and its images lie inside. No script runs. */
function toPolicy(markup: string): string {
  const sheets = [...markup.matchAll(/<style>([\s\S]*?)<\/style>/g)]
  const styles = [...markup.matchAll(/ style="([^"]*)"/g)]
  const texts = new Set([...sheets, ...styles].map(([, text = '']) => decodeEntities(text)))
  const hashes = [...texts].map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
  return `default-src 'none'; img-src data:; style-src 'unsafe-hashes' ${hashes.join(' ')}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox`
}

/** Hashes are of what the browser reads, not of how it is written. */
function decodeEntities(text: string): string {
  return text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}
