import type { SandboxAuth } from './auth.ts'
import type { Dialect } from './dialect.ts'
import type { Scenario } from './scenario.ts'
import type { StageSettings } from './settings.ts'
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
  readonly scenario: Pick<Scenario, 'events' | 'stages'>
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
    scenario.stages === null ? '' : toStagesYaml(scenario.stages),
    '  tokens:\n',
    ...world.tokens.map(
      ({ address, symbol, decimals, type, zoneAddress }) =>
        `    - { address: "${address}", symbol: ${symbol}, decimals: ${decimals}${zoneRpcUrl === null || type === 'ERC1155' ? '' : `, zoneAddress: "${zoneAddress}"`} }\n`,
    ),
  ].join('')
}

/** What a withdrawal passes in such a world, as `bridge.stages`; one that is late to be proven is late by an hour. */
export function toStagesYaml({ every, prove, dispute, expires }: StageSettings): string {
  const lasts = (ms: number) => `lasts: ${exactly(ms)}`
  const of = 'event: "RootProposed(uint256 zoneHeight)", height: zoneHeight'
  return [
    '  stages:\n',
    `    - { stage: proposed, ${of}, every: ${exactly(every)}, ${lasts(prove.max + 3_600_000)} }\n`,
    `    - { stage: proven, event: "WithdrawalProven(bytes32 indexed zoneTxHash)", names: zoneTxHash, ${lasts(dispute)} }\n`,
    `    - { stage: claimable, ${lasts(expires)} }\n`,
    '    - { stage: removed, event: "RootRemoved(uint256 zoneHeight)", height: zoneHeight }\n',
  ].join('')
}

/** In one unit: what is told to people is rounded. */
function exactly(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000}h`
  return ms % 60_000 === 0 ? `${ms / 60_000}m` : `${Math.ceil(ms / 1_000)}s`
}
