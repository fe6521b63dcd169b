import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { codeOf } from './errors.ts'

/** Whoever opens a pipe to read waits for somebody who writes, for ever. */
const notWaiting = constants.O_NONBLOCK ?? 0

/**
 * Runs `read` on a file that is opened for reading. A pipe or a device, which have no end, is refused.
 * @throws Error with a reason for people; the system's own is its cause
 */
export function withPlainFile<T>(path: string, read: (file: number) => T, flags = 0): T {
  try {
    const file = openSync(path, constants.O_RDONLY | notWaiting | flags)
    try {
      const stat = fstatSync(file)
      if (stat.isDirectory()) throw new Error('it is a folder')
      if (!stat.isFile()) throw new Error('it is a pipe or a device, not a file')
      return read(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw describe(error)
  }
}

const mostBytes = 1_048_576

/**
 * The text of a plain file of at most `maxBytes`; a byte order mark stays in it.
 * @throws Error with a reason for people; the system's own is its cause
 */
export function readPlainText(path: string, maxBytes = mostBytes): string {
  return withPlainFile(path, (file) => readText(file, maxBytes))
}

/** Whether an error says that there is no such file. */
export function isMissing(error: unknown): boolean {
  const system = error instanceof Error && error.cause !== undefined ? error.cause : error
  return codeOf(system) === 'ENOENT'
}

function readText(file: number, maxBytes: number): string {
  // Not by the size that the system gives: files of the system's own say that they have none.
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

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'no permission to read it',
  ELOOP: 'it is a symbolic link, or links lead in a circle',
  ENXIO: 'it is a socket or a device, not a file',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8 text',
}

function describe(error: unknown): Error {
  const reason = reasons[codeOf(error)]
  if (reason !== undefined) return new Error(reason, { cause: error })
  return error instanceof Error ? error : new Error(String(error))
}
