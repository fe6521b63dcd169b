import { compareDecimals, type Decimal, sumDecimals } from '../../../bridge/decimal.ts'
import type { Shown } from '../../../meaning/horizon.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import type { Database } from '../../../store/database.ts'
import { numberOf } from '../../../store/names.ts'
import { largestOf, selectFlows, type StoredFlow } from '../flows/flowRow.ts'

/**
 * What no transfer explains, the newest of each direction first. All that left: the alert of one that is left out would
 * end. Of what came in the newest: nothing rests on an older one, and anybody can send as many as he likes.
 */
export function listUnexplained(db: Database): StoredFlow[] {
  const sql = `INDEXED BY escrow_flows_told
    WHERE verdict = 'unexplained' AND direction = ? ORDER BY at DESC LIMIT ?`
  return [...selectFlows(db, sql, 'out', unbounded), ...selectFlows(db, sql, 'in', maxInflows)]
}

const unbounded = -1
const maxInflows = 500

/** What left and waits for a source that lags: it may turn out to be payouts. */
export function listWaiting(db: Database): StoredFlow[] {
  return selectLargest(db, "escrow_flows WHERE waits_for <> '' AND direction = 'out'")
}

/** What left up to a time that the list has passed, was judged, and is not explained: still looked for. */
export function listOverdue(db: Database, until: UnixMs): StoredFlow[] {
  const from = `escrow_flows INDEXED BY escrow_flows_open WHERE verdict = 'open' AND waits_for = ''
    AND direction = 'out' AND unexplained IS NOT NULL AND at <= ?`
  return selectLargest(db, from, until)
}

/** What left without an explanation, listed as movements, since a time. */
export function listLost(db: Database, since: UnixMs): StoredFlow[] {
  const from = `escrow_flows INDEXED BY escrow_flows_told
    WHERE verdict = 'unexplained' AND direction = 'out' AND at >= ? AND from_height IS NULL`
  return selectLargest(db, from, since)
}

/** What transfers account for that do not say how much, or of what: seen since a time. */
export function listUnjudgedFlows(db: Database, since: UnixMs): StoredFlow[] {
  return selectLargest(db, "escrow_flows WHERE verdict = 'unjudged' AND seen_at >= ?", since)
}

function selectLargest(db: Database, from: string, ...values: UnixMs[]): StoredFlow[] {
  return selectFlows(db, `WHERE f.id IN (${largestOf(from)})`, ...values)
}

/** What left of a token since a time, and no transfer explains; more than `limit` of one verdict are cut. */
export function listLeft(db: Database, token: string, since: UnixMs, limit: number): StoredFlow[] {
  const left = (index: string, where: string) =>
    `INDEXED BY ${index} WHERE ${where} AND token = ${numberOf('?')} AND direction = 'out' LIMIT ?`
  return [
    ...selectFlows(db, left('escrow_flows_open', "verdict = 'open' AND at >= ?"), since, token, limit),
    ...selectFlows(db, left('escrow_flows_told', "verdict = 'unexplained' AND at >= ?"), since, token, limit),
    ...selectFlows(
      db,
      left('escrow_flows_unjudged', "verdict = 'unjudged' AND seen_at >= ? AND at >= ?"),
      since,
      since,
      token,
      limit,
    ),
  ]
}

/** Movements by token, in sum. */
export function sumByToken<M extends Movement>(flows: readonly M[]): FlowSum<M>[] {
  const groups = Map.groupBy(flows, ({ token, waitsFor }) => `${token}|${waitsFor ?? ''}`)
  return [...groups.values()].map(sumUp)
}

/** What is summed up of something that left. */
export type Movement = Pick<
  StoredFlow,
  'token' | 'escrow' | 'hash' | 'at' | 'outward' | 'unexplained' | 'waitsFor'
>

/** Movements of one token at all escrows together. */
export interface FlowSum<M extends Movement = StoredFlow> {
  readonly token: string
  readonly escrows: readonly string[]
  readonly count: number
  /** Token units. */
  readonly amount: Decimal
  readonly since: UnixMs
  readonly largest: readonly M[]
  /** The source that they wait for. */
  readonly waitsFor: Shown | null
}

const namedOfSum = 10

function sumUp<M extends Movement>(flows: readonly M[]): FlowSum<M> {
  const ordered = flows.toSorted((a, b) => compareDecimals(b.outward, a.outward))
  return {
    token: ordered[0]?.token ?? '',
    escrows: [...new Set(flows.map(({ escrow }) => escrow))],
    count: flows.length,
    amount: sumDecimals(flows.map(({ unexplained, outward }) => unexplained ?? outward)),
    since: Math.min(...flows.map(({ at }) => at)),
    largest: ordered.slice(0, namedOfSum),
    waitsFor: ordered[0]?.waitsFor ?? null,
  }
}
