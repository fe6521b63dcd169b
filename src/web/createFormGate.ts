import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { cleanText } from '../lib/text.ts'
import type { Role, WebEnv } from './types.ts'

/** What the forms of a page need. */
export interface FormContext {
  /** Goes back with every form: only a page of this server knows it. */
  readonly proof: string
  /** Who used a form here last; '' when nobody did. */
  readonly by: string
  /** What the reader may do; null where no token is asked for, and everybody may act. */
  readonly role: Role | null
}

/** Whether the reader of a page may change something: forms of what he may not do are left out. */
export function mayAct({ role }: FormContext): boolean {
  return role !== 'see'
}

export interface FormGate {
  context(c: Context<WebEnv>): FormContext
  /** Whether a form was sent by a page of this server; `proof` is its hidden field. */
  isOwn(c: Context<WebEnv>, proof: unknown): boolean
  /** Keeps a name for the next form. */
  remember(c: Context<WebEnv>, by: string): void
}

const nameCookie = 'spanwatch_by'

/**
 * The session's cookie for a request: over TLS, and where `http.publicUrl` says that people come over TLS, one that
 * neither plain http nor another host of the domain can set or read. Browsers take no such cookie over plain http.
 */
export function sessionCookieOf(c: Context<WebEnv>): { readonly name: string; readonly secure: boolean } {
  const secure =
    c.get('isPublicTls') === true ||
    new URL(c.req.url).protocol === 'https:' ||
    c.req.header('x-forwarded-proto') === 'https'
  return { name: secure ? '__Host-spanwatch_session' : 'spanwatch_session', secure }
}

/**
 * Tells forms of this server's own pages from those of other sites. A browser that says where a form comes from is
 * believed; but under `no-referrer` it says `Origin: null`, and over plain http to another machine nothing else: for
 * that every form carries a proof that no other site can read. It is bound to the session.
 */
export function createFormGate(): FormGate {
  const key = randomBytes(32)
  const prove = (c: Context<WebEnv>) =>
    createHmac('sha256', key)
      .update(getCookie(c, sessionCookieOf(c).name) ?? '')
      .digest('hex')
  return {
    context: (c) => ({
      proof: prove(c),
      by: cleanText(getCookie(c, nameCookie) ?? '', 100),
      role: c.get('role') ?? null,
    }),
    isOwn(c, proof) {
      const site = c.req.header('sec-fetch-site')
      const origin = c.req.header('origin') ?? 'null'
      if (site !== undefined && site !== 'same-origin') return false
      if (origin !== 'null') return URL.canParse(origin) && new URL(origin).host === c.req.header('host')
      return site === 'same-origin' || (typeof proof === 'string' && isSame(proof, prove(c)))
    },
    remember(c, by) {
      setCookie(c, nameCookie, cleanText(by, 100), {
        httpOnly: true,
        sameSite: 'Lax',
        secure: sessionCookieOf(c).secure,
        path: '/',
        maxAge: 180 * 86_400,
      })
    },
  }
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
