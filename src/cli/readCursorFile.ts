import { join } from 'node:path'
import { MonitorError } from '../lib/errors.ts'
import { type Cursors, parseCursors } from '../store/cursors.ts'
import { readPlainFile } from '../store/stateFolder.ts'

/** The cursors of a state folder, for looking only. */
export function readCursorFile(folder: string): Cursors {
  const path = join(folder, 'cursors.json')
  const text = readPlainFile(path)
  if (text === null) {
    throw new MonitorError(
      'not_found',
      `There are no cursors at ${path} yet: start the daemon first (spanwatch run).`,
    )
  }
  const cursors = parseCursors(text)
  if (cursors !== null) return cursors
  throw new MonitorError('state.invalid', `${path} cannot be read; the daemon rebuilds it at its next start.`)
}
