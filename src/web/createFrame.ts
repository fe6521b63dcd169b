import { readFileSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { HTTPException } from 'hono/http-exception'
import { secureHeaders } from 'hono/secure-headers'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import { errorText, MonitorError } from '../lib/errors.ts'
import { home } from '../lib/home.ts'
import { shortestToken } from '../lib/secret.ts'
import { type Access, createAccess } from './createAccess.ts'
import { createFormGate, type FormGate } from './createFormGate.ts'
import { renderMessagePage } from './pages/messagePage.ts'
import type { WebDeps, WebEnv, WebOptions } from './types.ts'

/** In the order in which they overrule each other. */
const sheets = ['base', 'frame', 'words', 'tables', 'views', 'widths', 'print'].map((name) => `${name}.css`)

const assets = [
  { path: '/assets/app.css', files: sheets, type: 'text/css; charset=utf-8' },
  { path: '/assets/app.js', files: ['app.js'], type: 'text/javascript; charset=utf-8' },
  { path: '/assets/icon.svg', files: ['icon.svg'], type: 'image/svg+xml' },
] as const

type FrameDeps = Pick<WebDeps, 'clock' | 'log' | 'db' | 'accesses'>

/**
 * What every server of pages has: headers, which hosts it answers to, styles and script, and who may come in.
 * @param addOpen adds what needs no token
 * @throws MonitorError `config.invalid` when it would listen beyond this machine without a token
 */
export function createFrame(
  deps: FrameDeps,
  options: WebOptions,
  addOpen: (app: Hono<WebEnv>) => void,
): { readonly app: Hono<WebEnv>; readonly gate: FormGate } {
  const { listenHost, token } = options
  const isLocal = isLoopbackHost(listenHost)
  if (!isLocal) checkTokens(options)
  const app = new Hono<WebEnv>({ strict: false })
  // What stands first has the last word.
  app.use(finish, addHeaders)
  if (options.publicUrl?.startsWith('https:')) app.use(markTls)
  // With a token a page of another site gains nothing by a rebound name, and a proxy may pass its own name on.
  if (isLocal && token === null) app.use(refuseForeignHosts)
  const { site } = options
  if (site !== undefined)
    app.use(async (c, next) => {
      c.set('site', site)
      await next()
    })
  addOpen(app)
  addAssets(app)
  const gate = createFormGate()
  if (token !== null) addAccess(app, createAccess({ ...deps, gate }, { ...options, token }))
  return { app, gate }
}

/** @throws MonitorError when whoever can connect could see or guess his way in */
function checkTokens({ listenHost, token, readToken }: WebOptions): void {
  const reach = `http.listen ${listenHost} can be reached from other machines`
  if (token === null) {
    throw new MonitorError('config.invalid', `${reach}: set http.token, or listen on 127.0.0.1`)
  }
  for (const [name, secret] of [['token', token] as const, ['readToken', readToken] as const]) {
    if (secret && secret.reveal().length < shortestToken) {
      throw new MonitorError(
        'config.invalid',
        `${reach}: http.${name} needs at least ${shortestToken} characters, such as those of openssl rand -hex 16`,
      )
    }
  }
}

/** What stands after this needs a token; what changes something the one that may act, whatever its route. */
function addAccess(app: Hono<WebEnv>, access: Access): void {
  const small = bodyLimit({ maxSize: 8_192 })
  app.get('/login', access.showLogin)
  app.post('/login', small, access.login)
  app.post('/logout', small, access.logout)
  app.use(access.guard)
}

/** What is said where nothing else answers. */
export function addFallbacks(app: Hono<WebEnv>, deps: Pick<WebDeps, 'log'>): void {
  app.notFound((c) => answerProblem(c, 404, 'Not found', 'There is no such page.'))
  app.onError((error, c) => {
    if (error instanceof HTTPException)
      return answerProblem(c, error.status, 'Refused', 'This request is refused.')
    if (error instanceof MonitorError && error.code === 'usage')
      return answerProblem(c, 400, 'Not understood', error.message)
    deps.log.error({ path: c.req.path, problem: errorText(error) }, 'a web request failed')
    return answerProblem(c, 500, 'Failed', 'spanwatch could not answer this. Its log says why.')
  })
}

const addHeaders = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
  },
  xFrameOptions: 'DENY',
  referrerPolicy: 'no-referrer',
  strictTransportSecurity: false,
  // Browsers complain of it where an origin served another kind of document before, as a mail in its sandbox is.
  originAgentCluster: false,
})

async function finish(c: Context<WebEnv>, next: () => Promise<void>): Promise<void> {
  await next()
  c.res.headers.set('Cache-Control', 'no-store')
  const policy = c.get('policy')
  if (policy !== undefined) c.res.headers.set('Content-Security-Policy', policy)
}

async function markTls(c: Context<WebEnv>, next: () => Promise<void>): Promise<void> {
  c.set('isPublicTls', true)
  await next()
}

async function refuseForeignHosts(c: Context<WebEnv>, next: () => Promise<void>): Promise<Response | void> {
  if (!isLoopbackAuthority(c.req.header('host') ?? new URL(c.req.url).host)) {
    return c.json({ error: 'This page answers to names of this machine only, such as 127.0.0.1.' }, 421)
  }
  await next()
}

export function addAssets(app: Hono<WebEnv>): void {
  for (const { path, files, type } of assets) {
    const body = files.map((file) => readFileSync(join(home, 'src/web/assets', file), 'utf8')).join('\n')
    app.get(path, (c) => c.body(body, 200, { 'Content-Type': type }))
  }
}

function answerProblem(c: Context<WebEnv>, status: HTTPException['status'], title: string, text: string) {
  c.status(status)
  const wantsHtml = (c.req.header('accept') ?? '').includes('text/html')
  if (wantsHtml) return c.html(renderMessagePage(title, text, c.get('site')))
  const code = problemCodes[status]
  return c.json({ ...(code !== undefined && { code }), error: text })
}

/** As where an answer of the API says what is wrong with what was asked. */
const problemCodes: Readonly<Record<number, string>> = { 400: 'usage', 404: 'not_found' }

/** Whether an address to listen on can be reached from this machine only. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}

/**
 * Whether a `Host` header names this machine by a loopback name. A page of another site whose name was pointed at
 * 127.0.0.1 (DNS rebinding) still sends that site's name.
 */
export function isLoopbackAuthority(authority: string | undefined): boolean {
  const host = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(authority ?? '')?.[1]
  return host !== undefined && isLoopbackHost(host)
}

const maxStreams = 64
/** A page that gets nothing for twice this long says that it may be out of date (assets/app.js). */
const beatMs = 10_000
/** Changes closer together than this are sent as one. */
const pauseMs = 1_000

/** `/events` says that something changed, never what: the page reads it again through its own route. */
export function addEventRoute(app: Hono<WebEnv>, deps: Pick<WebDeps, 'clock' | 'log' | 'listeners'>): void {
  let streams = 0
  app.get('/events', (c) => {
    // Nobody would read the stream of a HEAD request, nor ever end it.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' })
    if (streams >= maxStreams) return c.json({ error: 'Too many pages are following already.' }, 503)
    streams += 1
    // Without this a proxy may hold the events back until its buffer is full.
    c.header('X-Accel-Buffering', 'no')
    return streamSSE(c, async (stream) => {
      try {
        await follow(deps, stream)
      } catch (error) {
        deps.log.error({ problem: errorText(error) }, 'an event stream failed')
      } finally {
        streams -= 1
      }
    })
  })
}

async function follow(deps: Pick<WebDeps, 'clock' | 'listeners'>, stream: SSEStreamingApi): Promise<void> {
  const { clock, listeners } = deps
  const gone = new AbortController()
  stream.onAbort(() => gone.abort())
  let changed = false
  let wake = () => {}
  const listener = () => {
    changed = true
    wake()
  }
  listeners.add(listener)
  try {
    await stream.writeSSE({ event: 'beat', data: '', retry: 2_000 })
    while (!gone.signal.aborted) {
      const beat = new AbortController()
      const stop = () => beat.abort()
      wake = stop
      gone.signal.addEventListener('abort', stop, { once: true })
      if (!changed) await clock.sleep(beatMs, beat.signal)
      gone.signal.removeEventListener('abort', stop)
      const event = changed ? 'change' : 'beat'
      changed = false
      await stream.writeSSE({ event, data: '' })
      await clock.sleep(pauseMs, gone.signal)
    }
  } finally {
    listeners.delete(listener)
  }
}
