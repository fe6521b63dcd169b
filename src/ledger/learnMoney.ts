import { canonicalToken } from '../bridge/movedToken.ts'
import { compareBatch, judgeBatchAction, sampleBatch } from '../meaning/compareBatch.ts'
import { awaitsDetail } from '../meaning/emptyBatch.ts'
import { doubtOrigin, kindsName, zoneEvidence } from '../meaning/doubtOrigin.ts'
import { onlyCertain } from '../meaning/habit.ts'
import { isOneOfSeveral, judgeAction, listFitting } from '../meaning/judgeAction.ts'
import { isOfEarlierWords, sampleAction, topicOf } from '../meaning/learnedActions.ts'
import {
  awaitsFee,
  judgeMoney,
  judgeTwin,
  mayBeTwin,
  sampleKept,
  sampleMoney,
  sampleZone,
} from '../meaning/judgeMoney.ts'
import { mayBeSurplus } from '../meaning/findOverpayment.ts'
import { amountsName, judgeZoneAmount } from '../meaning/judgeZoneAmount.ts'
import { movesAs } from '../meaning/learnedMoney.ts'
import { listOpenLessons, type Teaching } from '../meaning/openLessons.ts'
import { isReplacementOpen, replacedHoldMs } from '../meaning/replacedPayout.ts'
import { toMoneySettings } from '../meaning/toMoneySettings.ts'
import { originLeg, partyOf, type Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { EventContext, RelatedTransfers } from './context.ts'
import type { Database } from '../store/database.ts'
import { holdJudgement, type Learned } from './learned.ts'
import { saveOpenLessons } from './openLessons.ts'

export interface LearnMoneyDeps {
  readonly db: Database
  readonly learned: Learned
  readonly bridge: EventContext['bridge']
  /** What was final before this is not reported. */
  readonly tellSince: UnixMs
}

/** What cannot be judged yet is judged again after this. */
const againMs = 120_000
const soonMs = 15_000

/** Learns from transfers whose evidence came; holds those that cannot be judged before more was learned. Inside the transaction. */
export function learnMoney(
  deps: LearnMoneyDeps,
  changed: readonly Transfer[],
  related: RelatedTransfers,
  now: UnixMs,
): void {
  const { db } = deps
  const teaching = toTeaching(deps)
  for (const transfer of changed) {
    const { key } = transfer
    if (awaitsDetail(transfer, now)) holdJudgement(db, key, now + soonMs)
    const origin = originLeg(transfer)
    if (origin !== null && mayBeSurplus(transfer, related.sharing(origin.chain, origin.hash), now))
      holdJudgement(db, key, now + soonMs)
    if (isReplacementOpen(transfer, now)) holdJudgement(db, key, now + replacedHoldMs)
    if (transfer.isListed) {
      learnMain(deps, transfer, related, now)
      learnZone(deps, transfer, related, now)
    }
    learnAction(deps, transfer, related, now)
    // Judged again when one of these was learned.
    if (lastTimeOf(transfer) >= deps.tellSince)
      saveOpenLessons(db, key, listOpenLessons(transfer, teaching), now)
  }
}

function lastTimeOf({ originAt, destinationAt }: Transfer): UnixMs {
  return Math.max(originAt, destinationAt ?? 0)
}

/** What open lessons are compared with: what was learned, and the vaults, configured ones included. */
export function toTeaching({
  learned,
  bridge,
}: Pick<Teaching, 'learned'> & Pick<LearnMoneyDeps, 'bridge'>): Teaching {
  return { learned, vaultsOf: (token, by) => toMoneySettings(bridge, by).vaultsOf(token) }
}

function learnMain(deps: LearnMoneyDeps, transfer: Transfer, related: RelatedTransfers, now: UnixMs): void {
  const { learned, bridge, tellSince } = deps
  const { main } = transfer
  if (main === null || transfer.evidence.length === 0) return
  // What is about to be reported is no example. Of the past nothing is: a bridge with several vaults shows all of them.
  const isTold = lastTimeOf(transfer) >= tellSince
  const settings = toMoneySettings(bridge, isTold ? learned : onlyCertain(learned))
  const judged = judgeMoney(transfer, related.sharing('main', main.hash), settings)
  if (judged === null) return
  if (judged.twin !== null) {
    const listed = bridge.escrows?.map(({ token }) => token) ?? []
    if (!mayBeTwin(transfer, judged.twin, learned, listed)) return
    const verdict = judgeTwin(transfer, judged.twin, { learned, listed, now })
    if (verdict === 'held') holdJudgement(deps.db, transfer.key, now + soonMs)
  }
  const isOpen = awaitsFee(transfer, judged, learned, now)
  if (isOpen) holdJudgement(deps.db, transfer.key, now + soonMs)
  const kept = isOpen || judged.gap === 'covered' ? sampleKept(transfer, judged) : []
  const samples = [...sampleMoney(transfer, judged, settings), ...kept]
  if (samples.length === 0) return
  learned.learn(samples, { hash: main.hash, party: partyOf(transfer) }, now)
  learnSpelling(learned, transfer, now)
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

function learnZone(deps: LearnMoneyDeps, transfer: Transfer, related: RelatedTransfers, now: UnixMs): void {
  const { learned } = deps
  const fees = toMoneySettings(deps.bridge, learned, related)
  const sample = transfer.status === 'failed' ? null : sampleZone(transfer, fees)
  if (sample === null || transfer.zone === null) return
  if (transfer.firstSeenAt < learned.suspendedAt(amountsName(transfer.direction))) return
  const sharing = related.sharing('zone', transfer.zone.hash)
  // A bundle's one amount says nothing of its members.
  if (sharing.filter(({ isListed }) => isListed).length > 1) return
  if (sample.value === 'other' && now - transfer.firstSeenAt < againMs)
    holdJudgement(deps.db, transfer.key, now + soonMs)
  // What is reported, or will be once no other may share it, teaches nothing: several would end what they are judged by.
  const settings = { ...fees, learned, now: Infinity }
  if (lastTimeOf(transfer) >= deps.tellSince && judgeZoneAmount(transfer, sharing, settings) !== null) return
  // Nor does what the zone says of several things together.
  if (isOneOfSeveral(transfer, sharing, settings)) return
  learned.learn([sample], { hash: transfer.zone.hash, party: partyOf(transfer) }, now)
}

/** Of what kind a zone's action is and which of its words say what. */
function learnAction(
  { learned, bridge, tellSince }: LearnMoneyDeps,
  transfer: Transfer,
  related: RelatedTransfers,
  now: UnixMs,
): void {
  const by = transfer.status === 'failed' ? null : zoneEvidence(transfer)
  if (by === null) return
  const settings = { ...toMoneySettings(bridge, learned, related), learned }
  const sharing = related.sharing('zone', by.hash)
  // What is about to be reported teaches nothing: several together would end the very habit that they are judged by.
  const paid = transfer.main ? related.sharing('main', transfer.main.hash) : []
  const isTold =
    lastTimeOf(transfer) >= tellSince &&
    (typeof (judgeAction(transfer, sharing, settings) ?? '') === 'object' ||
      judgeBatchAction(transfer, paid, settings) !== null)
  if (transfer.isListed && doubtOrigin(transfer, sharing, settings)?.what !== 'other') {
    const { action, actionType = '' } = by
    const name = kindsName(topicOf(transfer))
    const kind = actionType === '' ? [] : [{ kind: 'action', name, value: actionType } as const]
    const teaches = !isOfEarlierWords(transfer, learned) && !isTold
    const words =
      action && teaches ? sampleAction(transfer, listFitting(transfer, sharing, settings), settings) : []
    const items = teaches ? sampleBatch(compareBatch(transfer, paid, settings)) : []
    learned.learn([...kind, ...words, ...items], { hash: by.hash, party: partyOf(transfer) }, now)
  }
}
