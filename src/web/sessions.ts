import { createHmac, randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import { deleteCookie, getSignedCookie, setSignedCookie } from 'hono/cookie'
import { z } from 'zod'
import type { Clock, UnixMs } from '../lib/clock.ts'
import type { Secret } from '../lib/secret.ts'
import type { Database } from '../store/database.ts'
import { readMeta, saveMeta } from '../store/meta.ts'
import { parseJson } from '../store/table.ts'
import { sessionCookieOf } from './createFormGate.ts'
import type { Role, WebEnv } from './types.ts'

export interface Sessions {
  open(c: Context<WebEnv>, role: Role): Promise<void>
  /** The session of a request; null without one that holds. */
  read(c: Context<WebEnv>): Promise<{ readonly role: Role; readonly name: string } | null>
  /** Ends the session of a request for good: whoever copied its cookie is out too. */
  end(c: Context<WebEnv>): Promise<void>
}

/** How long somebody stays signed in. */
const sessionMs = 12 * 3_600_000
/** Sessions that were signed out are remembered until they would have ended; beyond this the oldest of the same role are forgotten. */
const mostEnded = 1_000
const endedName = 'web.ended_sessions'

/**
 * Sessions of the page: a cookie with its end and a random name, signed with a key made of the role's token and of
 * `http.sessions`. A restart keeps them; another token, or another `http.sessions`, ends them all.
 */
export function createSessions(
  deps: { readonly clock: Pick<Clock, 'now'>; readonly db: Database },
  tokens: readonly (readonly [Role, Secret])[],
  generation: string,
): Sessions {
  const keys = tokens.map(([role, token]) => ({
    role,
    key: createHmac('sha256', token.reveal())
      .update(JSON.stringify(['spanwatch session', role, generation]))
      .digest('hex'),
  }))
  const ended = readEnded(deps.db)

  async function find(c: Context<WebEnv>) {
    for (const { role, key } of keys) {
      const value = await getSignedCookie(c, key, sessionCookieOf(c).name)
      const [, until, name] = /^(\d{1,15})\.([\w-]{16})$/.exec(value || '') ?? []
      if (until === undefined || name === undefined) continue
      return Number(until) > deps.clock.now() && !ended.has(name)
        ? { role, name, until: Number(until) }
        : null
    }
    return null
  }

  return {
    async open(c, role) {
      const key = keys.find((one) => one.role === role)?.key
      if (key === undefined) throw new Error(`no token gives ${role}`)
      const { name, secure } = sessionCookieOf(c)
      const value = `${deps.clock.now() + sessionMs}.${randomBytes(12).toString('base64url')}`
      await setSignedCookie(c, name, value, key, {
        httpOnly: true,
        // Lax, not Strict: a link in a Slack message or mail has to open the page; no GET changes anything.
        sameSite: 'Lax',
        secure,
        path: '/',
        maxAge: sessionMs / 1_000,
      })
    },
    read: find,
    async end(c) {
      const session = await find(c)
      const { name, secure } = sessionCookieOf(c)
      deleteCookie(c, name, { path: '/', secure })
      if (session === null) return
      const now = deps.clock.now()
      ended.set(session.name, session)
      for (const { name: other, until } of ended.values()) if (until <= now) ended.delete(other)
      // Of the same role: who may only look must not bring back a session of who may act.
      const alike = [...ended.values()].filter(({ role }) => role === session.role)
      for (const { name: other } of alike.slice(0, -mostEnded)) ended.delete(other)
      const kept = [...ended.values()].map(({ name: other, until, role }) => [other, until, role])
      saveMeta(deps.db, endedName, JSON.stringify(kept))
    },
  }
}

interface Ended {
  readonly name: string
  readonly until: UnixMs
  readonly role: Role
}

/** An older version noted no role. */
const endedSchema = z.array(z.tuple([z.string(), z.number(), z.enum(['act', 'see']).default('act')]))

function readEnded(db: Database): Map<string, Ended> {
  const rows = endedSchema.safeParse(parseJson(readMeta(db, endedName) ?? '')).data ?? []
  return new Map(rows.map(([name, until, role]) => [name, { name, until, role }]))
}
