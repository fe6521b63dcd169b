import type { Context } from 'hono'
import type { WebEnv } from './types.ts'

/** What a form's fields hold, as they were typed. */
export type Fields = Readonly<Record<string, string>>

/** The fields of a form as our pages send it; none of anything else, which is refused for what it lacks. */
export async function readFields(c: Context<WebEnv>): Promise<Fields> {
  if (contentTypeOf(c) !== 'application/x-www-form-urlencoded') return {}
  return Object.fromEntries(new URLSearchParams(await c.req.text()))
}

export function contentTypeOf(c: Context<WebEnv>): string | undefined {
  return (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
}
