import type { FindingKind } from '../domain/finding.ts'
import type { Config } from './config.ts'

/** Something that a configuration leaves out, and what to write to have it. */
export interface Unwatched {
  readonly setting: string
  /** What is not watched, or not told, without it. */
  readonly what: string
  /** YAML of one line. */
  readonly write: string
  /** Kinds that cannot be found without it. */
  readonly kinds: readonly FindingKind[]
}

type Watched = Pick<Config, 'preconf' | 'canonical' | 'bridge' | 'reports' | 'heartbeat' | 'canary'> & {
  readonly channels: readonly { readonly type: string }[]
}

/** Its order is that of the harm that may be missed. */
const settings: readonly (readonly [
  setting: string,
  what: string,
  write: string,
  kinds?: readonly FindingKind[],
])[] = [
  [
    'bridge.escrows',
    'money that leaves the escrows without a transfer, and what they hold against what is owed',
    'bridge: { escrows: [ { address: "0x…", token: "0x…" } ] }',
    ['escrow.drift', 'escrow.shortfall', 'escrow.unjudged', 'escrow.foreign_token'],
  ],
  [
    'bridge.contracts',
    'deposits and payouts that the list of transfers does not show, changes of the contracts, challenges',
    'bridge: { contracts: [ "0x…" ] }',
    ['contract.changed', 'challenge.changed', 'challenge.stuck'],
  ],
  [
    'canonical',
    'lies of the explorer about the main chain: no second source is asked',
    'canonical: { url: "https://…" }',
    ['source.disagreement'],
  ],
  [
    'canonical or preconf',
    'what escrows and operators hold: balances need an RPC',
    'canonical: { url: "https://…" }',
    ['escrow.shortfall', 'operator.low_balance'],
  ],
  [
    'preconf',
    'preconfirmations that are dropped, changed, moved or late',
    'preconf: { url: "https://…" }',
    ['preconf.dropped', 'preconf.flipped', 'preconf.moved', 'preconf.late', 'preconf.stalled', 'preconf.gap'],
  ],
  [
    'bridge.operators',
    'whether relayers and posters still work and can pay for it',
    'bridge: { operators: [ { address: "0x…", minBalance: "0.5" } ] }',
    ['operator.quiet', 'operator.low_balance'],
  ],
  [
    'bridge.operators[].minBalance',
    'whether operators can pay for what they send: of those without a bound nothing is said',
    'bridge: { operators: [ { address: "0x…", minBalance: "0.5" } ] }',
  ],
  [
    'bridge.tokens',
    'tokens that do not belong to the bridge; names of tokens are those that anybody can choose',
    'bridge: { tokens: [ { address: "0x…", symbol: USDC, decimals: 6 } ] }',
    ['transfer.unknown_token'],
  ],
  [
    'bridge.challenge',
    'challenges that do not end, and values of a challenge that nobody knows',
    'bridge: { challenge: { known: [ … ], terminal: [ … ] } }',
    ['challenge.stuck'],
  ],
  [
    'bridge.fees',
    'how much of a transfer may be kept as a fee: it is learned, and until then not known',
    'bridge: { fees: [ { token: "0x…", direction: ZoneToMain, max: "5" } ] }',
  ],
  [
    'channels',
    'nobody is told but who reads the console',
    'channels: { ops: { type: slack, url: "${SLACK_WEBHOOK}" } }',
  ],
  [
    'reports.daily',
    'no daily report says that all was looked at',
    'reports: { daily: { cron: "0 8 * * *", channel: ops } }',
  ],
  [
    'heartbeat',
    'nobody outside notices when spanwatch itself is gone',
    'heartbeat: { url: "${HEARTBEAT_URL}" }',
  ],
  ['canary', 'whether a channel that has been quiet still takes messages', 'canary: { cron: "0 9 * * *" }'],
]

/** What this configuration does not watch. */
export function listUnwatched(config: Watched): readonly Unwatched[] {
  const missing = findMissing(config)
  return settings.flatMap(([setting, what, write, kinds = []]) =>
    missing.has(setting) ? [{ setting, what, write, kinds }] : [],
  )
}

function findMissing({ bridge, canonical, preconf, channels, ...rest }: Watched): ReadonlySet<string> {
  const { contracts, escrows, operators, challenge } = bridge
  const hasEscrows = escrows.length > 0 || contracts.length > 0
  const isMissing: Readonly<Record<string, boolean>> = {
    'bridge.escrows': !hasEscrows,
    'bridge.contracts': contracts.length === 0,
    canonical: canonical === null,
    'canonical or preconf': (hasEscrows || operators.length > 0) && canonical === null && preconf === null,
    preconf: preconf === null,
    'bridge.operators': operators.length === 0,
    'bridge.operators[].minBalance': operators.some(({ minBalance }) => minBalance === null),
    'bridge.tokens': bridge.tokens.length === 0,
    'bridge.challenge': challenge.terminal.length === 0,
    'bridge.fees': bridge.fees.length === 0,
    channels: channels.every(({ type }) => type === 'console'),
    'reports.daily': rest.reports.daily === null,
    heartbeat: rest.heartbeat === null,
    canary: rest.canary === null,
  }
  return new Set(Object.keys(isMissing).filter((setting) => isMissing[setting]))
}
