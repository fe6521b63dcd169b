import { describe, expect, test } from 'vitest'
import {
  courseSteps,
  listCourse,
  noteCourse,
  purgeCourse,
} from '../../../../../src/checks/escrow/owed/courseStore.ts'
import {
  countMovements,
  listLargestFlows,
  listUnexplainedFlows,
} from '../../../../../src/checks/escrow/flows/movements.ts'
import { toDecimal } from '../../../../../src/bridge/decimal.ts'
import { saveFlows } from '../../../../../src/checks/escrow/flows/flowStore.ts'
import { type Database, openDatabase } from '../../../../../src/store/database.ts'

const token = `0x${'aa'.repeat(20)}`
const escrow = `0x${'bb'.repeat(20)}`
const minute = 60_000
const day = Date.UTC(2026, 0, 2)

const judged = (at: number, holdings: bigint, openOut = 0n) => ({
  owed: 1_000n,
  holdings,
  openOut,
  height: 1,
  at,
})

describe('the course of what escrows hold and owe', () => {
  test('of each step the judgement that had the least to spare is kept', () => {
    const db = openDatabase(':memory:')
    noteCourse(db, token, judged(day, 1_005n))
    noteCourse(db, token, judged(day + 20_000, 990n))
    noteCourse(db, token, judged(day + 40_000, 1_010n))
    noteCourse(db, token, judged(day + minute, 900n, 200n))
    expect(listCourse(db, token, 'minute', 0)).toEqual([
      { at: day, holdings: 990n, owed: 1_000n, openOut: 0n },
      { at: day + minute, holdings: 900n, owed: 1_000n, openOut: 200n },
    ])
    expect(listCourse(db, token, 'sixHours', 0)).toEqual([
      { at: day, holdings: 990n, owed: 1_000n, openOut: 0n },
    ])
    expect(listCourse(db, token, 'minute', day + 1)).toHaveLength(1)
    expect(listCourse(db, 'another', 'minute', 0)).toEqual([])
  })

  test('each step is forgotten at its time, a few at once', () => {
    const db = openDatabase(':memory:')
    for (let n = 0; n < 10; n += 1) noteCourse(db, token, judged(day + n * minute, 1_000n))
    const now = day + courseSteps.minute.keptMs + 5 * minute
    purgeCourse(db, now, 3)
    expect(listCourse(db, token, 'minute', 0)).toHaveLength(7)
    purgeCourse(db, now, 100)
    expect(listCourse(db, token, 'minute', 0)).toHaveLength(5)
    expect(listCourse(db, token, 'quarter', 0)).toHaveLength(1)
  })
})

function save(db: Database, n: number, net: string, at = day): void {
  const amount = toDecimal(net) ?? expect.fail(net)
  const outward = { ...amount, digits: -amount.digits }
  const hash = `0x${String(n).padStart(64, '0')}`
  saveFlows(db, [{ escrow, token, hash, height: n, at, net: amount, outward, party: '', gross: [] }], at, day)
}

describe('movements of a time', () => {
  test('the largest come first, each way, by number and not by text', () => {
    const db = openDatabase(':memory:')
    for (const [n, net] of ['9', '10.5', '-9', '-10', '0', '2'].entries()) save(db, n, net)
    save(db, 7, '1000', day - minute)
    const of = { token, from: day, until: day + minute }
    const hashes = (direction: 'in' | 'out') =>
      listLargestFlows(db, of, { direction, limit: 2 }).map(({ height }) => height)
    expect(hashes('in')).toEqual([1, 0])
    expect(hashes('out')).toEqual([3, 2])
    expect(countMovements(db, of)).toBe(6)
    expect(countMovements(db, { ...of, token: '' })).toBe(0)
  })

  test('what nobody explains is found by itself', () => {
    const db = openDatabase(':memory:')
    for (let n = 0; n < 4; n += 1) save(db, n, '-5', day + n)
    db.prepare("UPDATE escrow_flows SET verdict = 'unexplained' WHERE height > 1").run()
    const of = { token, from: day, until: day + minute }
    const found = listUnexplainedFlows(db, of, { direction: 'out', limit: 9 })
    expect(found.map(({ height }) => height)).toEqual([3, 2])
    expect(listUnexplainedFlows(db, of, { direction: 'in', limit: 9 })).toEqual([])
  })

  test('neither reads movements of another time', () => {
    const db = openDatabase(':memory:')
    const texts: string[] = []
    const noting: Database = { ...db, prepare: (sql) => (texts.push(sql), db.prepare(sql)) }
    const of = { token, from: day, until: day + minute }
    listLargestFlows(noting, of, { direction: 'in', limit: 2 })
    countMovements(noting, of)
    listUnexplainedFlows(noting, of, { direction: 'in', limit: 2 })
    listCourse(noting, token, 'minute', day)
    const plans = texts.map((sql) =>
      db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail))
        .join('\n'),
    )
    expect(plans[0]).toContain('USING COVERING INDEX escrow_flows_at (token=? AND at>? AND at<?)')
    expect(plans[0]).toContain('SEARCH f USING INTEGER PRIMARY KEY (rowid=?)')
    expect(plans[1]).toContain('USING COVERING INDEX escrow_flows_at (token=? AND at>? AND at<?)')
    expect(plans[2]).toContain('escrow_flows_told (direction=? AND at>? AND at<?)')
    expect(plans[3]).toContain('USING PRIMARY KEY (token=? AND step=? AND at>?)')
  })
})
