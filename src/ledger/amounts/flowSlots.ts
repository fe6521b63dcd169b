import type { UnixMs } from '../../lib/clock.ts'
import { directionPlace } from '../../store/bridgeCodecs.ts'
import { toNumberCell } from '../../store/compactCodecs.ts'
import type { Database } from '../../store/database.ts'
import { readMetaNumber } from '../../store/meta.ts'
import { numberOf } from '../../store/names.ts'
import { instant } from '../../store/table.ts'
import { flowSide, flowSlotMs, type FlowStep, flowSteps, listFlow, stepColumns } from './flowSteps.ts'

/** Slots before a time whose sums are not what their steps say, newest first. */
export function listMarkedSlots(db: Database, before: UnixMs, limit: number): UnixMs[] {
  return instant.all(db, 'SELECT at FROM flow_dirty WHERE at < ? ORDER BY at DESC LIMIT ?', before, limit)
}

/** Inside a transaction: sums a slot's steps up anew. @returns by how much its sums changed */
export function foldSlot(db: Database, slot: UnixMs): FlowStep[] {
  const changes = new Map<string, FlowStep>()
  const sums = new Map<string, FlowStep>()
  for (const step of listFlow(db, slot, slot + flowSlotMs)) {
    addTo(sums, { ...step, at: slot }, 1)
    addTo(changes, { ...step, at: slot }, 1)
  }
  for (const old of listSlots(db, slot, slot + flowSlotMs)) addTo(changes, old, -1)
  db.prepare('DELETE FROM flow_slots WHERE at = ?').run(slot)
  const insert = db.prepare(`INSERT INTO flow_slots VALUES (?, ${numberOf('?')}, ?, ?, ?, ?)`)
  for (const { at, token, direction, side, count, sum } of sums.values()) {
    insert.run(at, token, directionPlace.write(direction), flowSide.write(side), count, toNumberCell(sum))
  }
  db.prepare('DELETE FROM flow_dirty WHERE at = ?').run(slot)
  return [...changes.values()].filter(({ count, sum }) => count !== 0 || sum !== 0n)
}

/** Slots that begin from `from` on and before `until`, rising. */
export function listSlots(db: Database, from: UnixMs, until: UnixMs): FlowStep[] {
  return flowSteps.all(
    db,
    `SELECT ${stepColumns} FROM flow_slots WHERE at >= ? AND at < ? ORDER BY at`,
    from,
    until,
  )
}

/** Inside a transaction: a number that grows with every fold; what is kept in memory beside the slots carries it. */
export function nextFold(db: Database): number {
  db.prepare(
    `INSERT INTO meta (name, value) VALUES ('flow_folds', '1')
     ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INTEGER) + 1`,
  ).run()
  return readFolds(db)
}

export function readFolds(db: Database): number {
  return readMetaNumber(db, 'flow_folds') ?? 0
}

/** Adds (or takes away) one total to those of its token, direction and side. */
export function addTo<T extends Omit<FlowStep, 'at'>>(totals: Map<string, T>, step: T, sign: 1 | -1): void {
  const name = `${step.token}|${step.direction}|${step.side}`
  const known = totals.get(name)
  const count = (known?.count ?? 0) + sign * step.count
  const sum = (known?.sum ?? 0n) + BigInt(sign) * step.sum
  totals.set(name, { ...step, count, sum })
}
