import type { Direction } from '../../bridge/observation.ts'
import { originLeg, type Transfer, type TransferState } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { direction as directionWord, directionPlace as direction } from '../../store/bridgeCodecs.ts'
import { toNumberCell } from '../../store/compactCodecs.ts'
import type { Database } from '../../store/database.ts'
import { isAddress, textOfHash } from '../../store/hash.ts'
import { nameNumber, nameOf, nameTextOf, numberOf } from '../../store/names.ts'
import { columns, int, type Read, text } from '../../store/table.ts'
import { isNewestForm } from '../../store/wholeForm.ts'
import { type Counted, formatCounted, isByRow, readCounted } from '../lessons/counted.ts'
import {
  type Count,
  dropSteps,
  forgetStepsBefore,
  getOr,
  none,
  readStepsFrom,
  type StepKey,
  takeBackSteps,
  toSlot,
  toStep,
  type Total,
  writeStep,
} from './flowSteps.ts'
import { countLatency, latencyClass, latencyStepMs, purgeLatency } from '../lessons/latency.ts'

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

/** What transfers add to what is counted: the records of one answer share most of their steps, each is written once. */
export interface Tally {
  /** Takes back what was counted of a transfer and counts what is true of it now. */
  recount(before: Count | null, after: Count | null): void
  /** Inside the transaction that changed the transfers. What is forgotten by now is not written. */
  write(db: Database, now: UnixMs): void
}

export function createTally(): Tally {
  const states = new Map<TransferState, number>()
  const steps = new Map<string, Step>()
  const amounts = new Map<
    string,
    { readonly key: readonly [number, string, Direction, bigint | string]; count: number }
  >()
  const latency = new Map<string, { readonly step: UnixMs; readonly of: LatencyKey; count: number }>()

  const addStep = (key: StepKey, amount: bigint, by: number, isOfRow: boolean) => {
    const step = getOr(steps, key.join(), () => ({ key, ofRows: { ...none }, others: { ...none } }))
    const of = isOfRow ? step.ofRows : step.others
    of.count += by
    of.sum += by < 0 ? -amount : amount
  }
  const add = ({ token: t, direction: d, flow, ...times }: Count, by: 1 | -1) => {
    if (flow === null) return
    const [a, s, e, l, i] = readCounted(flow, times)
    const amount = BigInt(a ?? 0)
    if (s !== null) addStep([s, t, d, 'started'], amount, by, isByRow(flow))
    if (e !== null) addStep([e, t, d, 'arrived'], amount, by, isByRow(flow))
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
      const keptFrom = readStepsFrom(db)
      for (const { key, ofRows, others } of steps.values()) {
        const [at, token] = key
        // What the rows of old transfers say themselves is not kept beside them.
        const of =
          at < keptFrom ? others : { count: ofRows.count + others.count, sum: ofRows.sum + others.sum }
        if ((of.count !== 0 || of.sum !== 0n) && isKept('flow_steps', at))
          writeStep(db, key, numberOf(token), of)
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

/** Inside a transaction: recounts one transfer by what toCount said and says of it. */
export function recount(db: Database, before: Count | null, after: Count | null): void {
  const tally = createTally()
  tally.recount(before, after)
  tally.write(db, 0)
}

/** What is added to a step: of transfers whose rows say so themselves, and of others. */
interface Step {
  readonly key: StepKey
  readonly ofRows: Total
  readonly others: Total
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

/** Longer than it is looked back for single steps at each tick: before that the rows of transfers say them. */
const stepsKeptMs = 8 * dayMs

/** Forgets what is older than is looked back at, at most `limit` rows of each table. */
export function purgeFlow(db: Database, now: UnixMs, limit: number): void {
  for (const [name, keptMs] of Object.entries(tables)) {
    const old = `SELECT DISTINCT at FROM (SELECT at FROM ${name} WHERE at < ? ORDER BY at LIMIT ?)`
    const forget = db.prepare(`DELETE FROM ${name} WHERE at = ?`)
    for (const at of int.all(db, old, now - keptMs, limit)) forget.run(at)
  }
  // What a row does not say itself so far it may say once it takes on another form.
  if (isNewestForm(db)) dropSteps(db, toHour(now - stepsKeptMs), limit)
  takeBackSteps(db, toHour(now - stepsKeptMs))
  forgetStepsBefore(db, toHour(now - tables.flow_steps))
  purgeLatency(db, now - tables.flow_steps, limit)
}

/** What is noted at each upkeep changes no more often. */
function toHour(at: UnixMs): UnixMs {
  return Math.floor(at / 3_600_000) * 3_600_000
}
