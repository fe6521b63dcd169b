import { describe, expect, test } from 'vitest'
import { openEscrowWatch } from '../../../../src/checks/escrow/watched/watch.ts'
import { readEscrowFacts } from '../../../../src/checks/escrow/facts.ts'
import { noAmount, toDecimal } from '../../../../src/bridge/decimal.ts'
import { escrowDrift } from '../../../../src/checks/escrow/drift.ts'
import { type Database, openDatabase } from '../../../../src/store/database.ts'
import { saveFlows, settleFlow } from '../../../../src/checks/escrow/flows/flowStore.ts'
import { createLearned } from '../../../../src/ledger/lessons/learned.ts'
import type { StoredFlow } from '../../../../src/checks/escrow/flows/flowRow.ts'
import type { Horizons } from '../../../../src/meaning/horizon.ts'
import { toFacts } from '../../rules/facts.ts'

const token = `0x${'aa'.repeat(20)}`
const escrow = `0x${'bb'.repeat(20)}`

const unread: Horizons = {
  main: null,
  zone: null,
  list: null,
  returnedAt: null,
  lateMs: null,
  lacksSince: null,
}

function setUp(known = unread, walkedAt: number | null = null) {
  const db = openDatabase(':memory:')
  const bridge = {
    contracts: [],
    escrows: [{ address: escrow, token, baseline: null }],
    tokens: [{ address: token, symbol: 'USDC', decimals: 0 }],
    fees: [],
  }
  const watch = openEscrowWatch({ db, learned: createLearned(db), config: { bridge } })
  const horizons = { read: () => known }
  const read = (now: number) => {
    const sources = {
      db,
      watch,
      horizons,
      operators: [],
      terminal: [],
      headroom: () => [],
      startedAt: 0,
      list: { walkedAt },
      listReturn: { stood: false, at: null },
      supplies: { tokens: [], hasNode: false, since: 0 },
      explorers: { current: () => ({ name: 'explorer', client: null as never }) },
    }
    return readEscrowFacts(sources, now)
  }
  const judge = () => escrowDrift.judge(toFacts(0, read(0)), { sum: 0.01, waiting: 0.05 })
  return { db, judge, read }
}

/** Tells a movement that nothing explains. */
function tell(
  db: Database,
  hash: string,
  at: number,
  direction: 'out' | 'in',
  more: Partial<Pick<StoredFlow, 'token' | 'verdict' | 'waitsFor'>> = {},
) {
  const amount = toDecimal(direction === 'out' ? '1' : '-1') ?? noAmount
  const flow = {
    escrow,
    token,
    hash,
    height: at,
    at,
    net: amount,
    outward: amount,
    party: '',
    gross: [],
    ...more,
  }
  saveFlows(db, [flow], at, 0)
  const judged = { reason: '', checkAt: null, absence: null, waitsFor: null, verdict: 'unexplained' as const }
  settleFlow(db, flow, { ...judged, ...more, direction, unexplained: amount }, at)
}

test('a movement that left is told for as long as nothing explains it, however many come after it', () => {
  const { db, judge } = setUp()
  for (let n = 0; n < 1_001; n += 1) tell(db, `0x${n}`, n, 'out')
  const { findings, unknown } = judge()
  expect(findings.map(({ subject }) => subject)).toContain(`${escrow}:${token}:0x0`)
  expect(findings).toHaveLength(1_001)
  expect(unknown).toEqual([])
})

test('of what came in the newest is told, so that dust costs nothing: nobody loses by an older one', () => {
  const { db, judge } = setUp()
  tell(db, '0xstolen', 0, 'out')
  for (let n = 1; n <= 1_000; n += 1) tell(db, `0x${n}`, n, 'in')
  const subjects = judge().findings.map(({ subject }) => subject.split(':')[2])
  expect(subjects).toEqual(['0xstolen', ...Array.from({ length: 500 }, (_, n) => `0x${1_000 - n}`)])
})

describe('semantics.md 41, 44: what left and is not explained yet', () => {
  const now = 4_000_000
  const passed: Horizons = {
    main: now,
    zone: now,
    list: now - 60_000,
    returnedAt: null,
    lateMs: null,
    lacksSince: null,
  }
  const sumsOf = (known: Horizons, leave: (db: Database) => void) => {
    const { db, read } = setUp(known)
    leave(db)
    return read(now).escrow.sums.map(({ count, waitsFor }) => [count, waitsFor?.source ?? null])
  }

  test('counts once the list has passed it, with what was reported by itself within an hour', () => {
    const open = { verdict: 'open' } as const
    expect(sumsOf(passed, (db) => tell(db, '0x1', now - 60_000, 'out', open))).toEqual([[1, null]])
    expect(sumsOf(passed, (db) => tell(db, '0x1', now - 59_999, 'out', open))).toEqual([])
    const withLost = (lostAt: number) =>
      sumsOf(passed, (db) => {
        tell(db, '0x1', now - 60_000, 'out', open)
        tell(db, '0x2', lostAt, 'out')
      })
    expect(withLost(now - 60_000 - 3_600_000)).toEqual([[2, null]])
    expect(withLost(now - 60_001 - 3_600_000)).toEqual([[1, null]])
    expect(sumsOf(passed, (db) => tell(db, '0x2', now - 60_000, 'out'))).toEqual([])
  })

  test('what waits counts while its source stands still, and by itself', () => {
    const leave = (db: Database) =>
      tell(db, '0x1', now - 10_000, 'out', { verdict: 'explained', waitsFor: 'zone' })
    expect(sumsOf({ ...passed, zone: now - 30_001 }, leave)).toEqual([[1, 'zone']])
    expect(sumsOf({ ...passed, zone: now - 30_000 }, leave)).toEqual([])
  })

  test.each([
    { title: 'does not count while what lies between is being read', walkedAt: now - 119_999, expected: [] },
    { title: 'counts once that comes no further', walkedAt: now - 120_000, expected: [[1, 'list']] },
    { title: 'counts where nothing is', walkedAt: null, expected: [[1, 'list']] },
  ])('after hours in which nothing ran it $title', ({ walkedAt, expected }) => {
    const { db, read } = setUp({ ...passed, list: null }, walkedAt)
    tell(db, '0x1', now - 3_600_000, 'out', { verdict: 'open' })
    const { sums } = read(now).escrow
    expect(sums.map(({ count, waitsFor }) => [count, waitsFor?.source ?? null])).toEqual(expected)
  })

  test('of a token of nobody’s it does not count', () => {
    const other = `0x${'dd'.repeat(20)}`
    const leave = (db: Database) => {
      tell(db, '0x1', now - 60_000, 'out', { verdict: 'open', token: other })
      tell(db, '0x2', now - 60_000, 'out', { verdict: 'explained', waitsFor: 'zone', token: other })
    }
    expect(sumsOf({ ...passed, zone: null }, leave)).toEqual([])
  })
})
