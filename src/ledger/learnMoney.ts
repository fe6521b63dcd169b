import { canonicalToken } from '../bridge/movedToken.ts'
import { partyOf, type Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { awaitsDetail } from '../meaning/emptyBatch.ts'
import { mayBeOneRecord } from '../meaning/judgeAction.ts'
import { mayBeShownAsOne, mayBeSurplus } from '../meaning/findOverpayment.ts'
import { movesAs } from '../meaning/learnedMoney.ts'
import { listOpenLessons, type Teaching } from '../meaning/openLessons.ts'
import { isReplacementOpen, replacedHoldMs } from '../meaning/replacedPayout.ts'
import {
  hasEndedMeaning,
  judgeExtra,
  taughtByAction,
  taughtByMoney,
  taughtByZoneAmount,
} from '../meaning/taught.ts'
import { toMoneySettings } from '../meaning/toMoneySettings.ts'
import type { Database } from '../store/database.ts'
import type { EventContext, RelatedTransfers } from './context.ts'
import { holdJudgement, type Learned } from './lessons/learned.ts'
import { listWaiting, saveOpenLessons } from './lessons/openLessons.ts'

export interface LearnMoneyDeps {
  readonly db: Database
  readonly learned: Learned
  readonly bridge: EventContext['bridge']
  /** What was final before this is not reported. */
  readonly tellSince: UnixMs
  /** Up to when the list has shown what happened; null while that is not known. */
  readonly listedUntil: UnixMs | null
  /** Whether a transfer was accused before, by its key. */
  readonly isAccused: (key: string) => boolean
}

/** What cannot be judged yet is judged again after this. */
const soonMs = 15_000

/** Learns from transfers whose evidence came; holds those that cannot be judged before more was learned. Inside the transaction. */
export function learnMoney(
  deps: LearnMoneyDeps,
  changed: readonly Transfer[],
  related: RelatedTransfers,
  now: UnixMs,
): void {
  const { db, tellSince } = deps
  const teaching = toTeaching(deps)
  const waiting = listWaiting(
    db,
    changed.map(({ key }) => key),
  )
  for (const transfer of changed) {
    const { key, originAt, destinationAt } = transfer
    if (awaitsDetail(transfer, now)) holdJudgement(db, key, now + soonMs)
    const ofOrigin = related.ofOrigin(transfer)
    const mayBeOne = mayBeShownAsOne(transfer, ofOrigin, now) || mayBeOneRecord(transfer, ofOrigin, now)
    if (mayBeOne || mayBeSurplus(transfer, ofOrigin, now)) holdJudgement(db, key, now + soonMs)
    if (isReplacementOpen(transfer, now)) holdJudgement(db, key, now + replacedHoldMs)
    const isTold = Math.max(originAt, destinationAt ?? 0) >= tellSince
    const awaitsFee = transfer.isListed && learnFrom(deps, transfer, { related, isTold, now })
    // Judged again when one of these was learned.
    const open = { key, isWaiting: waiting.has(key) }
    if (isTold) saveOpenLessons(db, open, listOpenLessons(transfer, teaching, awaitsFee), now)
  }
}

/** What open lessons are compared with: what was learned, and the vaults, configured ones included. */
export function toTeaching({
  learned,
  bridge,
}: Pick<Teaching, 'learned'> & Pick<LearnMoneyDeps, 'bridge'>): Teaching {
  return { learned, vaultsOf: (token, by) => toMoneySettings(bridge, by).vaultsOf(token) }
}

/** @returns whether it is told for what may be a fee */
function learnFrom(
  { db, learned, bridge, isAccused, listedUntil }: LearnMoneyDeps,
  transfer: Transfer,
  of: { readonly related: RelatedTransfers; readonly isTold: boolean; readonly now: UnixMs },
): boolean {
  const { related, isTold, now } = of
  const { key, main, zone } = transfer
  const example = { transfer, related, learned, bridge, now, listedUntil }
  const party = partyOf(transfer)
  const money = taughtByMoney(example, isTold)
  if (money.isHeld) holdJudgement(db, key, now + soonMs)
  if (main !== null && money.samples.length > 0) {
    learned.learn(money.samples, { hash: main.hash, party }, now)
    learnSpelling(learned, transfer, now)
  }
  const { awaitsFee = false } = money
  if (zone === null) return awaitsFee
  const amount = taughtByZoneAmount(example, isTold)
  if (amount.isHeld || (isTold && judgeExtra(example) === 'held')) holdJudgement(db, key, now + soonMs)
  // Those that ended a meaning, and were accused for it, begin no other one.
  if (hasEndedMeaning(learned, transfer) && isAccused(key)) return awaitsFee
  learned.learn(amount.samples, { hash: zone.hash, party }, now)
  learned.learn(taughtByAction(example, isTold), { hash: zone.hash, party }, now)
  return awaitsFee
}

/** Each token counts once, as one that bears its own name or as one that does not. */
function learnSpelling(learned: Learned, transfer: Transfer, now: UnixMs): void {
  const token = canonicalToken(transfer.token.address)
  const moved = movesAs(token, learned)
  if (moved === null || token === '') return
  const value = moved === token ? 'own' : 'other'
  const sample = { kind: 'token', name: `* ${transfer.direction}`, value } as const
  learned.learn([sample], { hash: token, party: token }, now)
}
