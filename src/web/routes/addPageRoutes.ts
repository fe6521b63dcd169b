import type { Hono } from 'hono'
import { errorText } from '../../lib/errors.ts'
import type { WebEnv } from '../createAccess.ts'
import { renderMessagePage } from '../pages/messagePage.ts'
import { renderBlindPage, renderStatusPage } from '../pages/statusPage.ts'
import { renderSeveralTransfers, renderTransferPage } from '../pages/transferPage.ts'
import { renderTransfersPage } from '../pages/transfersPage.ts'
import { toTransferPath } from '../pages/words.ts'
import { readTransferFilter } from '../readTransferFilter.ts'
import type { StatusSnapshot, WebDeps } from '../types.ts'

export function addPageRoutes(app: Hono<WebEnv>, deps: WebDeps): void {
  app.get('/', (c) => {
    const status = readStatusSafely(deps)
    return status === null ? c.html(renderBlindPage(), 500) : c.html(renderStatusPage(status))
  })
  app.get('/transfers', (c) => {
    const { typed, filter, problem } = readTransferFilter((name) => c.req.query(name))
    const now = deps.clock.now()
    if (filter === null) return c.html(renderTransfersPage({ typed, page: null, problem, now }), 400)
    const page = deps.listTransfers(filter)
    const [only] = page.transfers
    const isSearch = typed.q !== '' && filter.cursor === null
    if (isSearch && only && page.transfers.length === 1) return c.redirect(toTransferPath(only.key), 303)
    return c.html(renderTransfersPage({ typed, page, problem, now }))
  })
  app.get('/transfers/:key', (c) => {
    const key = c.req.param('key').slice(0, 200)
    const stories = deps.showTransfer(key)
    const [first] = stories
    if (!first) return c.html(renderMessagePage('Not found', 'The ledger holds no such transfer.'), 404)
    const now = deps.clock.now()
    return c.html(
      stories.length === 1 ? renderTransferPage(first, now) : renderSeveralTransfers(key, stories, now),
    )
  })
}

/** Null when the state cannot be read: the page then says that it knows nothing. */
function readStatusSafely(deps: WebDeps): StatusSnapshot | null {
  try {
    return deps.readStatus()
  } catch (error) {
    deps.log.error({ problem: errorText(error) }, 'the status could not be read')
    return null
  }
}
