import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MonitorError } from '../lib/errors.ts'
import { type Cursors, parseCursors } from '../store/cursors.ts'

/** The cursors of a state folder, for looking only. */
export function readCursorFile(folder: string): Cursors {
  const path = join(folder, 'cursors.json')
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw new MonitorError(
      'not_found',
      `There are no cursors at ${path} yet: start the daemon first (spanwatch run).`,
    )
  }
  const cursors = parseCursors(text)
  if (cursors !== null) return cursors
  throw new MonitorError('state.invalid', `${path} cannot be read; the daemon rebuilds it at its next start.`)
}
