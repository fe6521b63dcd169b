import { MonitorError } from '../lib/errors.ts'
import type { Actor } from '../store/actor.ts'
import type { Io } from './io.ts'

/** Who does it: `--by`, else the user of this machine. A container often has none. */
export function readAuthor(io: Pick<Io, 'env'>, by: string | undefined): string {
  const author = (by ?? io.env['USER'] ?? '').trim()
  if (author !== '') return author
  throw new MonitorError('usage', 'expected who does it: add --by NAME (this machine names no user in $USER)')
}

/** The same for the audit log, where nobody has to be named: '' when nobody is. */
export function readActor(io: Pick<Io, 'env'>, by: string | undefined): Actor {
  return toActor(by ?? io.env['USER'] ?? '')
}

/** Somebody at this command line. */
export function toActor(by: string): Actor {
  return { by, from: { via: 'cli', address: null, role: null, session: null } }
}
