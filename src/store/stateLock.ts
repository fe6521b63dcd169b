import { chmodSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { errorText, MonitorError } from '../lib/errors.ts'

/**
 * Takes the state folder for this process, for life. The lock is an exclusive SQLite transaction: the system drops it
 * with the process however that ends, and it holds across containers that share a volume.
 */
export function takeStateLock(path: string): { release(): void } {
  const connection = new DatabaseSync(path, { timeout: 0 })
  chmodSync(path, 0o600)
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;')
  } catch (error) {
    connection.close()
    if (!/locked|busy/i.test(errorText(error))) {
      throw new MonitorError('state.invalid', `${path} cannot be locked: ${errorText(error)}`, {
        cause: error,
      })
    }
    throw new MonitorError(
      'state.locked',
      `Another spanwatch process uses this state folder (${path} is held). Stop that one first, or give this one a folder of its own with "state:".`,
      { cause: error },
    )
  }
  return {
    release() {
      if (connection.isOpen) connection.close()
    },
  }
}
