import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** What loading a configuration needs of the file system. */
export interface ConfigFiles {
  /** The text of a file of at most `maxBytes`. Throws with a reason for people. */
  readonly readFile: (path: string, maxBytes: number) => string
  /** The same of what the configuration refers to, which has to be a plain file; as `readFile` without it. */
  readonly readPlainFile?: (path: string, maxBytes: number) => string
  readonly isFolder: (path: string) => boolean
  /** Whether every user of this machine can read the file. Left out, nothing is known of it. */
  readonly isOpenToAll?: (path: string) => boolean
}

export const nodeFiles: ConfigFiles = {
  readFile: (path, maxBytes) => withFile(path, constants.O_RDONLY, (file) => readText(file, maxBytes)),
  readPlainFile: (path, maxBytes) =>
    withFile(path, constants.O_RDONLY | notWaiting, (file) => {
      const stat = fstatSync(file)
      if (!stat.isFile() && !stat.isDirectory()) throw new Error('it is a pipe or a device, not a file')
      return readText(file, maxBytes)
    }),
  isFolder: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
  isOpenToAll: (path) =>
    !path.startsWith(mounted) &&
    allows(path, 0o004) &&
    foldersOf(path).every((folder) => allows(folder, 0o001)),
}

/** Whoever opens a pipe to read waits for somebody who writes, for ever. */
const notWaiting = constants.O_NONBLOCK ?? 0

function withFile(path: string, flags: number, read: (file: number) => string): string {
  const file = openFile(path, flags)
  try {
    return read(file)
  } catch (error) {
    throw describe(error)
  } finally {
    closeSync(file)
  }
}

function readText(file: number, maxBytes: number): string {
  // Not by the size that the system gives: a pipe or a device has none.
  const buffer = Buffer.alloc(maxBytes + 1)
  let length = 0
  let read = -1
  while (read !== 0 && length < buffer.length) {
    read = readSync(file, buffer, length, buffer.length - length, null)
    length += read
  }
  if (length > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`)
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(buffer.subarray(0, length))
}

/** Where the orchestrator of a container puts its secrets, with modes of its own choice. */
const mounted = '/run/secrets/'

function allows(path: string, bit: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat !== undefined && (stat.mode & bit) !== 0
}

/** A file behind a closed folder is closed, whatever its own mode. */
function foldersOf(path: string): string[] {
  const folder = dirname(path)
  return folder === path ? [] : [folder, ...foldersOf(folder)]
}

function openFile(path: string, flags: number): number {
  try {
    return openSync(path, flags)
  } catch (error) {
    throw describe(error)
  }
}

function describe(error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EACCES: 'no permission to read it',
    EISDIR: 'it is a folder',
    ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8 text',
  }
  const reason = reasons[code]
  return reason === undefined && error instanceof Error ? error : new Error(reason ?? code, { cause: error })
}
