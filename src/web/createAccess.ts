import { createHash, timingSafeEqual } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context, MiddlewareHandler } from 'hono'
import { getSignedCookie, setSignedCookie } from 'hono/cookie'
import type { Clock } from '../lib/clock.ts'
import type { Secret } from '../lib/secret.ts'
import { type FormGate, sessionCookie } from './createFormGate.ts'
import type { WebEnv } from './types.ts'
import { html } from 'hono/html'
import { renderLayout } from './pages/layout.ts'
import type { Html } from './pages/words.ts'

export interface Access {
  /** Lets a request through when it carries the token or a session; else answers 401, or 429 after too many tries. */
  readonly guard: MiddlewareHandler<WebEnv>
  readonly showLogin: (c: Context<WebEnv>) => Response | Promise<Response>
  readonly login: (c: Context<WebEnv>) => Promise<Response>
}

type Outcome =
  | { readonly result: 'ok' | 'none' | 'wrong' | 'foreign' }
  | { readonly result: 'wait'; readonly waitMs: number }

const sessionMs = 12 * 3_600_000

interface TryLimits {
  readonly maxTries: number
  readonly windowMs: number
  /** Bounds the memory; beyond it the address that failed longest ago is forgotten. */
  readonly maxAddresses: number
}

interface TryLimiter {
  /** How long this address has to wait before it may try again; 0 when it may now. */
  waitMs(address: string): number
  countFailure(address: string): void
}

const defaultLimits: TryLimits = { maxTries: 10, windowMs: 60_000, maxAddresses: 1_000 }

/**
 * Guards every route behind one token: as `Authorization: Bearer`, or as a session cookie that the login form sets.
 * Sessions are signed with a key made from the token, so a restart keeps them and a new token ends them.
 */
export function createAccess(
  deps: { readonly clock: Clock; readonly gate: FormGate },
  token: Secret,
): Access {
  const { clock, gate } = deps
  const limiter = createTryLimiter(clock)
  const sessionKey = createHash('sha256').update(`spanwatch session\n${token.reveal()}`).digest('hex')

  function tryToken(c: Context<WebEnv>, given: string): Outcome {
    const address = readAddress(c)
    const waitMs = limiter.waitMs(address)
    if (waitMs > 0) return { result: 'wait', waitMs }
    if (isSame(given, token.reveal())) return { result: 'ok' }
    limiter.countFailure(address)
    return { result: 'wrong' }
  }

  async function authenticate(c: Context<WebEnv>): Promise<Outcome> {
    const bearer = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1]
    if (bearer !== undefined) return tryToken(c, bearer)
    const session = await getSignedCookie(c, sessionKey, sessionCookie)
    return { result: typeof session === 'string' && Number(session) > clock.now() ? 'ok' : 'none' }
  }

  return {
    guard: async (c, next) => {
      const outcome = await authenticate(c)
      if (outcome.result === 'ok') return next()
      const url = new URL(c.req.url)
      return refuse(c, gate, outcome, `${url.pathname}${url.search}`)
    },
    showLogin: (c) =>
      c.html(
        renderLoginPage({
          next: toLocalPath(c.req.query('next')),
          problem: null,
          proof: gate.context(c).proof,
        }),
      ),
    login: async (c) => {
      const form = await c.req.parseBody()
      const next = toLocalPath(form['next'])
      // Or another site could sign a reader in as somebody else.
      if (!gate.isOwn(c, form['proof'])) return refuse(c, gate, { result: 'foreign' }, next)
      const outcome = tryToken(c, typeof form['token'] === 'string' ? form['token'].trim() : '')
      if (outcome.result !== 'ok') return refuse(c, gate, outcome, next)
      await setSignedCookie(c, sessionCookie, String(clock.now() + sessionMs), sessionKey, {
        httpOnly: true,
        // Lax, not Strict: a link in a Slack message or mail has to open the page; no GET changes anything.
        sameSite: 'Lax',
        secure: new URL(c.req.url).protocol === 'https:' || c.req.header('x-forwarded-proto') === 'https',
        path: '/',
        maxAge: sessionMs / 1_000,
      })
      return c.redirect(next, 303)
    },
  }
}

function refuse(
  c: Context<WebEnv>,
  gate: FormGate,
  outcome: Outcome,
  next: string,
): Response | Promise<Response> {
  const problem =
    outcome.result === 'wait'
      ? `Too many wrong tokens. Try again in ${Math.ceil(outcome.waitMs / 1_000)} seconds.`
      : outcome.result === 'wrong'
        ? 'That is not the token.'
        : outcome.result === 'foreign'
          ? 'This form is too old, or not of this page. Try again.'
          : null
  const status = outcome.result === 'wait' ? 429 : outcome.result === 'foreign' ? 403 : 401
  if (outcome.result === 'wait') c.header('Retry-After', String(Math.ceil(outcome.waitMs / 1_000)))
  else if (outcome.result !== 'foreign') c.header('WWW-Authenticate', 'Bearer realm="spanwatch"')
  if (wantsHtml(c)) return c.html(renderLoginPage({ next, problem, proof: gate.context(c).proof }), status)
  return c.json({ error: problem ?? 'This needs the token: Authorization: Bearer <token>.' }, status)
}

function wantsHtml(c: Context<WebEnv>): boolean {
  return (c.req.header('accept') ?? '').includes('text/html')
}

/** Digests have one length, so the comparison shows neither where nor how long the difference is. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

/** Where to go after the login: a path of this server, nothing that leads to another. */
function toLocalPath(value: unknown): string {
  if (typeof value !== 'string' || !URL.canParse(value, 'http://local.invalid')) return '/'
  const url = new URL(value, 'http://local.invalid')
  const isLocal = url.origin === 'http://local.invalid' && !url.pathname.startsWith('//')
  return isLocal && url.pathname !== '/login' ? `${url.pathname}${url.search}` : '/'
}

function readAddress(c: Context<WebEnv>): string {
  return c.env?.incoming ? (getConnInfo(c).remote.address ?? 'unknown') : 'in-process'
}

/** Counts wrong tokens by address, so that a guesser gets ten tries a minute instead of thousands a second. */
export function createTryLimiter(clock: Pick<Clock, 'monotonicMs'>, limits = defaultLimits): TryLimiter {
  const failures = new Map<string, { count: number; readonly since: number }>()

  function read(address: string) {
    const entry = failures.get(groupAddress(address))
    return entry && clock.monotonicMs() - entry.since < limits.windowMs ? entry : null
  }

  return {
    waitMs(address) {
      const entry = read(address)
      if (!entry || entry.count < limits.maxTries) return 0
      return entry.since + limits.windowMs - clock.monotonicMs()
    },
    countFailure(address) {
      const entry = read(address) ?? { count: 0, since: clock.monotonicMs() }
      const group = groupAddress(address)
      failures.delete(group)
      failures.set(group, { ...entry, count: entry.count + 1 })
      const oldest = failures.keys().next()
      if (failures.size > limits.maxAddresses && !oldest.done) failures.delete(oldest.value)
    },
  }
}

/** One host owns a whole IPv6 /64: its addresses count as one. */
export function groupAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const plain = address.replace(/%.*$/, '')
  if (!isIPv6(plain)) return address
  const [head = '', tail] = plain.toLowerCase().split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}

interface LoginView {
  readonly next: string
  readonly problem: string | null
  readonly proof: string
}

function renderLoginPage({ next, problem, proof }: LoginView): Html {
  return renderLayout({
    title: 'Sign in',
    active: null,
    live: false,
    main: html`<form class="card login" method="post" action="/login">
<h1>Sign in</h1>
<p class="muted">This page needs the token of <code>http.token</code> in the configuration.</p>
${problem === null ? '' : html`<p class="problem" role="alert" id="problem">${problem}</p>`}
<input type="text" name="username" value="spanwatch" autocomplete="username" hidden>
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus${problem === null ? '' : html` aria-invalid="true" aria-describedby="problem"`}>
<input type="hidden" name="proof" value="${proof}">
<input type="hidden" name="next" value="${next}">
<button class="primary">Sign in</button>
</form>`,
  })
}
