import { hash as digest } from 'node:crypto'
import { isMint } from '../../bridge/mint.ts'
import { createMostKept, type MostKept } from '../../meaning/mostKept.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { putNewest } from '../../lib/putNewest.ts'
import type { AppConfig } from '../../kernel/settings.ts'
import { type Payout, readNames, readPayouts } from './payout.ts'
import type { BridgeReceipt, PendingBlock } from './receipt.ts'

/** A preconfirmed transaction that pays out of the escrows, until it is known whether something explains it. */
export interface Waiting {
  readonly hash: string
  readonly height: number
  /** When it was first read in the block being made, by our clock. */
  readonly seenAt: UnixMs
  /** The same by the chain's clock, where ours is ahead of it. */
  readonly shownAt: UnixMs
  /** It was seen with other logs before. */
  readonly isAnew: boolean
  readonly payouts: readonly Payout[]
  /** What the bridge's own events may name as origins. */
  readonly names: readonly string[]
  /** What the zone says of those that the ledger does not know, by one reading beside a control question. */
  readonly answers: Map<string, Answer>
  /** Questions that it was the reason for. */
  readonly asked: { list: number; heads: number; origins: number }
  /** When it was judged, and by what. */
  judged: { readonly by: string; readonly at: number }
}

interface Answer {
  readonly at: UnixMs
  readonly says: 'absent' | 'failed' | 'shown'
}

/** Preconfirmed payouts, in memory: what a restart forgets is found by the checks that read blocks. */
export interface PayoutWatch
  extends Pick<
    Kernel,
    | 'acts'
    | 'clock'
    | 'commit'
    | 'config'
    | 'db'
    | 'horizons'
    | 'kinds'
    | 'ledger'
    | 'list'
    | 'reads'
    | 'rules'
    | 'settleMs'
    | 'stakes'
    | 'trigger'
  > {
  readonly places: BridgePlaces
  readonly mostKept: MostKept
  /** Read and not looked at yet. */
  readonly fresh: FreshReceipt[]
  /** Which logs were seen of a transaction at last. */
  readonly seen: Map<string, SeenLogs>
  readonly waiting: Map<string, Waiting>
  /** Which transaction pays a withdrawal, by its key. */
  readonly used: Map<string, string>
  /** Whether a preconfirmed transaction is not settled yet. */
  readonly isHeld: (hash: string) => boolean
}

interface SeenLogs extends Pick<Waiting, 'seenAt' | 'shownAt'> {
  readonly count: number
  readonly digest: string
}

export interface FreshReceipt extends BridgeReceipt, Pick<Waiting, 'seenAt' | 'shownAt' | 'isAnew'> {}

/** The bridge's addresses on the main chain, in lower case. */
export interface BridgePlaces {
  readonly contracts: ReadonlySet<string>
  /** Without escrows every contract of the bridge is one. */
  readonly escrows: ReadonlySet<string>
  readonly all: ReadonlySet<string>
  /** The escrows as topics of a log name them. */
  readonly escrowTopics: ReadonlySet<string>
}

const rememberedHashes = 20_000
/** More at a time are not one theft: what comes beyond is left to the checks that read blocks. */
const mostWaiting = 5_000

export function listPlaces({
  contracts,
  escrows,
}: Pick<AppConfig['bridge'], 'contracts' | 'escrows'>): BridgePlaces {
  const own = new Set(contracts.map((address) => address.toLowerCase()))
  // Of whatever is minted, or burned, most is not the bridge's: that is left to the checks that read blocks.
  const configured = new Set(
    escrows.filter((escrow) => !isMint(escrow)).map(({ address }) => address.toLowerCase()),
  )
  const holding = escrows.length > 0 ? configured : own
  return {
    contracts: own,
    escrows: holding,
    all: own.union(configured),
    escrowTopics: new Set([...holding].map((address) => `0x${address.slice(2).padStart(64, '0')}`)),
  }
}

export function openPayoutWatch(kernel: Kernel, isHeld: PayoutWatch['isHeld']): PayoutWatch {
  const { bridge } = kernel.config
  return {
    ...kernel,
    places: listPlaces(bridge),
    mostKept: createMostKept(bridge.fees, kernel.learned),
    fresh: [],
    seen: new Map(),
    waiting: new Map(),
    used: new Map(),
    isHeld,
  }
}

/** Transactions are in no block: nothing is paid by them. */
export function forgetDropped({ used, waiting }: PayoutWatch, hashes: ReadonlySet<string>): void {
  if (hashes.size === 0) return
  for (const hash of hashes) waiting.delete(hash)
  for (const one of waiting.values()) one.judged = { by: '', at: 0 }
  for (const [key, hash] of used) if (hashes.has(hash)) used.delete(key)
}

/**
 * Takes the receipts of one reading; only what was not seen yet is looked at, at once. One that was executed anew may say
 * something else; one that shows less is of a server that knows less.
 */
export function takeReceipts(
  of: PayoutWatch,
  { bridge, time }: Pick<PendingBlock, 'bridge' | 'time'>,
  seenAt: UnixMs,
): void {
  const { fresh, seen, trigger } = of
  const before = fresh.length
  for (const receipt of bridge) {
    if (fresh.length >= mostWaiting) continue
    const logs = JSON.stringify(receipt.logs)
    const now = { count: receipt.logs.length, digest: digest('sha1', logs, 'base64') }
    const known = seen.get(receipt.hash)
    if (known && (known.count > now.count || known.digest === now.digest)) continue
    const first = known ?? { seenAt, shownAt: byChain(seenAt, time) }
    const times = { seenAt: first.seenAt, shownAt: first.shownAt }
    putNewest(seen, receipt.hash, { ...now, ...times }, rememberedHashes)
    fresh.push({ ...receipt, ...times, isAnew: known !== undefined })
  }
  if (fresh.length > before) trigger('preconfPayouts')
}

/** A block is made for a while: only what lies further apart are two clocks, of which the chain's dates origins. */
function byChain(seenAt: UnixMs, blockTime: UnixMs | null): UnixMs {
  return blockTime !== null && seenAt - blockTime > longestBlockMs ? blockTime : seenAt
}

const longestBlockMs = 15_000

/** What a transaction pays out of the escrows, of tokens of the bridge; null where it pays nothing. */
export function toWaiting(
  of: PayoutWatch,
  { hash, height, logs, isAnew, seenAt, shownAt }: FreshReceipt,
): Waiting | null {
  const { escrows, all } = of.places
  const payouts = readPayouts(logs, escrows).filter(({ token }) => isCounted(of, token))
  if (payouts.length === 0 || of.waiting.size >= mostWaiting) return null
  const known = of.waiting.get(hash)
  return {
    hash,
    height,
    seenAt,
    shownAt,
    isAnew,
    payouts,
    names: readNames(logs, all),
    answers: known?.answers ?? new Map(),
    asked: { list: 0, heads: 0, origins: 0 },
    judged: { by: '', at: 0 },
  }
}

/** Anybody can write transfers of a token of his own in an escrow's name: named by the configuration, or held by an escrow. */
function isCounted({ config, stakes }: PayoutWatch, token: string): boolean {
  const { escrows, tokens } = config.bridge
  const isNamed = [...escrows.map((one) => one.token), ...tokens.map(({ address }) => address)].some(
    (address) => address.toLowerCase() === token,
  )
  return isNamed || stakes.reserveOf(token) !== null
}
