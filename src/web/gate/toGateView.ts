import { destinationLeg, originLeg } from '../../bridge/transfer.ts'
import type { Direction } from '../../bridge/observation.ts'
import type { Leg, TransferState, TransferToken } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { isStale } from '../judgeVerdict.ts'
import type { AskedPayment, GateFacts, GateReason, PossiblePayout } from './gateFacts.ts'
import { type GateLevel, type JudgedGate, type JudgedTransfer, judgeGate } from './judgeGate.ts'

/** What the gate says of one transfer. */
interface GateTransfer {
  readonly key: string
  readonly id: string | null
  readonly zoneEventIndex: string | null
  readonly direction: Direction
  readonly state: TransferState
  readonly origin: Leg | null
  readonly token: TransferToken
  readonly amount: string | null
  readonly amountRaw: bigint | null
  readonly recipient: string
  readonly verdict: GateLevel
  readonly reasons: readonly GateReason[]
  /** What paid it, or may have. */
  readonly payouts: readonly PossiblePayout[]
}

/** What whoever wants to pay is told. */
export interface GateView {
  readonly verdict: GateLevel
  /** When it was judged; it says nothing of any later moment. */
  readonly at: UnixMs
  readonly name: string
  /** What of the payment was given, and so compared. */
  readonly compared: readonly (keyof AskedPayment)[]
  readonly questions: JudgedGate['questions']
  readonly reasons: readonly GateReason[]
  readonly transfers: readonly GateTransfer[]
  /** Up to when each chain and the list are shown; null before they were read. */
  readonly horizon: {
    readonly main: UnixMs | null
    readonly zone: UnixMs | null
    readonly list: UnixMs | null
    /** A payout of before this would be known. */
    readonly unpaidUntil: UnixMs | null
  }
  readonly sources: readonly {
    readonly source: string
    readonly lastGoodAt: UnixMs | null
    readonly staleAfterMs: number
    readonly isFresh: boolean
  }[]
}

const comparable = ['token', 'amount', 'amountRaw', 'recipient'] as const

export function toGateView(facts: GateFacts): GateView {
  const { verdict, questions, reasons, transfers, unpaidUntil } = judgeGate(facts)
  const { main, zone, list } = facts.reach.horizons
  return {
    verdict,
    at: facts.now,
    name: facts.name,
    compared: comparable.filter((one) => facts.asked[one] !== null),
    questions,
    reasons,
    transfers: transfers.map(toGateTransfer),
    horizon: { main, zone, list, unpaidUntil },
    sources: facts.sources.coverage.map(({ source, lastGoodAt, staleAfterMs }) => ({
      source,
      lastGoodAt,
      staleAfterMs,
      isFresh: !isStale({ lastGoodAt, staleAfterMs }, facts.now),
    })),
  }
}

function toGateTransfer({ of: { transfer, payouts }, verdict, reasons }: JudgedTransfer): GateTransfer {
  const { key, id, zoneEventIndex, direction, state, token, amount, amountRaw, targetAddress } = transfer
  const paid = destinationLeg(transfer)
  return {
    key,
    id,
    zoneEventIndex,
    direction,
    state,
    origin: originLeg(transfer),
    token,
    amount,
    amountRaw,
    recipient: targetAddress,
    verdict,
    reasons,
    // Its own goes first.
    payouts: (payouts ?? []).toSorted(
      (a, b) => Number(b.hash === paid?.hash) - Number(a.hash === paid?.hash),
    ),
  }
}
