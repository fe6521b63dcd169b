import { z } from 'zod'
import { MonitorError } from '../../lib/errors.ts'
import { createReportStore } from '../../report/store.ts'
import { caseStates } from '../caseTypes.ts'
import { breakQuery, toBreakQuery } from '../readBreakQuery.ts'
import { escrowPeriods } from '../escrowTypes.ts'
import { gateQuery, toAskedPayment } from '../gate/readAsked.ts'
import { findTokenProblem } from '../namedTokens.ts'
import { readEscrowQuery } from '../readEscrowQuery.ts'
import { toTransferFilter, transferQuery } from '../readTransferFilter.ts'
import type { WebDeps } from '../types.ts'
import { listKnownSilences, listReports, readAudit } from '../views/pageQueries.ts'
import { readEscrowOverview, readEscrowStory } from '../views/readEscrowStory.ts'
import { readSeries } from '../views/readSeries.ts'
import { type ApiRoute, defineRoute, type Given } from './apiRoute.ts'
import { choice, limit, word } from './parameters.ts'
import { alert, alertStory } from './schemas/alert.ts'
import { breakPage } from './schemas/breaks.ts'
import { caseStory, caseView } from './schemas/case.ts'
import { auditPage, outboxItem, rulesView, series } from './schemas/lists.ts'
import { escrowOverview, escrowStory } from './schemas/escrow.ts'
import { gate } from './schemas/gate.ts'
import { report, reportRow } from './schemas/report.ts'
import { shownSilence } from './schemas/silence.ts'
import { status } from './schemas/status.ts'
import { transferPage, transferStory } from './schemas/transfer.ts'

const whole = z.coerce
  .number({ error: 'expected a whole number' })
  .int({ error: 'expected a whole number' })
  .nonnegative({ error: 'expected a whole number' })

const escrowQuery = z.object({
  period: choice(escrowPeriods).default('day'),
  show: choice(['unexplained']).optional().describe('Movements that no transfer explains, the newest first'),
})

/** What the API answers to GET, in the order of its document. */
export const apiRoutes: readonly ApiRoute[] = [
  defineRoute({
    path: '/api/status',
    operation: 'readStatus',
    title: 'The present',
    says: 'everything about the present: `verdict`, `cases` (open and acknowledged, each with the severity by which it `counts`), `moneyAtRisk` in all of them by that severity, `handledCases`, `caseCounts`, `coverage`, `heads`, `sources`, `pollers`, `openAlerts`, `recentEvents`, `inFlight` by age with `normal` and `late`, `totals`, `channels`, `silences`, `preconf`, `escrows`, `probes`, `panels`; `replica`: how this node stands to the others of its bridge ([replicas.md](replicas.md))',
    answer: status,
    respond: (deps) => deps.readStatus(),
  }),
  defineRoute({
    path: '/api/series',
    operation: 'readSeries',
    title: 'Series of the charts',
    says: '`flow`: transfers by the hour, the past day; `latency`: percentiles by quarters of the day, seven days',
    answer: series,
    respond: (deps) => readSeries(deps),
  }),
  defineRoute({
    path: '/api/transfers',
    operation: 'listTransfers',
    title: 'Transfers',
    says: '`transfers`, newest origin first, and `next`; a page that had to look at 20,000 others holds fewer than `limit`, or none, and its `next` goes on',
    query: transferQuery,
    answer: transferPage,
    respond(deps, { query }) {
      checkToken(deps, query.token)
      return deps.listTransfers(toTransferFilter(query))
    },
  }),
  defineRoute({
    path: '/api/transfers/:key',
    operation: 'readTransfer',
    title: 'One transfer',
    says: '`transfers`: each with `transfer`, `observations`, `standing` (the stage of a withdrawal) and `alerts`; a hash can be of several',
    params: { key: 'key, id or hash' },
    answer: z.object({ transfers: z.array(transferStory) }),
    respond: (deps, { param }) => ({ transfers: showTransfer(deps, param('key')) }),
  }),
  defineRoute({
    path: '/api/transfers/:key/verdict',
    operation: 'askGate',
    title: 'Whether a transfer may be paid',
    says: 'the gate ([gate.md](gate.md)), from the ledger alone: `verdict` is `clear`, `wait` or `suspect`; pay only at `clear`. With `questions`, `reasons`, `transfers` of that name each with its own `verdict`, `horizon` and `sources`. A name that the ledger does not know is `wait`, never 404',
    params: { key: 'hash of the origin, id or key' },
    query: gateQuery,
    answer: gate,
    respond: (deps, { query, param }) => deps.askGate(param('key'), toAskedPayment(query)),
  }),
  defineRoute({
    path: '/api/cases',
    operation: 'listCases',
    title: 'Cases',
    says: '`cases`: in the order of the status page, handled ones last; of `closed` and `all` the newest change first',
    query: z.object({
      state: choice([...caseStates, 'all', 'live'])
        .default('live')
        .describe('`live` is all that are not over'),
      limit: limit(100),
    }),
    answer: z.object({ cases: z.array(caseView) }),
    respond: (deps, { query }) => ({ cases: deps.listCases(query) }),
  }),
  defineRoute({
    path: '/api/cases/:id',
    operation: 'readCase',
    title: 'One case',
    says: 'the case with `findings` (the 50 worst), `timeline` (the newest 200, and as many older ones that are more than that a finding joined), `told`, `escalations`, `remedy`, `runbook`, and `kind` and `fields` of the worst of it. One that was merged answers with the case that it goes on as, which its `id` says',
    params: { id: 'as printed, `c42`' },
    answer: caseStory,
    respond: (deps, { param }) => deps.showCase(param('id')),
  }),
  defineRoute({
    path: '/api/breaks',
    operation: 'listBreaks',
    title: 'Breaks',
    says: '`breaks`: what does not reconcile ([reconciliation.md](reconciliation.md)); `total`; `sums` by token, open and settled by hand; `isCut`: there are more than are read at once; `next`; `entries`, the newest 50',
    query: breakQuery,
    answer: breakPage,
    async respond(deps, { query }) {
      checkToken(deps, query.token)
      const { page, entries } = await deps.readBreaks(toBreakQuery(query), { limit: 50, before: null })
      // There is a page, for there is a query.
      if (page === null) throw new Error('no breaks were read')
      return { ...page, entries }
    },
  }),
  defineRoute({
    path: '/api/escrows',
    operation: 'listEscrows',
    title: 'Escrows',
    says: '`escrows`: of each token what its escrows together hold and owe, `inTransit` (leaving, not judged yet) and when that was judged (`at`); `hasNode`: whether a node says what addresses hold',
    answer: escrowOverview,
    respond: ({ escrows }) => readEscrowOverview(escrows),
  }),
  defineRoute({
    path: '/api/escrows/:token',
    operation: 'readEscrow',
    title: 'The escrows of one token',
    says: 'the same of one token, with `baseline` (and whether it `isAssumed`), `places` (each escrow), `course` (held and owed step by step, each step by its moment with the least to spare) and `movements`: the largest of the period, `out` and `in`, each with its `verdict`, `transfers` and `caseId`',
    params: { token: 'an address, or `native`' },
    query: escrowQuery,
    answer: escrowStory,
    respond: showEscrow,
  }),
  defineRoute({
    path: '/api/alerts',
    operation: 'listAlerts',
    title: 'Alerts',
    says: '`alerts`, newest change first, at most 500',
    query: z.object({
      state: choice(['open']).optional().describe('Pending, firing and recovering conditions'),
      nature: choice(['event', 'condition']).optional(),
      q: word('A hash or address that it names'),
    }),
    answer: z.object({ alerts: z.array(alert) }),
    respond(deps, { query: { state, nature, q } }) {
      if (q !== '') return { alerts: deps.listAlerts({ text: q }) }
      return { alerts: deps.listAlerts({ ...(state && { state }), ...(nature && { nature }) }) }
    },
  }),
  defineRoute({
    path: '/api/alerts/:id',
    operation: 'readAlert',
    title: 'One alert',
    says: 'the alert with `decisions`, `messages`, `remedy` and `fields`: label and value as messages say them, with units',
    params: { id: 'as printed, the first 4 or more digits' },
    answer: alertStory,
    respond: (deps, { param }) => deps.showAlert(param('id')),
  }),
  defineRoute({
    path: '/api/silences',
    operation: 'listSilences',
    title: 'Silences',
    says: '`silences` that hold, and those that will; `problem` says why one is set aside and silences nothing, else null',
    answer: z.object({ silences: z.array(shownSilence) }),
    respond: (deps) => ({ silences: listKnownSilences(deps) }),
  }),
  defineRoute({
    path: '/api/audit',
    operation: 'listChanges',
    title: 'The audit log',
    says: '`changes`: what people changed, newest first, each with `at`, `who`, `via` (`cli`, `page`, `api`, `slack`), `address`, `role`, `session`, `what`, `about`, `aboutId`, `detail`; and `next`',
    query: z.object({
      limit: limit(200, 1_000),
      before: whole.default(0).describe('The `next` of the page before'),
    }),
    answer: auditPage,
    respond: (deps, { query: { limit, before } }) => readAudit(deps.db, { limit, before: before || null }),
  }),
  defineRoute({
    path: '/api/outbox',
    operation: 'listOutbox',
    title: 'The outbox',
    says: '`items`, newest first, at most 500',
    query: z.object({ state: choice(['queued', 'dead', 'sent']).default('queued') }),
    answer: z.object({ items: z.array(outboxItem) }),
    respond: (deps, { query: { state } }) => ({ items: deps.listOutbox(state) }),
  }),
  defineRoute({
    path: '/api/rules',
    operation: 'listRules',
    title: 'Rules',
    says: '`rules`: each with when it was judged and what it found; `unwatched`: what the configuration leaves out',
    answer: rulesView,
    respond: (deps) => deps.readRules(),
  }),
  defineRoute({
    path: '/api/reports',
    operation: 'listReports',
    title: 'Reports',
    says: '`reports`: the days, weeks and months that are kept',
    answer: z.object({ reports: z.array(reportRow) }),
    respond: (deps) => ({ reports: listReports(deps.db) }),
  }),
  defineRoute({
    path: '/api/reports/:day',
    operation: 'readReport',
    title: 'One report',
    says: 'the reconciliation as numbers',
    params: { day: 'such as `2026-03-08`, `2026-W10` or `2026-03`' },
    answer: report,
    respond: (deps, { param }) => readReport(deps, param('day')),
  }),
]

/** @throws MonitorError `usage` for a word that names no token: an empty list would read as an answer */
function checkToken({ escrows }: WebDeps, token: string): void {
  const problem = findTokenProblem(token, escrows.tokens)
  if (problem !== null) throw new MonitorError('usage', `token: ${problem}`)
}

function showEscrow({ escrows, clock }: WebDeps, { param, query }: Given<z.output<typeof escrowQuery>>) {
  const { token, ...asked } = readEscrowQuery(param('token'), (name) => query[name as keyof typeof query])
  const story = token === null ? null : readEscrowStory(escrows, { ...asked, token }, clock.now())
  if (story === null) throw new MonitorError('not_found', 'No escrow of such a token is watched.')
  return story
}

function showTransfer(deps: WebDeps, key: string) {
  const stories = deps.showTransfer(key)
  if (stories.length === 0) throw new MonitorError('not_found', 'The ledger holds no such transfer.')
  return stories
}

function readReport({ db }: WebDeps, day: string) {
  const report = createReportStore(db).find(day)
  if (report === null) throw new MonitorError('not_found', 'No report is kept of that day.')
  return report
}
