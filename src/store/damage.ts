import { DatabaseSync } from 'node:sqlite'
import { errorText, MonitorError } from '../lib/errors.ts'

/** A ledger whose file is broken: no retry helps, and the process that finds it so ends. */
export class DamagedLedger extends MonitorError {
  constructor(message: string, cause?: unknown) {
    super('state.invalid', message, cause === undefined ? {} : { cause })
  }
}

/** SQLite's own codes of a file whose content is broken: SQLITE_CORRUPT and SQLITE_NOTADB. */
const brokenCodes: ReadonlySet<unknown> = new Set([11, 26])

export const brokenRemedy =
  'Restore it from a backup, or begin anew with --reset-state, which sets the present files aside.'

/** SQLite's code with what it adds to it; null where the error is not SQLite's. */
function codeOf(error: unknown): number | null {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : null
}

export function isBroken(error: unknown): boolean {
  const code = codeOf(error)
  return code !== null && brokenCodes.has(code & 0xff)
}

/** SQLITE_IOERR: the disk refused to read, to write, or to say that what was written is safe. */
export function isDiskError(error: unknown): boolean {
  const code = codeOf(error)
  return code !== null && (code & 0xff) === 10
}

/** A row that cannot be understood, or a file that ends too early: the file may be broken, or may not. */
export function isSuspicious(error: unknown): boolean {
  if (error instanceof MonitorError) return error.code === 'state.invalid'
  const shortRead = 522
  const brokenFileSystem = 8_458
  return [shortRead, brokenFileSystem].includes(codeOf(error) ?? 0)
}

export function toDamaged(path: string, problem: unknown): DamagedLedger {
  return new DamagedLedger(`The ledger ${path} is damaged: ${errorText(problem)}. ${brokenRemedy}`, problem)
}

/** @throws DamagedLedger with the first thing that is wrong */
export function assertWhole(connection: DatabaseSync, path: string): void {
  const found = connection.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
  const problem = String(found).replace(/\*\*\* in database \w+ \*\*\*/, '')
  if (problem !== 'ok') throw toDamaged(path, new Error(problem.trim().replace(/\s+/g, ' ')))
}

/** Reads a ledger through on a connection of its own, which sees the file and not what others remember of it. @throws DamagedLedger */
export function checkFile(path: string): void {
  let connection: DatabaseSync | null = null
  try {
    connection = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
    assertWhole(connection, path)
  } catch (error) {
    throw isBroken(error) ? toDamaged(path, error) : error
  } finally {
    connection?.close()
  }
}
