import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { readPlainText } from '../lib/plainFile.ts'

/** What loading a configuration needs of the file system. */
export interface ConfigFiles {
  /** The text of a plain file of at most `maxBytes`. Throws with a reason for people. */
  readonly readFile: (path: string, maxBytes: number) => string
  readonly isFolder: (path: string) => boolean
  /** Whether every user of this machine can read the file. Left out, nothing is known of it. */
  readonly isOpenToAll?: (path: string) => boolean
}

export const nodeFiles: ConfigFiles = {
  readFile: readPlainText,
  isFolder: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
  isOpenToAll: (path) =>
    !path.startsWith(mounted) &&
    allows(path, 0o004) &&
    foldersOf(path).every((folder) => allows(folder, 0o001)),
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
