import type { UnixMs } from '../../lib/clock.ts'
import { z } from 'zod'
import type { Agreement } from '../../bridge/agreement.ts'
import { count, given, maybeUnits, never, now, text, units } from '../../kernel/given.ts'
import { moment } from '../../kernel/moment.ts'
import { accountsSchema } from './accounts/readAccounts.ts'
import { type BaselineGround, baselineGrounds } from './supply/baseline.ts'
import type { JudgedSupply } from './supply/judgeSupply.ts'
import type { EscrowToken } from './owed/owedStore.ts'

/** What left or reached an escrow and no known transfer explains. Amounts are exact, in token units. */
export interface EscrowMove {
  readonly escrow: string
  /** '' is the native currency. */
  readonly token: string
  readonly symbol: string
  /** Null for a change of the balance that no listed movement makes; then it lies above `fromHeight`. */
  readonly hash: string | null
  /** It is what that transaction cost the escrow, which sent it, beside what it moved. */
  readonly isGas?: true
  readonly fromHeight: number | null
  readonly height: number
  readonly at: UnixMs
  readonly direction: 'out' | 'in'
  /** What of it is not explained, and all that moved. */
  readonly amount: string
  readonly moved: string
  /** The other side of it. */
  readonly party: string
  readonly reason: string
  readonly checkedAt: UnixMs
  /** Who says that there is no record of it, or that the balance is so. */
  readonly agreement?: Agreement | null
  /** Of one that is still looked for though it had its time: the share of what the escrows hold, null where that is not known. */
  readonly open?: { readonly share: number | null }
}

/** Movements of a token out of the escrows that nothing explains yet, in sum. Amounts in token units. */
export interface EscrowSum {
  readonly token: string
  readonly symbol: string
  readonly escrows: readonly string[]
  readonly count: number
  readonly amount: string
  /** Of what the escrows held, or would hold without what they still owe; null while that is not known. */
  readonly share: number | null
  readonly since: UnixMs
  /** Transactions with the largest amounts. */
  readonly hashes: readonly string[]
  /** By whose list. */
  readonly agreement?: Agreement
  /** The source that stands still, and up to when it has shown what happened; null for what had its time. */
  readonly waitsFor: { readonly source: 'main' | 'zone' | 'list'; readonly shownUntil: UnixMs | null } | null
}

/** Movements of a token out of the escrows whose transfers do not say how much, or of which id, or that are older than the list. Amounts in token units. */
export interface UnjudgedSum extends Pick<EscrowSum, 'token' | 'symbol' | 'escrows' | 'count' | 'amount'> {
  /** What they do not say; `record`: the list begins later. */
  readonly lacks: string
  readonly since: UnixMs
  readonly hashes: readonly string[]
}

/** What the escrows of a token hold together, null too where nothing is there and nothing comes to rest, against what is owed. */
export interface EscrowHolding
  extends Pick<
    EscrowToken,
    'token' | 'holdings' | 'holdingsAt' | 'baseline' | 'judged' | 'accounts' | 'isHeld'
  > {
  readonly symbol: string
  readonly escrows: readonly string[]
  readonly decimals: number | null
  readonly startedAt: UnixMs | null
  /** Who says that less is held than is owed. */
  readonly agreement?: Agreement | null
  /** How the baseline is known. */
  readonly ground: BaselineGround
}

/** A token whose supply on the zone chain is compared with what was locked for it. */
export interface SupplyFact {
  /** On the main chain, '' for the native currency; `zoneToken` on the zone chain. */
  readonly token: string
  readonly zoneToken: string
  readonly symbol: string
  /** The newest comparison, and how many in a row found too much. */
  readonly judged: JudgedSupply | null
  readonly excesses: number
  /**
   * So much more than could be claimed there was at the first comparisons, base units as in `judged`, where what was owed
   * then is assumed to be what was held: the escrow may have lacked it. 0n where it is known.
   */
  readonly before: bigint
  /** Who says that there is too much. */
  readonly agreement?: Agreement | null
  /** Since when this process would compare it. */
  readonly watchedSince: UnixMs
  /** What the next comparison waits for. */
  readonly why: string
}

/** What transfers moved, and wanted to move, of a token in a time. Base units. */
export interface EscrowFlowSum {
  /** Deposits that reached the escrows that pay. */
  readonly in: bigint
  /** Withdrawals that left the zone, the largest of them, and how many. */
  readonly out: bigint
  readonly largest: bigint
  readonly count: number
}

/** What the escrows that pay a token's withdrawals have to spare, at one block. Base units. */
export interface EscrowHeadroom extends Pick<EscrowHolding, 'token' | 'symbol' | 'decimals'> {
  /** Those that pay; empty where several may, and none was seen to. */
  readonly escrows: readonly string[]
  readonly held: bigint
  /** Withdrawals that left the zone and are not paid; null where one does not say how much. */
  readonly onItsWay: bigint | null
  readonly height: number
  readonly at: UnixMs
  /** Of so long before that block; null where the list was not read all through it, or an amount is not known. */
  flow(windowMs: number): EscrowFlowSum | null
}

export interface EscrowPart {
  readonly escrow: {
    /** Unexplained movements, at most some hundreds each way, the newest. */
    readonly moves: readonly EscrowMove[]
    /** What left and is not explained yet. */
    readonly sums: readonly EscrowSum[]
    /** What left by transfers that do not say how much, or of which id, or before the list begins, seen within a day. */
    readonly unjudged: readonly UnjudgedSum[]
    readonly holdings: readonly EscrowHolding[]
    /** When a page of the list's past was read last, null before: holdings are judged once all of it is. Left out, they may not be judged. */
    readonly walkedAt?: UnixMs | null
    readonly headroom: readonly EscrowHeadroom[]
  }
  readonly supplies: readonly SupplyFact[]
}

const move = z.strictObject({
  escrow: text,
  token: text.default(''),
  symbol: text,
  hash: text.nullable().default(null),
  fromHeight: count.nullable().default(null),
  height: count.default(1),
  at: moment,
  direction: z.enum(['out', 'in']),
  amount: text,
  moved: text,
  party: text.default(''),
  reason: text.default('no transfer names it'),
  checkedAt: now,
  open: z.strictObject({ share: z.number().nullable() }).optional(),
})

const sum = z.strictObject({
  token: text.default(''),
  symbol: text,
  escrows: z.array(text).default([]),
  count,
  amount: text,
  share: z.number().nullable().default(null),
  since: moment,
  hashes: z.array(text).default([]),
  waitsFor: z
    .strictObject({ source: z.enum(['main', 'zone', 'list']), shownUntil: moment.nullable() })
    .nullable()
    .default(null),
})

const unjudged = z.strictObject({
  token: text.default(''),
  symbol: text,
  escrows: z.array(text).default([]),
  count,
  amount: text,
  lacks: text,
  since: moment,
  hashes: z.array(text).default([]),
})

const holding = z.strictObject({
  token: text,
  symbol: text,
  escrows: z.array(text).default([]),
  decimals: count.nullable().default(null),
  holdings: maybeUnits,
  holdingsAt: never,
  baseline: maybeUnits,
  startedAt: never,
  judged: z
    .strictObject({ owed: units, holdings: units, openOut: units.prefault('0'), height: count, at: now })
    .nullable()
    .default(null),
  accounts: accountsSchema.nullable().default(null),
  ground: z.enum(baselineGrounds).default('configured'),
  isHeld: z.boolean().default(true),
})

const supply = z.strictObject({
  token: text,
  zoneToken: text.default('0x20'),
  symbol: text,
  judged: z
    .strictObject({
      height: count.default(1),
      blockTime: now,
      readAt: now,
      decimals: count.default(0),
      supply: units,
      claims: units,
      backing: units.prefault('0'),
      excess: units,
      over: units.prefault('0'),
    })
    .nullable()
    .default(null),
  excesses: count.default(3),
  before: units.prefault('0'),
  watchedSince: now,
  why: text.default('no reading'),
})

const room = z.strictObject({
  token: text,
  symbol: text,
  decimals: count.nullable().default(null),
  escrows: z.array(text).default([]),
  held: units,
  onItsWay: maybeUnits,
  height: count,
  at: now,
  flow: z
    .strictObject({ in: units, out: units, largest: units.prefault('0'), count })
    .nullable()
    .default(null),
})

const nothing: EscrowPart['escrow'] = { moves: [], sums: [], unjudged: [], holdings: [], headroom: [] }

/** What a test of rules may say of the escrows. */
export const givenEscrow = given(
  {
    escrow: z.strictObject({
      moves: z.array(move).default([]),
      sums: z.array(sum).default([]),
      unjudged: z.array(unjudged).default([]),
      holdings: z.array(holding).default([]),
      headroom: z.array(room).default([]),
    }),
    supplies: z.array(supply),
  },
  ({ escrow, supplies = [] }): EscrowPart => ({
    escrow: escrow
      ? {
          ...escrow,
          headroom: escrow.headroom.map(({ flow, ...of }) => ({ ...of, flow: () => flow })),
        }
      : nothing,
    supplies,
  }),
)
