import { listUrls } from './addresses.ts'
import type { CheckContext } from './checkConfig.ts'
import type { ParsedConfig } from './schema.ts'
import { nameOf } from '../lib/schemaProblems.ts'
import { Secret } from '../lib/secret.ts'
import { problemAt, type YamlPath, type YamlProblem } from '../lib/yamlProblems.ts'

/** Of an address in two seats, or twice in one, whatever it says is confirmed by itself. */
export function warnOfOneSource({ doc, placeholder }: CheckContext, config: ParsedConfig): YamlProblem[] {
  const { explorer, preconf, canonical, zoneRpc } = config
  const seen = new Map<string, YamlPath>()
  return [
    ...listUrls(['explorer', 'baseUrl'], explorer.baseUrl),
    ...listUrls(['preconf', 'url'], preconf?.url),
    ...listUrls(['canonical', 'url'], canonical?.url),
    ...listUrls(['zoneRpc', 'url'], zoneRpc?.url),
  ].flatMap(([path, url]) => {
    const { href } = new URL(url instanceof Secret ? url.reveal() : url)
    const address = href.replace(/\/$/, '')
    const first = seen.get(address)
    if (first === undefined) {
      seen.set(address, path)
      return []
    }
    if (href.includes(placeholder)) return []
    const message = `\`${nameOf(path)}\` is the address of \`${nameOf(first)}\` again: one source that is asked twice agrees with itself`
    return [problemAt(doc, path, message)]
  })
}

/** An address copied into the wrong place: what a token's own contract holds is nobody's backing. */
export function warnOfTokenAsEscrow({ doc }: CheckContext, { bridge }: ParsedConfig): YamlProblem[] {
  const tokens = new Set([
    ...bridge.tokens.map(({ address }) => address),
    ...bridge.escrows.map(({ token }) => token),
    ...(bridge.wrappedNative === undefined ? [] : [bridge.wrappedNative]),
  ])
  return bridge.escrows.flatMap(({ address }, index) => {
    if (!tokens.has(address)) return []
    const symbol = bridge.tokens.find((token) => token.address === address)?.symbol ?? address
    const path = ['bridge', 'escrows', index, 'address']
    const message = `\`${nameOf(path)}\` is the contract of the token ${symbol}: expected the contract that holds it for the bridge`
    return [problemAt(doc, path, message)]
  })
}
