import type { Direction } from '../../bridge/observation.ts'
import type { TransferState } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { direction as directionWord, directionPlace as direction } from '../../store/bridgeCodecs.ts'
import { placeIn, toNumberCell, wholeNumber } from '../../store/compactCodecs.ts'
import type { Database } from '../../store/database.ts'
import { readMetaNumber, saveMeta } from '../../store/meta.ts'
import { isName, nameNumber, nameOf, nameTextOf, numberOf } from '../../store/names.ts'
import { columns, instant, int, type Read, table, text } from '../../store/table.ts'
import { flowStepMs, isByRow, isByRowSql, readCounted, type RowTimes } from '../lessons/counted.ts'

/** Steps are summed up by so much (flowSlots.ts), so that long windows cost little to read. */
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

/** What counts of one transfer: its row's columns, and what toCount says. */
export interface Count extends RowTimes {
  readonly state: TransferState
  readonly token: string
  readonly direction: Direction
  readonly flow: string | null
}

export interface Total {
  count: number
  /** Base units. */
  sum: bigint
}
export const none: Readonly<Total> = { count: 0, sum: 0n }

export type StepKey = readonly [at: number, token: string, direction: Direction, side: FlowSide]

const sums = columns({ count: int, sum: wholeNumber })

export function writeStep(
  db: Database,
  [at, , way, side]: StepKey,
  token: number,
  by: Readonly<Total>,
): void {
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
export function readStepsFrom(db: Database): UnixMs {
  return readMetaNumber(db, stepsFromName) ?? 0
}

const forgottenName = 'flow_forgotten'

/** Before this no step is looked back at, whatever rows of transfers say. */
function readForgotten(db: Database): UnixMs {
  return readMetaNumber(db, forgottenName) ?? 0
}

export function forgetStepsBefore(db: Database, time: UnixMs): void {
  // Back as well, where the clock was ahead: else nothing would be looked back at until then.
  if (time !== readForgotten(db)) saveMeta(db, forgottenName, String(time))
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
export function dropSteps(db: Database, before: UnixMs, limit: number): void {
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
export function takeBackSteps(db: Database, from: UnixMs): void {
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
  of: { readonly token: string | null; readonly direction: Direction },
  before: UnixMs,
): UnixMs | null {
  const sql = `SELECT at FROM flow_steps WHERE at < ?1 AND at >= ?1 - ${weekMs} AND direction = ?2 AND (?3 IS NULL OR token = ${numberOf('?3')})
    AND count > 0 ORDER BY at DESC LIMIT 1`
  const kept = instant.get(db, sql, before, direction.write(of.direction), of.token)
  const until = Math.min(before, readStepsFrom(db))
  const from = Math.max(before - weekMs, kept ?? 0)
  if (from >= until) return kept
  const newest = (column: string) => {
    const rows = `SELECT ${column} FROM transfers WHERE ${column} >= ?1 AND ${column} < ?2 AND direction = ?3
      AND (?4 IS NULL OR ${isName('token', '?4')}) AND ${isByRowSql} ORDER BY ${column} DESC LIMIT 1`
    return instant.get(db, rows, from, until, of.direction, of.token)
  }
  const times = [newest('origin_at'), newest('destination_at')].flatMap((at) =>
    at === null ? [] : toStep(at),
  )
  return times.length === 0 ? kept : Math.max(...times, kept ?? 0)
}

const weekMs = 604_800_000

export function getOr<T>(map: Map<string, T>, name: string, make: () => T): T {
  let value = map.get(name)
  if (value === undefined) map.set(name, (value = make()))
  return value
}

export function toStep(at: UnixMs): UnixMs {
  return Math.floor(at / flowStepMs) * flowStepMs
}

export function toSlot(at: UnixMs): UnixMs {
  return Math.floor(at / flowSlotMs) * flowSlotMs
}
