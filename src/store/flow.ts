import type { Direction } from '../domain/observation.ts'
import { originLeg, type Transfer } from '../domain/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from './database.ts'
import { latencyClass, latencyStepMs } from './latency.ts'

export const flowStepMs = 10_000
export type FlowSide = 'started' | 'arrived'

/** What is counted of one transfer: kept with it, so that any change takes back just that. */
interface Counted {
  readonly t: string
  readonly d: Direction
  /** Base units; null when unknown: counted, and no part of the sum. */
  readonly a: string | null
  readonly s: number | null
  readonly e: number | null
  /** Step and class of the time it took. */
  readonly l: readonly [number, number] | null
}

export interface FlowTotal {
  readonly token: string
  readonly direction: Direction
  readonly side: FlowSide
  readonly count: number
  readonly sum: bigint
}

export interface FlowCopies {
  readonly token: string
  readonly direction: Direction
  readonly amountRaw: bigint
  readonly count: number
}

/** What counts of a transfer as it is, by block times; as stored with it. */
export function toCounted(transfer: Transfer): string {
  const { token, direction, amountRaw, destinationAt, originAt, state } = transfer
  const startedAt = originLeg(transfer)?.time ?? null
  const tookMs = destinationAt === null || startedAt === null ? null : destinationAt - originAt
  const counted: Counted = {
    t: token.address,
    d: direction,
    a: amountRaw === null ? null : String(amountRaw),
    s: startedAt === null ? null : toStep(startedAt),
    e: destinationAt === null || state === 'failed' ? null : toStep(destinationAt),
    l:
      state !== 'completed' || destinationAt === null || tookMs === null || tookMs < 0
        ? null
        : [Math.floor(destinationAt / latencyStepMs) * latencyStepMs, latencyClass(tookMs)],
  }
  return JSON.stringify(counted)
}

/** Inside a transaction: takes back what was counted of a transfer and counts what is true of it now. */
export function recount(db: Database, before: string | null, after: string | null): void {
  if (before === after) return
  if (before !== null) add(db, before, -1)
  if (after !== null) add(db, after, 1)
}

function add(db: Database, text: string, by: 1 | -1): void {
  // Written by toCounted.
  const { t, d, a, s, e, l } = JSON.parse(text) as Counted
  if (s !== null) addStep(db, [s, t, d, 'started'], a, by)
  if (e !== null) {
    addStep(db, [e, t, d, 'arrived'], a, by)
    if (a !== null) {
      db.prepare(
        'INSERT INTO flow_amounts VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
      ).run(e, t, d, a, by)
    }
  }
  if (l !== null) {
    db.prepare(
      'INSERT INTO latency_steps VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
    ).run(l[0], t, d, l[1], by)
  }
}

type StepKey = readonly [number, string, string, FlowSide]

function addStep(db: Database, key: StepKey, amount: string | null, by: 1 | -1): void {
  const row = db
    .prepare('SELECT count, sum FROM flow_steps WHERE at = ? AND token = ? AND direction = ? AND side = ?')
    .get(...key)
  const sum = BigInt(String(row?.['sum'] ?? 0)) + BigInt(by) * BigInt(amount ?? 0)
  db.prepare('INSERT OR REPLACE INTO flow_steps VALUES (?, ?, ?, ?, ?, ?)').run(
    ...key,
    Number(row?.['count'] ?? 0) + by,
    String(sum),
  )
}

/** Totals of the steps that begin from `from` on and before `until`: each step is in one of two adjacent windows. */
export function sumFlow(db: Database, from: UnixMs, until: UnixMs): FlowTotal[] {
  const totals = new Map<string, FlowTotal>()
  for (const { at: _, ...step } of listFlow(db, from, until)) {
    const name = `${step.token}|${step.direction}|${step.side}`
    const total = totals.get(name)
    totals.set(name, total ? { ...total, count: total.count + step.count, sum: total.sum + step.sum } : step)
  }
  return [...totals.values()].filter(({ count }) => count > 0)
}

/** Steps that begin from `from` on and before `until`, rising. */
export function listFlow(db: Database, from: UnixMs, until: UnixMs): (FlowTotal & { at: UnixMs })[] {
  return db
    .prepare('SELECT * FROM flow_steps WHERE at >= ? AND at < ? AND count <> 0 ORDER BY at')
    .all(from, until)
    .map((row) => ({
      at: Number(row['at']),
      token: String(row['token']),
      // Both written above.
      direction: String(row['direction']) as Direction,
      side: String(row['side']) as FlowSide,
      count: Number(row['count']),
      sum: BigInt(String(row['sum'])),
    }))
}

/** Amounts of which at least `copies` arrived from `from` on and before `until`. */
export function listCopies(db: Database, from: UnixMs, until: UnixMs, copies: number): FlowCopies[] {
  return db
    .prepare(
      `SELECT token, direction, amount, sum(count) AS n FROM flow_amounts WHERE at >= ? AND at < ? AND amount <> '0'
       GROUP BY token, direction, amount HAVING n >= ?`,
    )
    .all(from, until, copies)
    .map((row) => ({
      token: String(row['token']),
      direction: String(row['direction']) as Direction,
      amountRaw: BigInt(String(row['amount'])),
      count: Number(row['n']),
    }))
}

/** How many of one amount arrived from `from` on and before `until`. */
export function countCopies(db: Database, of: FlowCopies, from: UnixMs, until: UnixMs): number {
  const row = db
    .prepare(
      'SELECT sum(count) AS n FROM flow_amounts WHERE token = ? AND direction = ? AND amount = ? AND at >= ? AND at < ?',
    )
    .get(of.token, of.direction, String(of.amountRaw), from, until)
  return Number(row?.['n'] ?? 0)
}

/** Forgets steps older than is looked back at. */
export function purgeFlow(db: Database, now: UnixMs): void {
  db.prepare('DELETE FROM flow_steps WHERE at < ?').run(now - 32 * 86_400_000)
  db.prepare('DELETE FROM flow_amounts WHERE at < ?').run(now - 8 * 86_400_000)
  db.prepare('DELETE FROM latency_steps WHERE at < ?').run(now - 32 * 86_400_000)
}

function toStep(at: UnixMs): UnixMs {
  return Math.floor(at / flowStepMs) * flowStepMs
}
