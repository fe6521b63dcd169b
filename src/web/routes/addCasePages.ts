import type { Hono } from 'hono'
import { listCaseLogPage } from '../../cases/store/caseRows.ts'
import { MonitorError } from '../../lib/errors.ts'
import { type CaseQuery, type CaseStory, caseStates } from '../caseTypes.ts'
import type { FormGate } from '../createFormGate.ts'
import { renderCasesPage } from '../pages/caseList.ts'
import { renderCasePage } from '../pages/casePage.ts'
import { listedOfCase, renderCaseFindingsPage, renderCaseTimelinePage } from '../pages/caseTimeline.ts'
import { readOffset } from '../pages/formParts.ts'
import { renderMessagePage } from '../pages/messagePage.ts'
import { toCasePath } from '../pages/words.ts'
import type { WebDeps, WebEnv } from '../types.ts'

const casesShown = 100

/** The list of cases, and the story of each. */
export function addCasePages(app: Hono<WebEnv>, deps: WebDeps, gate: FormGate): void {
  app.get('/cases', (c) => {
    const state = readCaseTab(c.req.query('state'))
    const next = state === 'live' ? '/cases' : `/cases?state=${state}`
    const view = { now: deps.clock.now(), form: gate.context(c), next, alerts: [], limit: casesShown }
    return c.html(renderCasesPage(state, deps.listCases({ state, limit: casesShown }), view))
  })
  app.get('/cases/:id', (c) => {
    const id = c.req.param('id').slice(0, 100)
    const story = findCase(deps, id)
    if (story === null) return c.html(renderMessagePage('Not found', 'The ledger holds no such case.'), 404)
    // One that was merged leads to the one that it goes on as.
    if (story.id !== id) return c.redirect(toCasePath(story.id), 303)
    const known = gate.context(c)
    const form = c.req.query('as') === 'other' ? { ...known, by: '' } : known
    return c.html(renderCasePage(story, { now: deps.clock.now(), form, refused: null }))
  })
  app.get('/cases/:id/:list', (c) => {
    const story = findCase(deps, c.req.param('id').slice(0, 100))
    if (story === null) return c.html(renderMessagePage('Not found', 'The ledger holds no such case.'), 404)
    const offset = readOffset(c.req.query('cursor'))
    const page = { limit: listedOfCase + 1, offset }
    const view = { story, offset, now: deps.clock.now() }
    const list = c.req.param('list')
    if (list === 'findings') {
      const items = deps.listAlerts({ case: story.id, ...page })
      return c.html(renderCaseFindingsPage({ ...view, items }))
    }
    if (list !== 'timeline') return c.notFound()
    const items = listCaseLogPage(deps.db, Number(story.id.slice(1)), page)
    return c.html(renderCaseTimelinePage({ ...view, items }))
  })
}

function readCaseTab(state: string | undefined): CaseQuery['state'] {
  return [...caseStates, 'all' as const].find((one) => one === state) ?? 'live'
}

/** Null when there is none of that name. */
export function findCase(deps: WebDeps, id: string): CaseStory | null {
  try {
    return deps.showCase(id)
  } catch (error) {
    if (error instanceof MonitorError) return null
    throw error
  }
}
