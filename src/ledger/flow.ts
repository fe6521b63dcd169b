import type { Direction } from '../bridge/observation.ts'
import { originLeg, type Transfer, type TransferState } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { direction as directionWord, directionPlace as direction } from '../store/bridgeCodecs.ts'
import { placeIn, toNumberCell, wholeNumber } from '../store/compactCodecs.ts'
import type { Database } from '../store/database.ts'
import { isAddress, textOfHash } from '../store/hash.ts'
import { readMetaNumber, saveMeta } from '../store/meta.ts'
import { isName, nameNumber, nameOf, nameTextOf, numberOf } from '../store/names.ts'
import { columns, instant, int, type Read, table, text } from '../store/table.ts'
import { isNewestForm } from '../store/wholeForm.ts'
import {
  type Counted,
  flowStepMs,
  formatCounted,
  isByRow,
  isByRowSql,
  readCounted,
  type RowTimes,
} from './counted.ts'
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

interface Total {
  count: number
  /** Base units. */
  sum: bigint
}
const none: Readonly<Total> = { count: 0, sum: 0n }

/** What is added to a step: of transfers whose rows say so themselves, and of others. */
interface Step {
  readonly key: StepKey
  readonly ofRows: Total
  readonly others: Total
}

type StepKey = readonly [at: number, token: string, direction: Direction, side: FlowSide]

const sums = columns({ count: int, sum: wholeNumber })

function writeStep(db: Database, [at, , way, side]: StepKey, token: number, by: Readonly<Total>): void {
  const key = [at, token, direction.write(way), flowSide.write(side)] as const
  const ofKey = 'at = ?1 AND token = ?2 AND direction = ?3 AND side = ?4'
  const known = sums.get(db, `SELECT count, sum FROM flow_steps WHERE ${ofKey}`, ...key)
  const write =
    known === null
      ? 'INSERT INTO flow_steps VALUES (?1, ?2, ?3, ?4, ?5, ?6)'
      : `UPDATE flow_steps SET count = ?5, sum = ?6 WHERE ${ofKey}`
  db.prepare(write).run(...key, (known?.count ?? 0) + by.count, toNumberCell((known?.sum ?? 0n) + by.sum))
}

/** Steps that begin from `from` on and before `until`, rising: each step is in one of two adjacent windows. */
export function listFlow(db: Database, from: UnixMs, until: UnixMs): FlowStep[] {
  const sql = `SELECT ${stepColumns} FROM flow_steps WHERE at >= ? AND at < ? AND (count <> 0 OR sum <> 0) ORDER BY at`
  const kept = flowSteps.all(db, sql, from, until)
  const keptFrom = readStepsFrom(db)
  const ofRows = sumRows(db, Math.max(from, readForgotten(db)), Math.min(until, keptFrom))
  if (ofRows.length === 0) return kept.filter(({ count }) => count !== 0)
  const sums = new Map<string, FlowStep>()
  for (const step of [...ofRows, ...kept]) {
    const { at, token, direction: way, side, count, sum } = step
    const name = `${at} ${token} ${way} ${side}`
    const known = sums.get(name)
    sums.set(name, known ? { ...known, count: known.count + count, sum: known.sum + sum } : step)
  }
  return [...sums.values()].filter(({ count }) => count !== 0).toSorted((a, b) => a.at - b.at)
}

const stepsFromName = 'flow_steps_from'

/** Steps before this are kept of transfers alone whose rows do not say them. */
function readStepsFrom(db: Database): UnixMs {
  return readMetaNumber(db, stepsFromName) ?? 0
}

const forgottenName = 'flow_forgotten'

/** Before this no step is looked back at, whatever rows of transfers say. */
function readForgotten(db: Database): UnixMs {
  return readMetaNumber(db, forgottenName) ?? 0
}

const rowCounts = columns({
  token: text,
  direction: directionWord,
  originAt: instant,
  destinationAt: instant.orNull(),
  flow: text,
})
const rowColumns = `${nameTextOf('token')} AS token, direction, origin_at, destination_at, flow`

/** What transfers say of steps from a time on and before another by their rows: the same that was kept beside them. */
function sumRows(db: Database, from: UnixMs, until: UnixMs): FlowStep[] {
  if (from >= until) return []
  const [first, end] = [from, until].map((at) => Math.ceil(at / flowStepMs) * flowStepMs)
  const within = (column: string) => `SELECT key FROM transfers WHERE ${column} >= ?1 AND ${column} < ?2`
  const sql = `SELECT ${rowColumns} FROM transfers WHERE ${isByRowSql}
    AND key IN (${within('origin_at')} UNION ${within('destination_at')})`
  const steps = new Map<string, FlowStep>()
  for (const { token, direction: way, flow, ...times } of rowCounts.all(db, sql, first ?? 0, end ?? 0)) {
    const [amount, started, arrived] = readCounted(flow, times)
    for (const [at, side] of [
      [started, 'started'],
      [arrived, 'arrived'],
    ] as const) {
      if (at === null || at < from || at >= until) continue
      const step = getOr(steps, `${at} ${token} ${way} ${side}`, () => ({
        at,
        token,
        direction: way,
        side,
        ...none,
      }))
      steps.set(`${at} ${token} ${way} ${side}`, {
        ...step,
        count: step.count + 1,
        sum: step.sum + BigInt(amount ?? 0),
      })
    }
  }
  return [...steps.values()]
}

/** The oldest step that is known; null without any. */
export function readOldestStep(db: Database): UnixMs | null {
  const oldest = (table: string) => instant.orNull().get(db, `SELECT min(at) FROM ${table}`)
  const [step, ...slots] = ['flow_steps', 'flow_slots', 'flow_dirty'].map(oldest)
  const slot = Math.min(...slots.map((at) => at ?? Infinity))
  const [first] = slot < (step ?? Infinity) ? listFlow(db, slot, slot + flowSlotMs) : []
  return first?.at ?? step ?? null
}

/** Takes steps before a time out of the table as far as rows of transfers say them, some at each call. */
function dropSteps(db: Database, before: UnixMs, limit: number): void {
  const keptFrom = readStepsFrom(db)
  const sql = 'SELECT at FROM flow_steps WHERE at >= ? AND at < ? ORDER BY at LIMIT 1'
  const first = instant.get(db, sql, keptFrom, before)
  const more = instant.get(db, `${sql} OFFSET ?`, keptFrom, before, limit)
  const until =
    more === null ? before : Math.min(Math.max(toSlot(more), toSlot(first ?? 0) + flowSlotMs), before)
  if (until <= keptFrom) return
  for (const { at, token, direction: way, side, count, sum } of sumRows(db, first ?? until, until))
    writeStep(db, [at, token, way, side], nameNumber(db, token), { count: -count, sum: -sum })
  db.prepare('DELETE FROM flow_steps WHERE at >= ? AND at < ? AND count = 0 AND sum = 0').run(keptFrom, until)
  saveMeta(db, stepsFromName, String(until))
}

/** Where the clock was ahead, steps that are not that old are kept beside the rows that say them again. */
function takeBackSteps(db: Database, from: UnixMs): void {
  const keptFrom = readStepsFrom(db)
  if (from >= keptFrom) return
  for (const { at, token, direction: way, side, ...sum } of sumRows(db, from, keptFrom))
    writeStep(db, [at, token, way, side], nameNumber(db, token), sum)
  saveMeta(db, stepsFromName, String(from))
}

/** What an old transfer did stays counted, also where its own row alone says it. */
export function keepSteps(db: Database, count: Count): void {
  if (count.flow === null || !isByRow(count.flow)) return
  const keptFrom = readStepsFrom(db)
  const [amount, started, arrived] = readCounted(count.flow, count)
  const forgotten = readForgotten(db)
  const by = { count: 1, sum: BigInt(amount ?? 0) }
  for (const [at, side] of [
    [started, 'started'],
    [arrived, 'arrived'],
  ] as const)
    if (at !== null && at < keptFrom && at >= forgotten)
      writeStep(db, [at, count.token, count.direction, side], nameNumber(db, count.token), by)
}

/** When anything of a direction, of one token or, with '', of any, last happened before a time; null within a week. */
export function readNewestFlow(
  db: Database,
  of: { readonly token: string; readonly direction: Direction },
  before: UnixMs,
): UnixMs | null {
  const sql = `SELECT at FROM flow_steps WHERE at < ?1 AND at >= ?1 - ${weekMs} AND direction = ?2 AND (?3 = '' OR token = ${numberOf('?3')})
    AND count > 0 ORDER BY at DESC LIMIT 1`
  const kept = instant.get(db, sql, before, direction.write(of.direction), of.token)
  const until = Math.min(before, readStepsFrom(db))
  const from = Math.max(before - weekMs, kept ?? 0)
  if (from >= until) return kept
  const newest = (column: string) => {
    const rows = `SELECT ${column} FROM transfers WHERE ${column} >= ?1 AND ${column} < ?2 AND direction = ?3
      AND (?4 = '' OR ${isName('token', '?4')}) AND ${isByRowSql} ORDER BY ${column} DESC LIMIT 1`
    return instant.get(db, rows, from, until, of.direction, of.token)
  }
  const times = [newest('origin_at'), newest('destination_at')].flatMap((at) =>
    at === null ? [] : toStep(at),
  )
  return times.length === 0 ? kept : Math.max(...times, kept ?? 0)
}

const weekMs = 604_800_000

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
  const forgotten = toHour(now - tables.flow_steps)
  // Back as well, where the clock was ahead: else nothing would be looked back at until then.
  if (forgotten !== readForgotten(db)) saveMeta(db, forgottenName, String(forgotten))
  purgeLatency(db, now - tables.flow_steps, limit)
}

/** What is noted at each upkeep changes no more often. */
function toHour(at: UnixMs): UnixMs {
  return Math.floor(at / 3_600_000) * 3_600_000
}

export function toStep(at: UnixMs): UnixMs {
  return Math.floor(at / flowStepMs) * flowStepMs
}

export function toSlot(at: UnixMs): UnixMs {
  return Math.floor(at / flowSlotMs) * flowSlotMs
}
