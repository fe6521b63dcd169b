import type { Config } from './config.ts'

/** Something that a configuration leaves out, and what to write to have it. */
export interface Unwatched {
  readonly setting: string
  /** What is not watched, or not reported, without it. */
  readonly what: string
  /** YAML of one line. */
  readonly write: string
  /** Kinds that cannot be found without it. */
  readonly kinds: readonly string[]
}

type Watched = Pick<
  Config,
  'preconf' | 'canonical' | 'zoneRpc' | 'bridge' | 'reports' | 'heartbeat' | 'canary'
> & {
  readonly channels: readonly { readonly type: string }[]
}

interface Setting extends Omit<Unwatched, 'kinds'> {
  readonly isMissing: (config: Watched) => boolean
  /** For what it is left out alone, where it is there for others. */
  readonly lacking?: (config: Watched) => readonly string[]
}

/** Its order is that of the harm that may be missed. */
const settings = [
  {
    setting: 'bridge.escrows',
    isMissing: (config) => !hasEscrows(config),
    what: 'money that leaves the escrows without a transfer, and what they hold against what is owed',
    write: 'bridge: { escrows: [ { address: "0x…", token: "0x…" } ] }',
  },
  {
    setting: 'bridge.contracts',
    isMissing: ({ bridge }) => bridge.contracts.length === 0,
    what: 'deposits and payouts that the list of transfers does not show, changes of the contracts, challenges',
    write: 'bridge: { contracts: [ "0x…" ] }',
  },
  {
    setting: 'canonical',
    isMissing: ({ canonical }) => canonical === null,
    what: 'lies of the explorer about the main chain: no second source is asked',
    write: 'canonical: { url: "https://…" }',
  },
  {
    setting: 'zoneRpc',
    isMissing: ({ zoneRpc }) => zoneRpc === null,
    what: 'lies of the explorer about the zone chain: no second source is asked',
    write: 'zoneRpc: { url: "https://…", contracts: [ "0x…" ] }',
  },
  {
    setting: 'zoneRpc.contracts',
    isMissing: ({ zoneRpc }) => zoneRpc !== null && zoneRpc.contracts.length === 0,
    what: 'withdrawals in every block of the zone that the list does not show: a sample of blocks is read',
    write: 'zoneRpc: { url: "https://…", contracts: [ "0x…" ] }',
  },
  {
    setting: 'canonical or preconf',
    isMissing: (config) =>
      (hasEscrows(config) || config.bridge.operators.length > 0) &&
      config.canonical === null &&
      config.preconf === null,
    what: 'what escrows and operators hold: balances need an RPC',
    write: 'canonical: { url: "https://…" }',
  },
  {
    setting: 'preconf',
    isMissing: ({ preconf }) => preconf === null,
    what: 'preconfirmations that are dropped, changed, moved or late',
    write: 'preconf: { url: "https://…" }',
  },
  {
    setting: 'bridge.operators',
    isMissing: ({ bridge }) => bridge.operators.length === 0,
    what: 'whether relayers and posters still work and can pay for it',
    write: 'bridge: { operators: [ { address: "0x…", minBalance: "0.5" } ] }',
  },
  {
    setting: 'bridge.operators[].minBalance',
    isMissing: ({ bridge }) => bridge.operators.some(({ minBalance }) => minBalance === null),
    what: 'whether operators can pay for what they send: those without a bound are not judged',
    write: 'bridge: { operators: [ { address: "0x…", minBalance: "0.5" } ] }',
  },
  {
    setting: 'bridge.stages',
    isMissing: ({ bridge }) => bridge.stages.length === 0,
    what: 'stages of withdrawals and their deadlines, where a withdrawal has to be proven or claimed',
    write:
      'bridge: { stages: [ { stage: proven, event: "Proven(bytes32 indexed hash)", names: hash, lasts: 7d }, { stage: claimable } ] }',
  },
  {
    setting: 'bridge.limits',
    isMissing: ({ bridge }) => bridge.limits.length === 0,
    what: 'limits that contracts keep themselves, before they refuse transfers',
    write:
      'bridge: { limits: [ { name: "today", address: "0x…", call: "used() view returns (uint256)", max: "1000000" } ] }',
  },
  {
    setting: 'bridge.probes',
    isMissing: ({ bridge }) => bridge.probes.length === 0,
    what: 'whether the bridge carries value while nobody uses it: no prober is known',
    write: 'bridge: { probes: [ { address: "0x…", direction: ZoneToMain, every: 1h } ] }',
  },
  {
    setting: 'bridge.tokens',
    isMissing: ({ bridge }) => bridge.tokens.length === 0,
    what: 'tokens that do not belong to the bridge; names of tokens are those that anybody can choose',
    write: 'bridge: { tokens: [ { address: "0x…", symbol: USDC, decimals: 6 } ] }',
  },
  {
    setting: 'bridge.tokens[].zoneAddress',
    isMissing: ({ bridge }) => bridge.tokens.length > 0 && bridge.tokens.every(isOnZoneUnknown),
    lacking: ({ bridge }) => bridge.tokens.filter(isOnZoneUnknown).map(({ symbol }) => symbol),
    what: 'whether more of a token exists on the zone chain than was locked for it',
    write: 'bridge: { tokens: [ { address: "0x…", symbol: USDC, decimals: 6, zoneAddress: "0x…" } ] }',
  },
  {
    setting: 'bridge.challenge',
    isMissing: ({ bridge }) => bridge.challenge.terminal.length === 0,
    what: 'challenges that do not end, and values of a challenge that nobody knows',
    write: 'bridge: { challenge: { known: [ … ], terminal: [ … ] } }',
  },
  {
    setting: 'bridge.fees',
    isMissing: ({ bridge }) => bridge.fees.length === 0,
    what: 'how much of a transfer may be kept as a fee: it is learned, and until then not known',
    write: 'bridge: { fees: [ { token: "0x…", direction: ZoneToMain, max: "5" } ] }',
  },
  {
    setting: 'channels',
    isMissing: ({ channels }) => channels.every(({ type }) => type === 'console'),
    what: 'messages only reach those who read the console',
    write: 'channels: { ops: { type: slack, url: "${SLACK_WEBHOOK_URL}" } }',
  },
  {
    setting: 'reports.daily',
    isMissing: ({ reports }) => reports.daily === null,
    what: 'no daily report says that all was looked at',
    write: 'reports: { daily: { cron: "0 8 * * *", channel: ops } }',
  },
  {
    setting: 'heartbeat',
    isMissing: ({ heartbeat }) => heartbeat === null,
    what: 'nobody outside notices when spanwatch itself is gone',
    write: 'heartbeat: { url: "${HEARTBEAT_URL}" }',
  },
  {
    setting: 'canary',
    isMissing: ({ canary }) => canary === null,
    what: 'whether a channel that has been quiet still takes messages',
    write: 'canary: { cron: "0 9 * * *" }',
  },
] as const satisfies readonly Setting[]

/** A setting, or one of two, that something is not watched without. */
export type WatchedSetting = (typeof settings)[number]['setting']

/** What this configuration does not watch; the kinds say themselves what they need. */
export function listUnwatched(
  config: Watched,
  kinds: readonly { readonly kind: string; readonly needs?: readonly WatchedSetting[] }[],
): readonly Unwatched[] {
  const all: readonly Setting[] = settings
  return all.flatMap(({ setting, what, write, isMissing, lacking }) => {
    if (isMissing(config)) {
      const needing = kinds.filter(({ needs }) => needs?.some((one) => one === setting))
      return [{ setting, what, write, kinds: needing.map(({ kind }) => kind) }]
    }
    const some = lacking?.(config) ?? []
    return some.length === 0 ? [] : [{ setting, what: `${what}, of ${some.join(', ')}`, write, kinds: [] }]
  })
}

function isOnZoneUnknown({ zoneAddress }: Watched['bridge']['tokens'][number]): boolean {
  return zoneAddress === undefined
}

function hasEscrows({ bridge }: Watched): boolean {
  return bridge.escrows.length > 0 || bridge.contracts.length > 0
}
