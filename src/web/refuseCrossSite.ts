import type { Context } from 'hono'
import type { WebEnv } from './types.ts'

/**
 * Lets through what this server's own pages send and what no page sends; a page of another site changes nothing here,
 * whatever cookies its reader has. Browsers say with every POST where it comes from; JSON from elsewhere would need a
 * permission that is never given.
 */
export async function refuseCrossSite(
  c: Context<WebEnv>,
  next: () => Promise<void>,
): Promise<Response | void> {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return next()
  const site = c.req.header('sec-fetch-site')
  const origin = c.req.header('origin')
  const isOwn = site === undefined || site === 'same-origin' || site === 'none'
  if (!isOwn || (origin !== undefined && !isSameOrigin(origin, c.req.header('host')))) {
    return c.json({ error: 'This came from another site, and is refused.' }, 403)
  }
  const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return next()
  return c.json({ error: 'expected Content-Type: application/json' }, 415)
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host
}
