import type { Hono } from 'hono'
import { renderEscrowPage } from '../pages/escrowPage.ts'
import { sortEscrows } from '../pages/escrowTable.ts'
import { renderMessagePage } from '../pages/messagePage.ts'
import { readEscrowQuery } from '../readEscrowQuery.ts'
import type { WebDeps, WebEnv } from '../types.ts'
import { readEscrowOverview, readEscrowStory } from '../views/readEscrowStory.ts'

/** The page of the escrows: all tokens, and the story of one. */
export function addEscrowPages(app: Hono<WebEnv>, { escrows, clock, links }: WebDeps): void {
  app.get('/escrows', (c) => {
    const now = clock.now()
    const overview = readEscrowOverview(escrows)
    const asked = readEscrowQuery(c.req.query('token'), (name) => c.req.query(name))
    const token = asked.token ?? sortEscrows(overview.escrows)[0]?.token.address ?? null
    const story = token === null ? null : readEscrowStory(escrows, { ...asked, token }, now)
    if (asked.token !== null && story === null)
      return c.html(renderMessagePage('Not found', 'No escrow of such a token is watched.'), 404)
    return c.html(renderEscrowPage({ overview, story, now, links }))
  })
}
