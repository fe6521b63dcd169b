import { cleanText } from '../lib/text.ts'
import { type Change, listChanges, sayWhence } from '../store/auditLog.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
import { cutTo, readLimit } from './readOptions.ts'

export interface ListAuditCommand {
  readonly config: string
  readonly limit: string
  readonly json?: boolean
}

/** `spanwatch audit list`: what people changed, newest first. */
export function listAudit(io: Io, options: ListAuditCommand): number {
  const { db } = openLedger(readConfig(io, options.config, { needs: [] }).config)
  try {
    const limit = readLimit(options.limit)
    const { rows, rest } = cutTo(limit, listChanges(db, { limit: limit + 1 }))
    if (options.json) io.out(`${JSON.stringify(rows, null, 2)}\n`)
    else io.out(rows.map(format).join('') || 'Nobody has changed anything.\n')
    io.err(rest)
    return exitCodes.fine
  } finally {
    db.close()
  }
}

function format(change: Change): string {
  const clean = (text: string) => cleanText(text, 1_000)
  const who = change.who === '' ? 'somebody' : clean(change.who)
  return `${new Date(change.at).toISOString()}  ${who} ${clean(change.what)} ${change.about} ${clean(change.aboutId)} (${clean(sayWhence(change))})\n    ${clean(change.detail)}\n`
}
