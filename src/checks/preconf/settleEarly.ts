import { isAccused, accuses } from '../../alerts/store/accused.ts'
import type { Finding } from '../../bridge/finding.ts'
import { movedToken } from '../../bridge/movedToken.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import {
  confirmEarly,
  heightOfEarly,
  listDueEarly,
  listOpenEarly,
  postponeEarly,
  withdrawEarly,
} from '../../kernel/earlyFindings.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { CanonicalSource } from './canonicalSource.ts'
import type { PayoutWatch } from './payoutWatch.ts'
import { toClaims } from './claims.ts'
import type { Judged } from './judged.ts'
import { dropPayout, notePayoutLate, readPayout } from './payoutStore.ts'
import { laterBlocks } from './settleReceipt.ts'
import type { Found } from './receipt.ts'
import { preconfUnbacked } from './unbacked.ts'

type Settled = Pick<Kernel, 'db'> & { readonly source: Pick<CanonicalSource, 'name'> }

const batchSize = 20

/** What was told of transactions before their block, now that it is known what became of them: inside the commit. */
export function settleEarly(of: Settled, judged: readonly Judged[], now: UnixMs): Finding[] {
  if (judged.length === 0) return []
  const open = listOpenEarly(of.db)
  if (open.size === 0) return []
  return judged
    .filter(({ held }) => open.has(held.hash))
    .flatMap(({ held: { hash }, fate }) => {
      if (fate.kind === 'unknown') return []
      if (fate.kind === 'dropped') return takeBack(of, hash, 'the transaction is in no block', now)
      return settleInBlock(of, hash, { height: fate.height, status: fate.transaction.status }, now)
    })
}

function settleInBlock(
  of: Settled,
  hash: string,
  { height, status }: { readonly height: number; readonly status: string | null },
  now: UnixMs,
): Finding[] {
  if (status === 'failed') return takeBack(of, hash, `the transaction failed, in block ${height}`, now)
  confirmEarly(of.db, hash)
  return []
}

function takeBack({ db, source }: Settled, hash: string, says: string, now: UnixMs): Finding[] {
  dropPayout(db, hash)
  return withdrawEarly(db, hash, { source: source.name === 'canonical' ? 'canonical RPC' : 'E7', says }, now)
}

interface EarlyWatch extends Pick<Kernel, 'clock' | 'commit' | 'db'> {
  readonly source: Pick<CanonicalSource, 'absence' | 'find' | 'head' | 'name' | 'settleAfter'>
}

/**
 * After a restart nobody holds what was preconfirmed: it is looked for by its hash, as often as absence takes. A source
 * that is behind the blocks that may hold it knows nothing of it.
 */
export async function pollEarly(of: EarlyWatch, signal: AbortSignal): Promise<void> {
  const { source } = of
  const due = listDueEarly(of.db, of.clock.now(), batchSize)
  if (due.length === 0) return
  const head = await source.head(signal)
  const found = await source.find(
    due.map(({ hash }) => hash),
    signal,
  )
  const isPast = (hash: string) =>
    head !== null && head >= (heightOfEarly(of.db, hash) ?? 0) + laterBlocks + source.settleAfter
  of.commit({
    apply: (now) =>
      due.flatMap(({ hash, misses }) => {
        const one = found.get(hash)
        const isKnown = one?.at !== 'nowhere' || isPast(hash)
        return settleFound(of, { hash, misses, found: isKnown ? one : undefined }, now)
      }),
  })
}

function settleFound(
  of: EarlyWatch,
  {
    hash,
    misses,
    found,
  }: { readonly hash: string; readonly misses: number; readonly found: Found | undefined },
  now: UnixMs,
): Finding[] {
  const { absence } = of.source
  if (found?.at === 'block')
    return settleInBlock(of, hash, { height: found.height, status: found.transaction.status }, now)
  const missed = misses + (found?.at === 'nowhere' ? 1 : 0)
  if (missed >= absence.reads) return takeBack(of, hash, 'the transaction is in no block', now)
  postponeEarly(of.db, hash, { nextAt: now + absence.spanMs / (absence.reads - 1), misses: missed })
  return []
}

/**
 * A payout that nothing explained when it was preconfirmed, now that a transfer of it was judged: explained when all
 * that it pays is proven to have left the zone and nothing accuses it. What accuses it proves what was told.
 */
export function settleExplained(
  of: PayoutWatch,
  transfer: Transfer,
  found: readonly Finding[],
  now: UnixMs,
): Finding[] {
  const { db, kinds, ledger } = of
  const hash = transfer.direction === 'ZoneToMain' ? (transfer.main?.hash ?? null) : null
  const row = hash === null ? null : readPayout(db, hash)
  if (hash === null || row?.verdict !== 'unbacked' || found.some((one) => accuses(kinds, one))) return []
  const paid = ledger
    .listTransfers({ hash, limit: 200 })
    .filter(({ direction, main }) => direction === 'ZoneToMain' && main?.hash === hash)
  if (paid.some((one) => !isProven(one) || isAccused(of, one.key))) return []
  const isWhole = row.unfit.every(({ token, raw }) => {
    const own = paid.filter((one) => movedToken(one.token) === token)
    const payout = { token, tokenId: '', net: BigInt(raw), outs: [], escrow: '' }
    return toClaims(of, payout, own).reduce((sum, claim) => sum + claim.raw, 0n) >= payout.net
  })
  if (!isWhole) return []
  notePayoutLate(db, hash)
  const names = paid.map(({ key, zone }) => `${key}${zone === null ? '' : ` (zone ${zone.hash})`}`)
  const says = `explained by withdrawal ${names.slice(0, 3).join(', ')}`
  return withdrawEarly(db, hash, { source: 'E9', says, kind: preconfUnbacked.kind }, now)
}

function isProven({ originProof, claim }: Transfer): boolean {
  return originProof === 'proven' || claim?.proof === 'proven'
}
