import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder, and those above it that are missing. Node's own `recursive` asks for ever where a system says of a folder within
 * one that is there that there is no such folder, as Linux does in /proc.
 * @throws the system's error
 */
export function makeFolder(path: string, mode = 0o777): void {
  const full = resolve(path)
  try {
    mkdirSync(full, { mode })
  } catch (error) {
    if (statSync(full, { throwIfNoEntry: false })?.isDirectory()) return
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    const parent = dirname(full)
    if (!isMissing || existsSync(parent)) throw error
    makeFolder(parent, mode)
    makeFolder(full, mode)
  }
}
