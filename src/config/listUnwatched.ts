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

type Watched = Pick<Config, 'preconf' | 'canonical' | 'bridge' | 'reports' | 'heartbeat'> & {
  readonly channels: readonly { readonly type: string }[]
}

/** What this configuration does not watch. Its order is that of the harm that may be missed. */
export function listUnwatched(config: Watched): readonly Unwatched[] {
  const { bridge } = config
  const hasBalances = config.canonical !== null || config.preconf !== null
  const hasEscrows = bridge.escrows.length > 0 || bridge.contracts.length > 0
  const missing: readonly (readonly [boolean, Unwatched])[] = [
    [
      !hasEscrows,
      {
        setting: 'bridge.escrows',
        what: 'money that leaves the escrows without a transfer, and what they hold against what is owed',
        write: 'bridge: { escrows: [ { address: "0x…", token: "0x…" } ] }',
        kinds: ['escrow.drift', 'escrow.shortfall', 'escrow.foreign_token'],
      },
    ],
    [
      bridge.contracts.length === 0,
      {
        setting: 'bridge.contracts',
        what: 'deposits and payouts that the list of transfers does not show, changes of the contracts, challenges',
        write: 'bridge: { contracts: [ "0x…" ] }',
        kinds: ['contract.changed', 'challenge.changed', 'challenge.stuck'],
      },
    ],
    [
      config.canonical === null,
      {
        setting: 'canonical',
        what: 'lies of the explorer about the main chain: no second source is asked',
        write: 'canonical: { url: "https://…" }',
        kinds: ['source.disagreement'],
      },
    ],
    [
      hasEscrows && !hasBalances,
      {
        setting: 'canonical or preconf',
        what: 'what escrows and operators hold: balances need an RPC',
        write: 'canonical: { url: "https://…" }',
        kinds: ['escrow.shortfall', 'operator.low_balance'],
      },
    ],
    [
      config.preconf === null,
      {
        setting: 'preconf',
        what: 'preconfirmations that are dropped, changed, moved or late',
        write: 'preconf: { url: "https://…" }',
        kinds: [
          'preconf.dropped',
          'preconf.flipped',
          'preconf.moved',
          'preconf.late',
          'preconf.stalled',
          'preconf.gap',
        ],
      },
    ],
    [
      bridge.operators.length === 0,
      {
        setting: 'bridge.operators',
        what: 'whether relayers and posters still work and can pay for it',
        write: 'bridge: { operators: [ { address: "0x…", minBalance: "0.5" } ] }',
        kinds: ['operator.quiet', 'operator.low_balance'],
      },
    ],
    [
      bridge.tokens.length === 0,
      {
        setting: 'bridge.tokens',
        what: 'tokens that do not belong to the bridge; names of tokens are those that anybody can choose',
        write: 'bridge: { tokens: [ { address: "0x…", symbol: USDC, decimals: 6 } ] }',
        kinds: ['transfer.unknown_token'],
      },
    ],
    [
      bridge.challenge.terminal.length === 0,
      {
        setting: 'bridge.challenge',
        what: 'challenges that do not end, and values of a challenge that nobody knows',
        write: 'bridge: { challenge: { known: [ … ], terminal: [ … ] } }',
        kinds: ['challenge.stuck'],
      },
    ],
    [
      bridge.fees.length === 0,
      {
        setting: 'bridge.fees',
        what: 'how much of a transfer may be kept as a fee: it is learned, and until then not known',
        write: 'bridge: { fees: [ { token: "0x…", direction: ZoneToMain, max: "5" } ] }',
        kinds: [],
      },
    ],
    [
      config.channels.every(({ type }) => type === 'console'),
      {
        setting: 'channels',
        what: 'nobody is told but who reads the console',
        write: 'channels: { ops: { type: slack, url: "${SLACK_WEBHOOK}" } }',
        kinds: [],
      },
    ],
    [
      config.reports.daily === null,
      {
        setting: 'reports.daily',
        what: 'no daily report says that all was looked at',
        write: 'reports: { daily: { cron: "0 8 * * *", channel: ops } }',
        kinds: [],
      },
    ],
    [
      config.heartbeat === null,
      {
        setting: 'heartbeat',
        what: 'nobody outside notices when spanwatch itself is gone',
        write: 'heartbeat: { url: "${HEARTBEAT_URL}" }',
        kinds: [],
      },
    ],
  ]
  return missing.flatMap(([isMissing, unwatched]) => (isMissing ? [unwatched] : []))
}
