import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readPlainFile } from './stateFolder.ts'

const schema = z.strictObject({ url: z.url({ protocol: /^http$/ }) })

function pathOf(folder: string): string {
  return join(folder, 'daemon.json')
}

/** Says where the running daemon listens, for commands that change something. No secret in it. */
export function writeDaemonFile(folder: string, url: string): void {
  removeDaemonFile(folder)
  writeFileSync(pathOf(folder), `${JSON.stringify({ url })}\n`, { flag: 'wx', mode: 0o600 })
}

/**
 * Null when no daemon left one, or nobody can read it.
 * @param mayBe whether a host may be ours: the token goes there
 */
export function readDaemonUrl(folder: string, mayBe: (host: string) => boolean): string | null {
  try {
    const { url } = schema.parse(JSON.parse(readPlainFile(pathOf(folder)) ?? ''))
    const { hostname, username, password, pathname } = new URL(url)
    const isPlain = username === '' && password === '' && pathname === '/'
    return isPlain && mayBe(hostname) ? url.replace(/\/$/, '') : null
  } catch {
    return null
  }
}

export function removeDaemonFile(folder: string): void {
  rmSync(pathOf(folder), { force: true })
}
