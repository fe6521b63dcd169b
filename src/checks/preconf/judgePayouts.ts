import { formatDecimal, fromBaseUnits } from '../../bridge/decimal.ts'
import type { Finding } from '../../bridge/finding.ts'
import { keepEarly } from '../../kernel/earlyFindings.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { putNewest } from '../../lib/putNewest.ts'
import { decimalsOf, settingOf } from './claims.ts'
import { decide, type Decision, readSight, type Sight, type Unfit } from './decidePayout.ts'
import { dropPayout, savePayout } from './payoutStore.ts'
import { type PayoutWatch, toWaiting, type Waiting } from './payoutWatch.ts'
import type { BridgeReceipt } from './receipt.ts'
import { toUnbacked } from './unbacked.ts'

const rememberedUses = 20_000
/** Transactions that are judged anew in one run. */
const mostJudged = 500

/**
 * Looks at what was preconfirmed since the last run, and again at what waits: by what the ledger knows by now, asking
 * nobody. What was seen of a payout, and what follows from it, is one commit.
 */
export function judgePayouts(of: PayoutWatch): void {
  const fresh = of.fresh.splice(0)
  if (fresh.length === 0 && of.waiting.size === 0) return
  for (const receipt of fresh) {
    const waiting = toWaiting(of, receipt)
    if (waiting !== null) of.waiting.set(receipt.hash, waiting)
  }
  const sight = readSight(of)
  const due = [...of.waiting.values()].filter((one) => isDue(of, one, sight)).slice(0, mostJudged)
  // One after the other: what one pays, the next does not.
  const over = due.flatMap((waiting) => {
    const decision = decide(of, waiting, sight)
    use(of, decision)
    return decision.kind === 'waits' ? [] : [{ waiting, decision }]
  })
  const acting = fresh.filter(({ logs }) => logs.some(({ address }) => isContract(of, address)))
  if (over.length > 0 || acting.length > 0)
    of.commit({
      mayWait: 'without-news',
      apply: (now) => [
        ...acting.flatMap((receipt) => tellActs(of, receipt, now)),
        ...over.flatMap((one) => settle(of, { ...one, sight }, now)),
      ],
    })
  for (const { waiting } of over) of.waiting.delete(waiting.hash)
  if (of.waiting.size > 0) askList(of)
}

/** How far what could explain them had come when it was judged, and after how long it is judged again all the same, ms. */
const rejudgeMs = 3_000

/** Nothing is looked at again before something came that may explain it. */
function isDue({ clock, list }: PayoutWatch, waiting: Waiting, { horizons }: Sight): boolean {
  const { answers, judged } = waiting
  const by = `${list.readAt} ${horizons.zone} ${answers.size}`
  const now = clock.monotonicMs()
  if (judged.by === by && now - judged.at < rejudgeMs) return false
  waiting.judged = { by, at: now }
  return true
}

function isContract({ places }: PayoutWatch, address: string): boolean {
  return places.contracts.has(address)
}

/** Acts of administration in a transaction that is in no block yet. */
function tellActs(of: PayoutWatch, { hash, height, logs }: BridgeReceipt, now: UnixMs): readonly Finding[] {
  const { acts, db } = of
  const found = logs.flatMap(({ address, topics, data }) => {
    if (!isContract(of, address)) return []
    return acts.actOf({ contract: address, hash, height, time: null, place: '', topics, data }, now) ?? []
  })
  return keepEarly(db, hash, found, now)
}

function use({ used }: PayoutWatch, decision: Decision): void {
  if (decision.kind !== 'fits') return
  for (const { key } of decision.uses) putNewest(used, key, decision.hash, rememberedUses)
}

interface Decided {
  readonly waiting: Waiting
  readonly decision: Decision
  readonly sight: Sight
}

/** Saves what was decided, and tells what is unbacked where the list shows withdrawals before they are paid. */
function settle(of: PayoutWatch, { waiting, decision, sight }: Decided, now: UnixMs): readonly Finding[] {
  const { db } = of
  const { hash } = waiting
  if (decision.kind === 'fits') {
    const { named, uses } = decision
    if (uses.length === 0 || !uses.every(({ isListed }) => isListed)) return []
    savePayout(db, { hash, at: now, verdict: 'fits', named, unfit: [] })
  }
  if (decision.kind !== 'unbacked') return []
  const isTold = sight.habit.isPrompt
  const unfit = decision.unfit.map(({ payout: { token }, left }) => ({ token, raw: String(left) }))
  if (waiting.isAnew) dropPayout(db, hash)
  savePayout(db, { hash, at: now, verdict: 'unbacked', named: waiting.names.length > 0, unfit })
  return isTold
    ? keepEarly(
        db,
        hash,
        decision.unfit.map((one) => toFinding(of, waiting, decision, one)),
        now,
      )
    : []
}

function toFinding(
  of: PayoutWatch,
  { answers, hash, height, seenAt }: Waiting,
  { reason, origin }: Extract<Decision, { kind: 'unbacked' }>,
  { payout, left }: Unfit,
): Finding {
  const { escrow, outs, token, tokenId } = payout
  const decimals = decimalsOf(of, token)
  const reserve = of.stakes.reserveOf(token)
  const share = reserve === null || reserve <= 0n ? null : Number((left * 1_000_000n) / reserve) / 1e6
  const asked = answers.get(origin)
  const zone = of.horizons.read().zone
  return toUnbacked({
    hash,
    height,
    seenAt,
    escrow,
    token,
    tokenId,
    symbol: settingOf(of, token)?.symbol ?? token,
    amount: formatDecimal(fromBaseUnits(left, decimals ?? 0)),
    party: outs[0]?.to ?? '',
    reason,
    origin,
    share,
    aboveBound: share !== null && share > boundOf(of),
    asked: [
      { source: 'E3', at: of.list.readAt ?? seenAt, says: 'the list shows no withdrawal that it fits' },
      ...(asked ? [{ source: 'E9', at: asked.at, says: `${origin}: ${sayAnswer(asked.says)}` }] : []),
      { source: 'E5', at: of.clock.now(), says: `the zone has shown its blocks until ${sayTime(zone)}` },
    ],
  })
}

function sayAnswer(says: 'absent' | 'failed' | 'shown'): string {
  return says === 'failed' ? 'failed' : 'not known, by one reading'
}

function sayTime(at: UnixMs | null): string {
  return at === null ? 'a time that is not known' : new Date(at).toISOString()
}

/** Above which share of what the escrows held a sum that left is critical: the lowest that a rule on it gives. */
function boundOf({ rules }: PayoutWatch): number {
  const bounds = rules()
    .filter(({ kind }) => kind === 'escrow.drift')
    .map(({ params }) => (params as { readonly sum?: unknown }).sum)
  return Math.min(
    ...bounds.filter((bound) => typeof bound === 'number'),
    bounds.length > 0 ? Infinity : usualBound,
  )
}

/** What `escrow.drift` has where no rule says otherwise. */
const usualBound = 0.01

/** The newest page of the list is read at once, once for what was preconfirmed since it was read last. */
function askList({ list, trigger, waiting }: PayoutWatch): void {
  const since = list.readAt ?? -Infinity
  const isNew = [...waiting.values()].some((one) => one.seenAt > since && one.asked.list === 0)
  if (!isNew) return
  for (const one of waiting.values()) one.asked.list += 1
  trigger('transfers')
  trigger('preconfOrigins')
}
