import type { DatabaseSync } from 'node:sqlite'

/** What a checkpoint left: pages in the write-ahead log, and how many of them the file has by now. */
export interface Checkpoint {
  readonly pages: number
  readonly copied: number
}

/** Never waits for a reader: it is done again in seconds. */
export function checkpoint(connection: DatabaseSync, mode: 'PASSIVE' | 'TRUNCATE'): Checkpoint {
  if (connection.isTransaction) return { pages: 0, copied: 0 }
  connection.exec('PRAGMA busy_timeout = 0')
  try {
    const [, pages, copied] = Object.values(connection.prepare(`PRAGMA wal_checkpoint(${mode})`).get() ?? {})
    return { pages: Number(pages ?? 0), copied: Number(copied ?? 0) }
  } finally {
    connection.exec('PRAGMA busy_timeout = 5000')
  }
}

/** Pages that are soon needed again. */
const keptFree = 32

export function giveBack(connection: DatabaseSync, pages: number): boolean {
  const count = (name: string) => Number(Object.values(connection.prepare(`PRAGMA ${name}`).get() ?? {})[0])
  const spare = count('freelist_count') - keptFree
  if (spare <= 0 || count('auto_vacuum') === 0) return false
  connection.exec(`PRAGMA incremental_vacuum(${Math.min(pages, spare)})`)
  return spare > pages
}
