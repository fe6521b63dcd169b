import { deriveDecimals } from '../../domain/amount.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Rule } from '../../rules/types.ts'
import type { Database } from '../../store/database.ts'
import { type HistoryRow, isLegDoubted, openHistoryRow } from '../../store/history.ts'
import type { AppConfig } from '../appConfig.ts'
import type { Choice } from './chooseRules.ts'

const historyMs = 600_000

/**
 * Whether a transfer's row alone says that no rule can tell anything of it. Most transfers were seen once, whole and
 * well: of these only a few kinds can find something at all, and each is asked of the columns.
 */
export function createPassOver(of: {
  readonly db: Database
  readonly choice: Choice
  readonly bridge: AppConfig['bridge']
  readonly isAsked: boolean
  readonly shared: ReadonlySet<string>
  readonly since: UnixMs
}): (row: HistoryRow) => boolean {
  const { events, stalled } = of.choice
  const kinds = new Set(events.map(({ kind }) => kind))
  const shortestMs = Math.min(Infinity, ...stalled.map(readAfter))
  const decimals = new Map(of.bridge.tokens.map((token) => [token.address.toLowerCase(), token.decimals]))
  const finders = [
    ...(kinds.has('transfer.large') ? [() => true] : []),
    ...(kinds.has('transfer.out_of_order') ? [isOutOfOrder] : []),
    ...(kinds.has('transfer.unknown_token') && decimals.size > 0 ? [createTokenCheck(decimals)] : []),
    ...(kinds.has('batch.unresolved') || kinds.has('batch.mismatch') ? [isBatchRow] : []),
  ]
  const usesEvidence = of.isAsked && events.some(({ kind }) => evidenceKinds.has(kind))
  return (row) => {
    if (row.changedAt < of.since && row.state !== 'pending' && (row.destinationAt ?? 0) < of.since)
      return true
    if (row.state !== 'completed' || row.firstSeenAt !== row.changedAt)
      return events.length === 0 && !mayStall(row, shortestMs)
    if (row.zoneHash === null || row.mainHash === null) return false
    if (of.shared.has(row.zoneHash) || of.shared.has(row.mainHash)) return false
    if (mayStall(row, shortestMs) || finders.some((find) => find(row))) return false
    return !usesEvidence || !(isLegDoubted(of.db, row.mainHash) || isLegDoubted(of.db, row.zoneHash))
  }
}

/** Kinds that rest on what second sources say, where a record alone is well. */
const evidenceKinds: ReadonlySet<string> = new Set([
  'transfer.failed',
  'transfer.unbacked',
  'transfer.mismatch',
  'transfer.duplicate',
  'transfer.vanished',
  'transfer.rewritten',
  'transfer.unknown_token',
  'source.disagreement',
])

/** 0 when it is no fixed time: then every wait has to be looked at. */
function readAfter({ params }: Rule): number {
  const after: unknown = typeof params === 'object' && params !== null && 'after' in params ? params.after : 0
  return typeof after === 'number' ? after : 0
}

/** A transfer that was whole when it was first seen was never seen waiting, unless it is history read afterwards. */
function mayStall(row: HistoryRow, shortestMs: number): boolean {
  if (shortestMs === Infinity) return false
  const { destinationAt, originAt, firstSeenAt, changedAt } = row
  if (destinationAt === null || firstSeenAt !== changedAt)
    return changedAt - originAt >= shortestMs || destinationAt === null
  return firstSeenAt - destinationAt > historyMs && destinationAt - originAt >= shortestMs
}

function isOutOfOrder({ originAt, destinationAt, firstSeenAt }: HistoryRow): boolean {
  return (
    destinationAt === null ||
    destinationAt < originAt ||
    destinationAt > firstSeenAt ||
    originAt >= firstSeenAt
  )
}

function isBatchRow({ body }: HistoryRow): boolean {
  return /batch/i.test(body)
}

/** One that is not listed, or whose record gives its amount in other decimals. */
function createTokenCheck(decimals: ReadonlyMap<string, number>): (row: HistoryRow) => boolean {
  return (row) => {
    const expected = decimals.get(row.token)
    if (expected === undefined) return true
    return openHistoryRow(row).group.members.some(({ value, amountRaw }) => {
      const found = value === null || amountRaw === null ? null : deriveDecimals(value, amountRaw)
      return found !== null && found !== expected
    })
  }
}
