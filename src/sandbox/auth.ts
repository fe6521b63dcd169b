import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { UnixMs } from '../lib/clock.ts'
import { Refusal } from './refusal.ts'

export interface SandboxAuth {
  readonly key: string
  readonly secret: string
  readonly passphrase: string
  /** Known, but without permission. */
  readonly forbidden?: boolean
}

const maxSkewMs = 30_000
const isoMillis = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/**
 * Refuses a request whose four headers are not right. `target` is the path with its query, exactly as it was sent:
 * the signature covers those bytes.
 */
export function checkAuth(
  auth: SandboxAuth,
  request: { readonly headers: IncomingHttpHeaders; readonly target: string; readonly prefix: string },
  now: UnixMs,
): void {
  const header = (name: string): string => {
    const value = request.headers[`${request.prefix}-ACCESS-${name}`.toLowerCase()]
    return typeof value === 'string' ? value : ''
  }
  const missing = (name: string, code: string) => {
    if (header(name) === '')
      throw refuse(code, `Request header ${request.prefix}-ACCESS-${name} can not be empty`)
  }
  missing('KEY', '50103')
  missing('PASSPHRASE', '50104')
  missing('SIGN', '50106')
  missing('TIMESTAMP', '50107')
  if (header('KEY') !== auth.key) throw refuse('50111', 'Invalid access key')
  if (header('PASSPHRASE') !== auth.passphrase) throw refuse('50105', 'Passphrase incorrect')
  const timestamp = header('TIMESTAMP')
  if (!isoMillis.test(timestamp) || Number.isNaN(Date.parse(timestamp)))
    throw refuse('50112', 'Invalid timestamp')
  if (Math.abs(now - Date.parse(timestamp)) > maxSkewMs) throw refuse('50102', 'Timestamp request expired')
  const signed = createHmac('sha256', auth.secret).update(`${timestamp}GET${request.target}`).digest()
  const given = Buffer.from(header('SIGN'), 'base64')
  if (given.length !== signed.length || !timingSafeEqual(given, signed))
    throw refuse('50113', 'Invalid signature')
  if (auth.forbidden) throw new Refusal(403, '50030', 'No permission to use this API')
}

function refuse(code: string, message: string): Refusal {
  return new Refusal(401, code, message)
}
