import { destinationLeg, type Leg, originLeg, type Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { holdJudgement } from '../ledger/lessons/learned.ts'
import type { RelatedTransfers } from '../ledger/context.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Database } from '../store/database.ts'
import type { LearnedMoney } from '../meaning/learnedMoney.ts'
import { type BridgeMoney, toMoneySettings } from '../meaning/toMoneySettings.ts'
import { findOverpayment, listOfOneOrigin, listOutdatedPayouts } from '../meaning/findOverpayment.ts'

interface Verifying {
  readonly db: Database
  readonly ledger: Pick<Ledger, 'verifyClaimed'>
  readonly tellSince: UnixMs
  readonly bridge: BridgeMoney
  readonly learned: LearnedMoney | null
}

/** What is said of one payout depends on the others of its origin: when one changes, all are judged anew. */
export function withSameOrigin(
  changed: readonly Transfer[],
  related: RelatedTransfers,
  now: UnixMs,
): Transfer[] {
  const judged = new Map(changed.map((transfer) => [transfer.key, transfer]))
  for (const transfer of changed)
    for (const other of listBesides(transfer, related, now))
      if (!judged.has(other.key)) judged.set(other.key, other)
  return [...judged.values()]
}

/** Who bears the origin transaction of a transfer: of a crowd those that are compared, and all that are of the very same origin. */
function listBesides(transfer: Transfer, related: RelatedTransfers, now: UnixMs): readonly Transfer[] {
  const origin = originLeg(transfer)
  if (origin === null) return []
  const compared = related.sharing(origin.chain, origin.hash)
  const all = related.ofOrigin(transfer)
  if (all.length === compared.length) return compared
  // All that one deposit was credited as are of one origin: of these only what goes beyond it is judged by another.
  const alike =
    transfer.direction === 'MainToZone'
      ? (findOverpayment(transfer, all, { fees: [], learned: null, now })?.surplus ?? [])
      : listOfOneOrigin(transfer, all)
  return [...compared, ...alike]
}

/** What is older than this is verified when nothing else waits, unless another transfer claims its origin. */
const historyMs = 900_000

/** Value that arrived long ago, of whose origin more arrives now, is verified now; where all arrived then, before other history. */
export function verifyClaimed(
  deps: Verifying,
  changed: readonly Transfer[],
  related: RelatedTransfers,
  now: UnixMs,
): void {
  const claimed = { fresh: new Map<string, Transfer>(), past: new Map<string, Transfer>() }
  const isPast = (leg: Leg) => (leg.time ?? now) < now - historyMs
  const askAnew = createAsking(deps, related, now)
  for (const transfer of changed) {
    const destination = destinationLeg(transfer)
    if (destination === null || (destination.time ?? transfer.firstSeenAt) < deps.tellSince) continue
    for (const other of listBesides(transfer, related, now)) {
      const leg = destinationLeg(other)
      if (leg !== null && leg.hash !== destination.hash && isPast(leg))
        claimed[isPast(destination) ? 'past' : 'fresh'].set(other.key, other)
    }
    askAnew(transfer, related.ofOrigin(transfer))
  }
  deps.ledger.verifyClaimed([...claimed.fresh.values()], now)
  deps.ledger.verifyClaimed([...claimed.past.values()], now, { isLate: true })
}

/** How soon it is looked whether what was asked anew was answered the same, which is no change of anything, ms. */
const askedAnewMs = 5_000

/** Another payout of a withdrawal was seen: whether those before it still stand is asked again, once for all of them. */
function createAsking({ db, ledger, bridge, learned }: Verifying, related: RelatedTransfers, now: UnixMs) {
  const settings = { ...toMoneySettings(bridge, learned, related), learned, now }
  const asked = new Set<ReturnType<typeof listOutdatedPayouts>>()
  return (transfer: Transfer, sharing: readonly Transfer[]): void => {
    const outdated = listOutdatedPayouts(transfer, sharing, settings)
    if (outdated.length === 0) return
    holdJudgement(db, transfer.key, now + askedAnewMs)
    if (asked.has(outdated)) return
    asked.add(outdated)
    for (const { payout, since } of outdated) ledger.verifyClaimed([payout], now, { since })
  }
}
