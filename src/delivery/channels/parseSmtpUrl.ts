import { isIPv4 } from 'node:net'
import { MonitorError } from '../../lib/errors.ts'
import { decodePart } from './parseChannelUrl.ts'

export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte (`smtps:`), instead of STARTTLS. */
  readonly implicitTls: boolean
  /** Whether a mail may only travel encrypted: credentials are sent, or the host is another machine. */
  readonly tlsRequired: boolean
  readonly auth: { readonly user: string; readonly pass: string } | null
}

/**
 * Reads `smtp://user:password@host:port` or `smtps://…`. `?requireTLS=true` demands encryption even where it could be
 * done without; nothing in the address can lift the demand.
 * @throws MonitorError `config.invalid`, without repeating the address
 */
export function parseSmtpUrl(channel: string, text: string): SmtpServer {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || url.hostname === '') {
    throw invalid(channel, 'smtp is not an address like smtp://user:password@host:587 or smtps://…')
  }
  const unknown = [...url.searchParams.keys()].find((key) => key !== 'requireTLS' && key !== 'ignoreTLS')
  if (unknown !== undefined) throw invalid(channel, 'smtp takes no parameter but requireTLS=true')
  const implicitTls = url.protocol === 'smtps:'
  const auth =
    url.username === '' && url.password === ''
      ? null
      : { user: decodePart(url.username), pass: decodePart(url.password) }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return {
    host,
    port: url.port === '' ? (implicitTls ? 465 : 587) : Number(url.port),
    implicitTls,
    tlsRequired: auth !== null || !isLoopback(host) || url.searchParams.get('requireTLS') === 'true',
    auth,
  }
}

/** By name or number only: a name that merely resolves to this machine could resolve elsewhere tomorrow. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

function invalid(channel: string, message: string): MonitorError {
  return new MonitorError('config.invalid', `channel ${channel}: ${message}`)
}
