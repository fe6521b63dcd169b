import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import type { Secret } from '../lib/secret.ts'
import { cleanText } from '../lib/text.ts'
import { addressOf, createAddressReader } from './clientAddress.ts'
import { type FormGate } from './createFormGate.ts'
import { renderLoginPage } from './pages/loginPage.ts'
import { renderMessagePage } from './pages/messagePage.ts'
import { readFields } from './readFields.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createTryLimiter, type TryLimiter } from './tryLimiter.ts'
import type { AccessResult, Role, WebDeps, WebEnv, WebOptions } from './types.ts'

export interface Access {
  /** Lets a request through that carries a token or a session, one that changes something only with the right to act. */
  readonly guard: MiddlewareHandler<WebEnv>
  readonly showLogin: (c: Context<WebEnv>) => Response | Promise<Response>
  readonly login: (c: Context<WebEnv>) => Promise<Response>
  readonly logout: (c: Context<WebEnv>) => Promise<Response>
}

type Outcome =
  | { readonly result: 'ok'; readonly role: Role }
  | { readonly result: 'none' | 'wrong' | 'foreign' }
  | { readonly result: 'wait'; readonly waitMs: number }

type Refused = Exclude<Outcome, { result: 'ok' }>

/** So much of a session's name is shown in the audit log: enough to tell sessions apart, too little to be one. */
const sessionDigits = 6
/** How long a wrong token waits for its answer once its address had too many. */
const delayMs = 1_000
/** More of them are answered at once: what waits holds a connection. */
const mostDelayed = 16

/** What is known of who may come in. */
interface Door extends Pick<WebDeps, 'clock' | 'log' | 'accesses'> {
  readonly gate: FormGate
  readonly tokens: readonly (readonly [Role, Secret])[]
  readonly sessions: Sessions
  readonly limiter: TryLimiter
  readonly readAddress: ReturnType<typeof createAddressReader>
  /** Wrong tokens whose answers wait now. */
  delayed: number
}

/**
 * Guards every route behind two tokens, `http.token` and `http.readToken`: as `Authorization: Bearer`, or as a session
 * cookie that the login form sets. A right token passes whatever else came from its address.
 */
export function createAccess(
  deps: Pick<WebDeps, 'clock' | 'log' | 'db' | 'accesses'> & { readonly gate: FormGate },
  { token, readToken, trustProxy, sessions }: WebOptions & { readonly token: Secret },
): Access {
  const tokens: (readonly [Role, Secret])[] = [['act', token]]
  if (readToken) tokens.push(['see', readToken])
  const door: Door = {
    ...deps,
    tokens,
    sessions: createSessions(deps, tokens, sessions ?? ''),
    limiter: createTryLimiter(deps.clock),
    readAddress: createAddressReader(trustProxy ?? []),
    delayed: 0,
  }
  return {
    guard: (c, next) => guard(door, c, next),
    showLogin: (c) => {
      const next = toLocalPath(c.req.query('next'))
      return c.html(
        renderLoginPage({ next, problem: null, proof: deps.gate.context(c).proof, site: c.get('site') }),
      )
    },
    login: (c) => login(door, c),
    logout: (c) => logout(door, c),
  }
}

async function guard(door: Door, c: Context<WebEnv>, next: () => Promise<void>): Promise<Response | void> {
  const outcome = await authenticate(door, c)
  const url = new URL(c.req.url)
  if (outcome.result !== 'ok') return refuse(c, door.gate, outcome, `${url.pathname}${url.search}`)
  c.set('role', outcome.role)
  if (outcome.role === 'act' || isReading(c.req.method)) return next()
  count(door, 'not_allowed')
  door.log.warn(describe(door, c), 'a change with the token that may only look was refused')
  return refuseReader(c)
}

async function login(door: Door, c: Context<WebEnv>): Promise<Response> {
  const form = await readFields(c)
  const next = toLocalPath(form['next'])
  // Or another site could sign a reader in as somebody else.
  if (!door.gate.isOwn(c, form['proof'])) return refuse(c, door.gate, { result: 'foreign' }, next)
  const outcome = await tryToken(door, c, (form['token'] ?? '').trim())
  if (outcome.result !== 'ok') return refuse(c, door.gate, outcome, next)
  await door.sessions.open(c, outcome.role)
  count(door, 'signed_in')
  door.log.info({ ...describe(door, c), role: outcome.role }, 'signed in')
  return c.redirect(next, 303)
}

async function logout(door: Door, c: Context<WebEnv>): Promise<Response> {
  const form = await readFields(c)
  if (!door.gate.isOwn(c, form['proof'])) return refuse(c, door.gate, { result: 'foreign' }, '/')
  await door.sessions.end(c)
  count(door, 'signed_out')
  door.log.info(describe(door, c), 'signed out')
  return c.redirect('/login', 303)
}

async function authenticate(door: Door, c: Context<WebEnv>): Promise<Outcome> {
  const bearer = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1]
  if (bearer !== undefined) return tryToken(door, c, bearer)
  const session = await door.sessions.read(c)
  if (session !== null) {
    c.set('session', session.name.slice(0, sessionDigits))
    return { result: 'ok', role: session.role }
  }
  count(door, 'no_token')
  return { result: 'none' }
}

async function tryToken(door: Door, c: Context<WebEnv>, given: string): Promise<Outcome> {
  const role = roleOf(given, door.tokens)
  if (role !== null) return { result: 'ok', role }
  const who = describe(door, c)
  const isOneTooMany = door.limiter.waitMs(who.address) > 0
  door.limiter.countFailure(who.address)
  const waitMs = door.limiter.waitMs(who.address)
  count(door, isOneTooMany ? 'limited' : 'wrong_token')
  if (isOneTooMany) {
    await delay(door)
    return { result: 'wait', waitMs }
  }
  const more = waitMs > 0 ? '; more of this minute are delayed and not logged' : ''
  door.log.warn(who, `a wrong token was refused${more}`)
  return { result: 'wrong' }
}

async function delay(door: Door): Promise<void> {
  if (door.delayed >= mostDelayed) return
  door.delayed += 1
  await door.clock.sleep(delayMs).finally(() => (door.delayed -= 1))
}

function count({ accesses }: Door, result: AccessResult): void {
  accesses.set(result, (accesses.get(result) ?? 0) + 1)
}

/** Who asks for what, for the log: never what was given as a token. */
function describe({ readAddress }: Door, c: Context<WebEnv>) {
  return {
    address: readAddress(addressOf(c), c.req.header('x-forwarded-for')),
    path: cleanText(c.req.path, 200),
  }
}

function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

const problems = {
  none: null,
  wrong: 'That is not the token.',
  foreign: 'This form is too old, or not of this page. Try again.',
} as const

function refuse(
  c: Context<WebEnv>,
  gate: FormGate,
  outcome: Refused,
  next: string,
): Response | Promise<Response> {
  const seconds = outcome.result === 'wait' ? Math.ceil(outcome.waitMs / 1_000) : null
  const problem =
    outcome.result === 'wait'
      ? `That is not the token. Too many wrong tokens came from this address: the next wrong one is answered at once in ${seconds} seconds; the right one always is.`
      : problems[outcome.result]
  const status = outcome.result === 'wait' ? 429 : outcome.result === 'foreign' ? 403 : 401
  if (seconds !== null) c.header('Retry-After', String(seconds))
  else if (outcome.result !== 'foreign') c.header('WWW-Authenticate', 'Bearer realm="spanwatch"')
  if (wantsHtml(c))
    return c.html(
      renderLoginPage({ next, problem, proof: gate.context(c).proof, site: c.get('site') }),
      status,
    )
  return c.json({ error: problem ?? 'This needs the token: Authorization: Bearer <token>.' }, status)
}

const mayOnlyLook = 'http.readToken may look and change nothing: this needs http.token.'

/** What a reader is told who wants to change something. */
export function refuseReader(c: Context<WebEnv>): Response | Promise<Response> {
  if (wantsHtml(c))
    return c.html(
      renderMessagePage(
        'Not allowed',
        `${mayOnlyLook} Sign out and sign in again with that one.`,
        c.get('site'),
      ),
      403,
    )
  return c.json({ code: 'forbidden', error: mayOnlyLook }, 403)
}

function wantsHtml(c: Context<WebEnv>): boolean {
  return (c.req.header('accept') ?? '').includes('text/html')
}

/** Every token is compared, so that the time says neither which one is near nor whether there are two. */
function roleOf(given: string, tokens: readonly (readonly [Role, Secret])[]): Role | null {
  const right = tokens.map(([role, token]) => ({ role, isRight: isSame(given, token.reveal()) }))
  return right.find(({ isRight }) => isRight)?.role ?? null
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
