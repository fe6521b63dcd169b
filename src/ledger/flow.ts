import type { Direction } from '../bridge/observation.ts'
import { originLeg, type Transfer, type TransferState } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { direction as directionWord, directionPlace as direction } from '../store/bridgeCodecs.ts'
import { placeIn, toNumberCell, wholeNumber } from '../store/compactCodecs.ts'
import type { Database } from '../store/database.ts'
import { isAddress, textOfHash } from '../store/hash.ts'
import { nameNumber, nameOf, nameTextOf, numberOf } from '../store/names.ts'
import { columns, instant, int, type Read, table, text } from '../store/table.ts'
import { type Counted, flowStepMs, formatCounted, isByRow, readCounted, type RowTimes } from './counted.ts'
import { countLatency, latencyClass, latencyStepMs, purgeLatency } from './latency.ts'

/** Steps are summed up by so much (ledger/flowSlots.ts), so that long windows cost little to read. */
export const flowSlotMs = 300_000
export const flowSide = placeIn(['started', 'arrived'])
export type FlowSide = Read<typeof flowSide>

const stepRows = table('flow_steps', {
  at: instant,
  token: int,
  direction,
  side: flowSide,
  count: int,
  /** Base units. */
  sum: wholeNumber,
})
/** Rows of `flow_steps` and of `flow_slots`, as `stepColumns` selects them. */
export const flowSteps = columns({ ...stepRows.shape, token: text })
export const stepColumns = `at, ${nameOf('token')} AS token, direction, side, count, sum`
export type FlowStep = Read<typeof flowSteps>
export type FlowTotal = Omit<FlowStep, 'at'>

export interface FlowCopies {
  readonly token: string
  readonly direction: Direction
  readonly amountRaw: bigint
  /** '' unless the token comes in many. */
  readonly tokenId: string
  readonly count: number
}

/** What counts of a transfer as it is, by block times; as stored with it. */
export function toCount(transfer: Transfer): Count {
  const { token, direction, amountRaw, originAt, destinationAt, state } = transfer
  const startedAt = originLeg(transfer)?.time ?? null
  const tookMs = destinationAt === null || startedAt === null ? null : destinationAt - startedAt
  const counted: Counted = [
    amountRaw === null ? null : String(amountRaw),
    startedAt === null ? null : toStep(startedAt),
    destinationAt === null || state === 'failed' ? null : toStep(destinationAt),
    state !== 'completed' || destinationAt === null || tookMs === null || tookMs < 0
      ? null
      : [Math.floor(destinationAt / latencyStepMs) * latencyStepMs, latencyClass(tookMs)],
    ...(token.id === '' ? ([] as const) : ([token.id] as const)),
  ]
  const times = { originAt, destinationAt }
  return { state, token: token.address, direction, ...times, flow: formatCounted(counted, times) }
}

type LatencyKey = Parameters<typeof countLatency>[2]

/** What counts of one transfer: its row's columns, and what toCount says. */
interface Count extends RowTimes {
  readonly state: TransferState
  readonly token: string
  readonly direction: Direction
  readonly flow: string | null
}

/** What transfers add to what is counted: the records of one answer share most of their steps, each is written once. */
export interface Tally {
  /** Takes back what was counted of a transfer and counts what is true of it now. */
  recount(before: Count | null, after: Count | null): void
  /** Inside the transaction that changed the transfers. What is forgotten by now is not written. */
  write(db: Database, now: UnixMs): void
}

export function createTally(): Tally {
  const states = new Map<TransferState, number>()
  const steps = new Map<string, { readonly key: StepKey; count: number; sum: bigint }>()
  const amounts = new Map<
    string,
    { readonly key: readonly [number, string, Direction, bigint | string]; count: number }
  >()
  const latency = new Map<string, { readonly step: UnixMs; readonly of: LatencyKey; count: number }>()

  const addStep = (key: StepKey, amount: bigint, by: number) => {
    const step = getOr(steps, key.join(), () => ({ key, count: 0, sum: 0n }))
    step.count += by
    step.sum += by < 0 ? -amount : amount
  }
  const add = ({ token: t, direction: d, flow, ...times }: Count, by: 1 | -1) => {
    if (flow === null) return
    const [a, s, e, l, i] = readCounted(flow, times)
    const amount = BigInt(a ?? 0)
    if (s !== null) addStep([s, t, d, 'started'], amount, by)
    if (e !== null) addStep([e, t, d, 'arrived'], amount, by)
    if (e !== null && a !== null) {
      const key = [e, t, d, toAmountKey(amount, i ?? '')] as const
      getOr(amounts, key.join(), () => ({ key, count: 0 })).count += by
    }
    if (l !== null) {
      const [step, of] = [l[0], { token: t, direction: d, class: l[1] }]
      getOr(latency, `${step},${t},${d},${l[1]}`, () => ({ step, of, count: 0 })).count += by
    }
  }
  return {
    recount(before, after) {
      if (before?.state !== after?.state) {
        if (before) states.set(before.state, (states.get(before.state) ?? 0) - 1)
        if (after) states.set(after.state, (states.get(after.state) ?? 0) + 1)
      }
      if (isSameCount(before, after)) return
      if (before !== null) add(before, -1)
      if (after !== null) add(after, 1)
    },
    write(db, now) {
      const isKept = (name: keyof typeof tables, at: UnixMs) => at >= now - tables[name]
      const numbers = new Map<string, number>()
      const numberOf = (token: string) => getOr(numbers, token, () => nameNumber(db, token))
      const addState = db.prepare(
        'INSERT INTO state_counts VALUES (?, ?) ON CONFLICT (state) DO UPDATE SET count = count + excluded.count',
      )
      for (const [state, by] of states) if (by !== 0) addState.run(state, by)
      for (const { key, count, sum } of steps.values()) {
        const [at, token] = key
        if ((count !== 0 || sum !== 0n) && isKept('flow_steps', at))
          writeStep(db, key, numberOf(token), count, sum)
      }
      const addAmount = db.prepare(
        'INSERT INTO flow_amounts VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
      )
      for (const { key, count } of amounts.values()) {
        const [at, token, way, amount] = key
        if (count !== 0 && isKept('flow_amounts', at))
          addAmount.run(at, numberOf(token), direction.write(way), amount, count)
      }
      for (const { step, of, count } of latency.values()) if (count !== 0) countLatency(db, step, of, count)
      const mark = db.prepare('INSERT OR IGNORE INTO flow_dirty VALUES (?)')
      const slots = new Set([...steps.values()].map(({ key }) => toSlot(key[0])))
      for (const slot of slots) if (isKept('flow_dirty', slot)) mark.run(slot)
    },
  }
}

function isSameCount(a: Count | null, b: Count | null): boolean {
  const isSameFlow =
    (a?.flow ?? null) === (b?.flow ?? null) && a?.token === b?.token && a?.direction === b?.direction
  const isByTimes = isSameFlow && a?.flow != null && isByRow(a.flow)
  return isSameFlow && (!isByTimes || (a.originAt === b?.originAt && a.destinationAt === b.destinationAt))
}

function getOr<T>(map: Map<string, T>, name: string, make: () => T): T {
  let value = map.get(name)
  if (value === undefined) map.set(name, (value = make()))
  return value
}

/** Inside a transaction: recounts one transfer by what toCount said and says of it. */
export function recount(db: Database, before: Count | null, after: Count | null): void {
  const tally = createTally()
  tally.recount(before, after)
  tally.write(db, 0)
}

type StepKey = readonly [at: number, token: string, direction: Direction, side: FlowSide]

const sums = columns({ count: int, sum: wholeNumber })

function writeStep(
  db: Database,
  [at, , way, side]: StepKey,
  token: number,
  by: number,
  amount: bigint,
): void {
  const key = [at, token, direction.write(way), flowSide.write(side)] as const
  const ofKey = 'at = ?1 AND token = ?2 AND direction = ?3 AND side = ?4'
  const known = sums.get(db, `SELECT count, sum FROM flow_steps WHERE ${ofKey}`, ...key)
  const write =
    known === null
      ? 'INSERT INTO flow_steps VALUES (?1, ?2, ?3, ?4, ?5, ?6)'
      : `UPDATE flow_steps SET count = ?5, sum = ?6 WHERE ${ofKey}`
  db.prepare(write).run(...key, (known?.count ?? 0) + by, toNumberCell((known?.sum ?? 0n) + amount))
}

/** Steps that begin from `from` on and before `until`, rising: each step is in one of two adjacent windows. */
export function listFlow(db: Database, from: UnixMs, until: UnixMs): FlowStep[] {
  const sql = `SELECT ${stepColumns} FROM flow_steps WHERE at >= ? AND at < ? AND count <> 0 ORDER BY at`
  return flowSteps.all(db, sql, from, until)
}

/** When anything of a direction, of one token or, with '', of any, last happened before a time; null within a week. */
export function readNewestFlow(
  db: Database,
  of: { readonly token: string; readonly direction: Direction },
  before: UnixMs,
): UnixMs | null {
  const sql = `SELECT at FROM flow_steps WHERE at < ?1 AND at >= ?1 - 604800000 AND direction = ?2 AND (?3 = '' OR token = ${numberOf('?3')})
    AND count > 0 ORDER BY at DESC LIMIT 1`
  return instant.get(db, sql, before, direction.write(of.direction), of.token)
}

/**
 * Amounts of which at least `copies` arrived from `from` on and before `until`. One piece of a token that comes in many
 * is how such tokens are moved, and no copy of another.
 */
export function listCopies(db: Database, from: UnixMs, until: UnixMs, copies: number): FlowCopies[] {
  const sql = `SELECT ${nameOf('token')} AS token, direction, CAST(amount AS TEXT) AS amount, sum(count) AS n FROM flow_amounts f
    WHERE at >= ? AND at < ? AND f.amount NOT IN (0, 1) AND f.amount NOT GLOB '1#*'
    GROUP BY f.token, direction, f.amount HAVING n >= ?`
  return sameAmounts.all(db, sql, from, until, copies).map(({ token, direction, amount, n }) => {
    const [digits = '', tokenId = ''] = amount.split('#')
    return { token, direction, amountRaw: BigInt(digits), tokenId, count: n }
  })
}

const sameAmounts = columns({ token: text, direction, amount: text, n: int })

/** How many of one amount arrived from `from` on and before `until`. */
export function countCopies(db: Database, of: FlowCopies, from: UnixMs, until: UnixMs): number {
  const sql = `SELECT coalesce(sum(count), 0) FROM flow_amounts WHERE token = ${numberOf('?')} AND direction = ? AND amount = ? AND at >= ? AND at < ?`
  return (
    int.get(
      db,
      sql,
      of.token,
      direction.write(of.direction),
      toAmountKey(of.amountRaw, of.tokenId),
      from,
      until,
    ) ?? 0
  )
}

function toAmountKey(amountRaw: bigint, tokenId: string): bigint | string {
  return tokenId === '' ? toNumberCell(amountRaw) : `${amountRaw}#${tokenId}`
}

/** How many of the newest arrivals went to somebody who was never paid before the window. */
const firstTimers = columns({ token: text, direction: directionWord, count: int, first: int })
export type FirstTimers = Read<typeof firstTimers>

const maxRecipients = 500

/** Of what arrived within a time, the newest some hundred; `leftFrom` bounds when it left. */
export function countFirstTimers(
  db: Database,
  { from, until }: { readonly from: UnixMs; readonly until: UnixMs },
  leftFrom: UnixMs,
): FirstTimers[] {
  const sql = `SELECT token, direction, count(*) AS count, sum(NOT EXISTS (
      SELECT 1 FROM transfers o WHERE ${isAddress('o.target_address', 't.recipient')} AND o.origin_at < ?1)) AS first
    FROM (SELECT ${nameTextOf('token')} AS token, direction, ${textOfHash('target_address')} AS recipient FROM transfers WHERE origin_at >= ?2 AND destination_at >= ?1
      AND destination_at < ?3 AND origin_at < ?3 AND target_address <> '' ORDER BY origin_at DESC LIMIT ${maxRecipients}) t GROUP BY token, direction`
  return firstTimers.all(db, sql, from, leftFrom, until)
}

const dayMs = 86_400_000
// Marks go after what they are about: without a rule that looks at flows nothing else takes them away.
const tables = {
  flow_steps: 32 * dayMs,
  flow_slots: 32 * dayMs,
  flow_amounts: 9 * dayMs,
  flow_dirty: 33 * dayMs,
} as const

/** Forgets what is older than is looked back at, at most `limit` rows of each table. */
export function purgeFlow(db: Database, now: UnixMs, limit: number): void {
  for (const [name, keptMs] of Object.entries(tables)) {
    const old = `SELECT DISTINCT at FROM (SELECT at FROM ${name} WHERE at < ? ORDER BY at LIMIT ?)`
    const forget = db.prepare(`DELETE FROM ${name} WHERE at = ?`)
    for (const at of int.all(db, old, now - keptMs, limit)) forget.run(at)
  }
  purgeLatency(db, now - tables.flow_steps, limit)
}

export function toStep(at: UnixMs): UnixMs {
  return Math.floor(at / flowStepMs) * flowStepMs
}

export function toSlot(at: UnixMs): UnixMs {
  return Math.floor(at / flowSlotMs) * flowSlotMs
}
