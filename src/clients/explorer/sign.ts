import { createHmac } from 'node:crypto'
import type { UnixMs } from '../../lib/clock.ts'
import type { Secret } from '../../lib/secret.ts'
import type { Dialect } from './dialect.ts'
import type { Endpoint } from './endpoint.ts'

export interface ExplorerAuth {
  readonly key: Secret
  readonly secret: Secret
  readonly passphrase: Secret
  readonly signer: SignerName
}

type SignerName = 'hmac-sha256' | 'none'

/** What a signature covers; `pathAndQuery` is byte for byte what is sent. */
interface SignedText {
  readonly timestamp: string
  readonly method: 'GET'
  readonly pathAndQuery: string
}

/** The signature of a request; null when this scheme sends none. */
type Signer = (secret: Secret, text: SignedText) => string | null

/** The service's documentation leaves the scheme open, so a deployment's own is one more entry here. */
const signers: Readonly<Record<SignerName, Signer>> = {
  'hmac-sha256': (secret, { timestamp, method, pathAndQuery }) =>
    createHmac('sha256', secret.reveal()).update(`${timestamp}${method}${pathAndQuery}`).digest('base64'),
  none: () => null,
}

/** The access headers of one request, sent now. */
export function signHeaders(
  auth: ExplorerAuth,
  request: { readonly headerPrefix: string; readonly pathAndQuery: string; readonly now: UnixMs },
): Record<string, string> {
  const timestamp = new Date(request.now).toISOString()
  const prefix = `${request.headerPrefix}-ACCESS`
  const signature = signers[auth.signer](auth.secret, {
    timestamp,
    method: 'GET',
    pathAndQuery: request.pathAndQuery,
  })
  return {
    [`${prefix}-KEY`]: auth.key.reveal(),
    ...(signature === null ? {} : { [`${prefix}-SIGN`]: signature }),
    [`${prefix}-PASSPHRASE`]: auth.passphrase.reveal(),
    [`${prefix}-TIMESTAMP`]: timestamp,
  }
}

/** Path and query of a request, byte for byte as signed and sent; list values keep their commas. */
export function buildPath(
  target: {
    readonly basePath: string
    readonly dialect: Dialect
    readonly chains: { readonly main: string; readonly zone: string }
  },
  endpoint: Pick<Endpoint, 'path' | 'chain'>,
  params: Readonly<Record<string, string>>,
): string {
  const path = endpoint.path
    .replace('{main}', encodeURIComponent(target.dialect.path.main))
    .replace('{zone}', encodeURIComponent(target.dialect.path.zone))
  const chainShortName = endpoint.chain === 'main' ? target.chains.main.toLowerCase() : target.chains.zone
  const query = Object.entries({ chainShortName, ...params })
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeValue(value)}`)
    .join('&')
  return `${target.basePath}${path}?${query}`
}

function encodeValue(value: string): string {
  return value.split(',').map(encodeURIComponent).join(',')
}
