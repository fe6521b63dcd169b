import { isIP } from 'node:net'
import type { PoolConfig } from 'pg'
import { MonitorError } from '../lib/errors.ts'
import type { Secret } from '../lib/secret.ts'

/** Where PostgreSQL is, and how its certificate is verified. */
export interface DatabaseSettings {
  /** `postgres://user:password@host:5432/database`; with `?sslmode=disable` it is spoken to in the clear. */
  readonly database: Secret
  /** PEM of who signs its certificate, where the system does not know them. */
  readonly ca?: string | null
}

/** TLS with a verified certificate, unless it is this machine or somebody wrote that it shall not be. */
export function readAddress({ database, ca }: DatabaseSettings): PoolConfig {
  const url = URL.canParse(database.reveal()) ? new URL(database.reveal()) : null
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol))
    throw new MonitorError(
      'config.invalid',
      'replicas.database: expected an address such as postgres://user:password@host:5432/spanwatch',
    )
  const mode = url.searchParams.get('sslmode')
  // pg takes others' words for encryption as well, one of which verifies nothing.
  for (const name of ['sslmode', 'ssl']) url.searchParams.delete(name)
  const isLocal = isThisMachine(readHost(url))
  const isClear = mode === 'disable' || (mode === null && isLocal && ca == null)
  return {
    connectionString: url.href,
    ssl: isClear ? false : { rejectUnauthorized: true, ...(ca != null && { ca }) },
  }
}

/** Where pg goes: what comes after the question mark is before what comes before it, and the environment is last. */
function readHost(url: URL): string {
  const written = url.searchParams.get('host') ?? decodeURIComponent(url.hostname).replace(/^\[|\]$/g, '')
  return written === '' ? (process.env['PGHOST'] ?? '') : written
}

/** A path is that of a socket. */
function isThisMachine(host: string): boolean {
  return (
    ['', 'localhost', '::1'].includes(host) ||
    host.startsWith('/') ||
    (isIP(host) === 4 && host.startsWith('127.'))
  )
}
