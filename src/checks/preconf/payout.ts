import type { BridgeLog } from '../../bridge/bridgeLog.ts'
import { canonicalToken, toCanonicalId } from '../../bridge/movedToken.ts'
import type { TokenMove } from '../../bridge/transfer.ts'
import { decodeMoves } from '../../clients/decodeMoves.ts'

/** A log of a receipt, hex in lower case. */
export interface SeenLog extends Pick<BridgeLog, 'topics' | 'data'> {
  readonly address: string
}

/** What one transaction pays out of the escrows of one token and id: base units. */
export interface Payout {
  readonly token: string
  /** '' for tokens without ids. */
  readonly tokenId: string
  /** What left the escrows, less what came in. */
  readonly net: bigint
  /** Who got more than they paid in, the largest first. */
  readonly outs: readonly Out[]
  /** The escrow that paid the most. */
  readonly escrow: string
}

export interface Out {
  readonly to: string
  readonly raw: bigint
}

/**
 * What the logs of a transaction pay out of the escrows. What goes from one escrow to another has not left; what comes
 * back to whoever paid it in, or only passes through, is judged later, when it is known what the zone credits. So is a
 * token of which a movement cannot be read.
 */
export function readPayouts(logs: readonly SeenLog[], escrows: ReadonlySet<string>): Payout[] {
  const all = decodeMoves(logs)
  const unread = new Set(all.flatMap(({ token, amountRaw }) => (amountRaw === null ? token : [])))
  const moves = all.filter(
    ({ token, from, to, amountRaw }) =>
      (amountRaw ?? 0n) > 0n && escrows.has(from) !== escrows.has(to) && !unread.has(token),
  )
  const groups = Map.groupBy(moves, ({ token, tokenId }) => `${token}|${toCanonicalId(tokenId)}`)
  return [...groups.values()].flatMap((group) => sumGroup(group, escrows) ?? [])
}

function sumGroup(group: readonly TokenMove[], escrows: ReadonlySet<string>): Payout | null {
  const byParty = new Map<string, bigint>()
  const byEscrow = new Map<string, bigint>()
  for (const { from, to, amountRaw } of group) {
    const isOut = escrows.has(from)
    const signed = isOut ? (amountRaw ?? 0n) : -(amountRaw ?? 0n)
    add(byParty, isOut ? to : from, signed)
    add(byEscrow, isOut ? from : to, signed)
  }
  const net = [...byParty.values()].reduce((sum, raw) => sum + raw, 0n)
  const [first] = group
  if (first === undefined || net <= 0n) return null
  const outs = largestFirst(byParty).filter(({ raw }) => raw > 0n)
  const token = canonicalToken(first.token)
  return {
    token,
    tokenId: toCanonicalId(first.tokenId),
    net,
    outs,
    escrow: largestFirst(byEscrow)[0]?.to ?? '',
  }
}

/** What is paid of a token, whatever its ids. */
export function joinIds(payouts: readonly Payout[]): Payout[] {
  return [...Map.groupBy(payouts, ({ token }) => token).values()].flatMap((group) => {
    const [first, ...others] = group
    if (first === undefined || others.length === 0) return group
    const byParty = new Map<string, bigint>()
    for (const { to, raw } of group.flatMap(({ outs }) => outs)) add(byParty, to, raw)
    const net = group.reduce((sum, one) => sum + one.net, 0n)
    return [{ ...first, tokenId: '', net, outs: largestFirst(byParty) }]
  })
}

function add(sums: Map<string, bigint>, key: string, raw: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + raw)
}

function largestFirst(sums: ReadonlyMap<string, bigint>): Out[] {
  return [...sums]
    .map(([to, raw]) => ({ to, raw }))
    .sort((a, b) => (a.raw === b.raw ? 0 : a.raw < b.raw ? 1 : -1))
}

/** Names of one transaction that are looked at, at most: three questions of E9. */
const mostNames = 57
/** Of one event. */
const mostDataWords = 256

/**
 * What the bridge's own events of a transaction may name as origins: words of 32 bytes that are no address and no small
 * number. A contract may name a hash in any place: which of them are transactions of the zone, the ledger and E9 say.
 */
export function readNames(logs: readonly SeenLog[], bridge: ReadonlySet<string>): string[] {
  const words = logs
    .filter(({ address }) => bridge.has(address))
    .flatMap(({ topics, data }) => [...topics.slice(1), ...splitWords(data)])
  return [...new Set(words.filter(isHash))].slice(0, mostNames)
}

function splitWords(data: string): string[] {
  return (data.slice(2, 2 + 64 * mostDataWords).match(/.{64}/g) ?? []).map((word) => `0x${word}`)
}

/** The twelve bytes before an address, and the front of any amount, are zero. */
function isHash(word: string): boolean {
  return /^0x[0-9a-f]{64}$/.test(word) && !/^0x0{16}/.test(word)
}
