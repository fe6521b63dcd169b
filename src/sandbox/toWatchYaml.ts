import type { SandboxAuth } from './auth.ts'
import type { Dialect } from './dialect.ts'
import type { Scenario } from './scenario.ts'
import type { World } from './world.ts'

/** A sandbox that is served, as whoever watches it has to know it. */
export interface Watched {
  readonly url: string
  readonly rpcUrl: string
  /** Null for a world that is watched without a second source. */
  readonly canonicalUrl: string | null
  /** The same of the zone. */
  readonly zoneRpcUrl: string | null
  readonly dialect: Dialect
  readonly auth: SandboxAuth | null
  readonly world: Pick<World, 'contracts' | 'tokens'>
  readonly scenario: Pick<Scenario, 'events'>
}

/** The configuration that watches all of a sandbox's world: sources, contracts, escrows, operators and tokens. */
export function toWatchYaml(
  { url, rpcUrl, canonicalUrl, zoneRpcUrl, dialect, auth, world, scenario }: Watched,
  { pace, interval }: { readonly pace?: string; readonly interval?: string } = {},
): string {
  const { bridge, escrow, relayer, poster, zoneBridge } = world.contracts
  const { chains, headerPrefix, ...words } = dialect
  const spelling = Object.entries(words).map(
    ([name, { main, zone }]) => `    ${name}: { main: ${main}, zone: ${zone} }\n`,
  )
  return [
    'explorer:\n',
    `  baseUrl: ${url}\n`,
    `  chains: { main: ${JSON.stringify(chains.main)}, zone: ${JSON.stringify(chains.zone)} }\n`,
    ...(words.path.main === 'chain'
      ? []
      : ['  dialect:\n', ...spelling, `    headerPrefix: ${headerPrefix}\n`]),
    auth === null
      ? ''
      : `  auth: { key: ${auth.key}, secret: ${auth.secret}, passphrase: ${auth.passphrase} }\n`,
    pace === undefined ? '' : `  pace: ${pace}\n`,
    `preconf: { url: "${rpcUrl}"${interval === undefined ? '' : `, interval: ${interval}`} }\n`,
    canonicalUrl === null ? '' : `canonical: { url: "${canonicalUrl}" }\n`,
    zoneRpcUrl === null ? '' : `zoneRpc: { url: "${zoneRpcUrl}", contracts: [ "${zoneBridge}" ] }\n`,
    'bridge:\n',
    `  contracts: [ "${bridge}" ]\n`,
    '  escrows:\n',
    ...world.tokens.map(({ address }) => `    - { address: "${escrow}", token: "${address}" }\n`),
    '  operators:\n',
    ...[relayer, poster].map((address) => `    - { address: "${address}", minBalance: "0.5" }\n`),
    scenario.events.length === 0 ? '' : `  events: ${JSON.stringify(scenario.events)}\n`,
    '  tokens:\n',
    ...world.tokens.map(
      ({ address, symbol, decimals, type, zoneAddress }) =>
        `    - { address: "${address}", symbol: ${symbol}, decimals: ${decimals}${zoneRpcUrl === null || type === 'ERC1155' ? '' : `, zoneAddress: "${zoneAddress}"`} }\n`,
    ),
  ].join('')
}
