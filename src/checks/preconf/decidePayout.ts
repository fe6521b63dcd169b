import { isBatch, type Transfer } from '../../bridge/transfer.ts'
import { listFailedDeposits } from '../../ledger/failedDeposits.ts'
import { type Horizons, isBeyond } from '../../meaning/horizon.ts'
import { type KnownClaims, listClaims, listUnknownNames, toClaims } from './claims.ts'
import { fitPayout } from './fitPayout.ts'
import { joinIds, type Payout } from './payout.ts'
import { type ListHabit, readHabit, readPayout } from './payoutStore.ts'
import type { PayoutWatch, Waiting } from './payoutWatch.ts'
import type { Reason } from './unbacked.ts'

/** What fits nothing by then is left to the checks that read blocks. */
const longestMs = 90_000

/** What is the same for all payouts that are judged in one run. */
export interface Sight {
  readonly habit: ListHabit
  readonly horizons: Horizons
}

export function readSight({ db, horizons }: Pick<PayoutWatch, 'db' | 'horizons'>): Sight {
  return { habit: readHabit(db), horizons: horizons.read() }
}

export type Decision =
  | { readonly kind: 'waits' }
  /** Nothing is said of it: an origin is there and not listed yet, or it could not be asked in time. */
  | { readonly kind: 'left' }
  | {
      readonly kind: 'fits'
      readonly hash: string
      readonly uses: readonly Transfer[]
      readonly named: boolean
    }
  | {
      readonly kind: 'unbacked'
      readonly unfit: readonly Unfit[]
      readonly reason: Reason
      readonly origin: string
    }

export interface Unfit {
  readonly payout: Payout
  readonly left: bigint
}

/** What is to be made of a payout by what is known now. */
export function decide(of: PayoutWatch, waiting: Waiting, sight: Sight): Decision {
  const { unfit, uses, named } = fitAll(
    of,
    waiting,
    listClaims(of, waiting, () => true),
  )
  if (unfit.length === 0) return { kind: 'fits', hash: waiting.hash, uses, named }
  // Another transaction that was to pay it may be dropped yet, and this one stand in its place.
  const hoped = fitAll(
    of,
    waiting,
    listClaims(of, waiting, (hash) => !of.isHeld(hash)),
  )
  if (hoped.unfit.length === 0 && isYoung(of, waiting)) return { kind: 'waits' }
  return decideUnfit(of, waiting, { unfit, sight })
}

/** All payouts of a transaction beside what the ledger knows, each withdrawal once. */
function fitAll(of: PayoutWatch, { payouts }: Waiting, { named, pending }: KnownClaims) {
  const keys = new Set<string>()
  // A batch is of several ids at once.
  const isBatched = [...named, ...pending].some(isBatch)
  const unfit = (isBatched ? joinIds(payouts) : payouts).flatMap((payout): Unfit[] => {
    const free = (all: readonly Transfer[]) => all.filter(({ key }) => !keys.has(key))
    const fit = fitPayout(payout, toClaims(of, payout, free(named)), toClaims(of, payout, free(pending)))
    for (const { key } of fit.uses) keys.add(key)
    return fit.left > 0n ? [{ payout, left: fit.left }] : []
  })
  const uses = [...named, ...pending].filter(({ key }) => keys.has(key))
  return { unfit, uses, named: uses.every((one) => named.includes(one)) }
}

function isYoung({ clock }: PayoutWatch, { seenAt }: Waiting): boolean {
  return clock.now() - seenAt <= longestMs
}

/** What fits nothing is said only when whatever could show that it does was read since, and says nothing of it. */
function decideUnfit(
  of: PayoutWatch,
  waiting: Waiting,
  { unfit, sight }: { readonly unfit: readonly Unfit[]; readonly sight: Sight },
): Decision {
  const { db, list } = of
  const { answers, hash, names, seenAt, shownAt } = waiting
  const known = readPayout(db, hash)?.verdict ?? null
  // What fitted before may have been executed anew since, and pay more.
  const isDecided = known !== null && !(known === 'fits' && waiting.isAnew)
  if (isDecided || !isYoung(of, waiting)) return { kind: 'left' }
  // Where payouts name nothing the list alone could explain them, of which each record takes its own time.
  if (!sight.habit.namesOrigins) return { kind: 'left' }
  const unknown = listUnknownNames(of, waiting)
  if (unknown.some((name) => answers.get(name)?.says === 'shown')) return { kind: 'left' }
  if ((list.readAt ?? -Infinity) < seenAt) return { kind: 'waits' }
  if (isBeyond(sight.horizons, 'zone', shownAt)) return { kind: 'waits' }
  if (unknown.some((name) => !answers.has(name)) || isFilling(of, waiting)) return { kind: 'waits' }
  const failed = unknown.find((name) => answers.get(name)?.says === 'failed')
  if (failed !== undefined) return { kind: 'unbacked', unfit, reason: 'failed', origin: failed }
  const paid = names.find((name) => !unknown.includes(name))
  if (paid !== undefined) return { kind: 'unbacked', unfit, reason: 'paid', origin: paid }
  const [absent] = unknown
  if (absent !== undefined) return { kind: 'unbacked', unfit, reason: 'absent', origin: absent }
  // What names nothing may give failed deposits back: whether they were before the checks that read blocks say.
  if (unfit.every((one) => mayGiveBack(of, one))) return { kind: 'left' }
  return { kind: 'unbacked', unfit, reason: 'unnamed', origin: '' }
}

/** Whether it goes to one address that paid as much in by deposits that failed, as far as these say how much. */
function mayGiveBack({ ledger }: PayoutWatch, { payout: { outs, token }, left }: Unfit): boolean {
  const [out, ...others] = outs
  if (out === undefined || others.length > 0) return false
  const failed = listFailedDeposits(ledger, { sender: out.to, token })
  // One that does not say how much may have paid in all of it.
  return left <= failed.reduce((sum, { amountRaw }) => sum + (amountRaw ?? left), 0n)
}

/** One transaction of the zone may hold several withdrawals: until records had their time, more than are listed. */
function isFilling({ clock, ledger, settleMs }: PayoutWatch, { names }: Waiting): boolean {
  const since = clock.now() - settleMs()
  return names.some((name) =>
    ledger.listSharing('zone', name, 1).some(({ zone }) => (zone?.time ?? 0) > since),
  )
}
