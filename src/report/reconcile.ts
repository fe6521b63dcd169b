import type { UnixMs } from '../lib/clock.ts'
import type { Direction } from '../bridge/observation.ts'
import type { Wrapping } from '../bridge/movedToken.ts'
import { type ReportToken, toHeldToken, toReportToken } from './reportToken.ts'
import { destinationLeg, leftNothing, originLeg } from '../bridge/transfer.ts'
import type { CountedTransfer } from '../ledger/slicesUnderWay.ts'

/** A transfer as far as reconciliation looks at it: when its value set out, and when and how it came to rest. */
export interface Crossing {
  readonly key: string
  readonly direction: Direction
  /** As of a report's token. */
  readonly token: string
  /** Base units; null when unknown. */
  readonly amountRaw: bigint | null
  /** Token units; null when unknown. */
  readonly amount: string | null
  /** The token that the escrows hold for it. */
  readonly held: ReportToken
  /** Something was taken on the origin chain: what failed there did not. */
  readonly isLocked: boolean
  /** Its record names another payout than before: what is said of a second one may be of the other. */
  readonly isRewritten: boolean
  readonly startedAt: UnixMs
  /** Null while it is on its way. */
  readonly end: { readonly how: 'completed' | 'failed'; readonly at: UnixMs } | null
}

type Moving = Pick<Crossing, 'direction' | 'token' | 'amountRaw' | 'startedAt' | 'end'>

/** So many transfers of so much. `unknown` of them are of an amount that no record gives: the sum lacks them. */
export interface Sum {
  readonly count: number
  readonly raw: bigint
  readonly unknown: number
}

/** One token in one direction: opening + started - completed - failed = closing, in count and in amount. */
export interface FlowLine {
  readonly direction: Direction
  readonly token: string
  readonly opening: Sum
  readonly started: Sum
  readonly completed: Sum
  readonly failed: Sum
  readonly closing: Sum
}

/**
 * By block times, so that the same transfer falls on the same day whenever it is asked. Null for a payout without a
 * proven origin, and for what failed where it began: nothing of it ever set out.
 */
export function toCrossing(transfer: CountedTransfer, wrapping: Wrapping): Crossing | null {
  if (transfer.state === 'unbacked' || originLeg(transfer) === null || leftNothing(transfer)) return null
  const { key, direction, token, state, amount, amountRaw, originProof } = transfer
  return {
    key,
    direction,
    token: toReportToken(token).address,
    amountRaw,
    amount,
    held: toHeldToken(token, wrapping),
    isRewritten: transfer.rewrites.length > 0,
    isLocked: state !== 'failed' || destinationLeg(transfer) !== null || originProof === 'proven',
    startedAt: transfer.originAt,
    end: endOf(transfer),
  }
}

function endOf(transfer: CountedTransfer): Crossing['end'] {
  const { state, originAt } = transfer
  if (state !== 'completed' && state !== 'failed') return null
  // A failure without a destination leg failed where it began. Nothing ends before it began.
  const at = destinationLeg(transfer)?.time ?? originAt
  return { how: state, at: Math.max(at, originAt) }
}

const noSum: Sum = { count: 0, raw: 0n, unknown: 0 }

type Part = 'opening' | 'started' | 'completed' | 'failed' | 'closing'

/** Sums crossings over a window, one after the other: `from` belongs to it, `until` to the next. */
export interface Flows {
  add(crossing: Moving): void
  /** Ordered by token and direction. */
  lines(): FlowLine[]
}

export function openFlows(window: { readonly from: UnixMs; readonly until: UnixMs }): Flows {
  const lines = new Map<string, Record<Part, { count: number; raw: bigint; unknown: number }>>()
  return {
    add(crossing) {
      const parts = partsOf(crossing, window)
      if (parts.length === 0) return
      const key = `${crossing.token} ${crossing.direction}`
      let line = lines.get(key)
      if (!line) lines.set(key, (line = emptyLine()))
      for (const part of parts) {
        line[part].count += 1
        if (crossing.amountRaw === null) line[part].unknown += 1
        else line[part].raw += crossing.amountRaw
      }
    },
    lines: () =>
      [...lines]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, line]) => {
          const [token = '', direction] = key.split(' ')
          // The key was made of a direction above.
          return { token, direction: direction as Direction, ...line }
        }),
  }
}

function partsOf(
  { startedAt, end }: Pick<Crossing, 'startedAt' | 'end'>,
  { from, until }: { from: UnixMs; until: UnixMs },
): Part[] {
  if (startedAt >= until || (end !== null && end.at < from)) return []
  return [
    startedAt < from ? 'opening' : 'started',
    ...(end !== null && end.at < until ? [end.how] : (['closing'] as const)),
  ]
}

function emptyLine() {
  return {
    opening: { ...noSum },
    started: { ...noSum },
    completed: { ...noSum },
    failed: { ...noSum },
    closing: { ...noSum },
  }
}

/** What is wrong with a line's identity; null when it holds, as it must. */
export function findImbalance({ opening, started, completed, failed, closing }: FlowLine): string | null {
  const count = opening.count + started.count - completed.count - failed.count - closing.count
  const raw = opening.raw + started.raw - completed.raw - failed.raw - closing.raw
  return count === 0 && raw === 0n ? null : `${count} transfers and ${raw} base units are unaccounted for`
}
