import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const schema = z.strictObject({ url: z.url({ protocol: /^http$/ }) })

function pathOf(folder: string): string {
  return join(folder, 'daemon.json')
}

/** Says where the running daemon listens, for commands that change something. No secret in it. */
export function writeDaemonFile(folder: string, url: string): void {
  writeFileSync(pathOf(folder), `${JSON.stringify({ url })}\n`, { mode: 0o600 })
}

/** Null when no daemon left one, or nobody can read it. */
export function readDaemonUrl(folder: string): string | null {
  try {
    return schema.parse(JSON.parse(readFileSync(pathOf(folder), 'utf8'))).url
  } catch {
    return null
  }
}

export function removeDaemonFile(folder: string): void {
  rmSync(pathOf(folder), { force: true })
}
