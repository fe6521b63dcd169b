import type { Dialect } from './dialect.ts'
import type { Endpoint } from './endpoint.ts'

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
