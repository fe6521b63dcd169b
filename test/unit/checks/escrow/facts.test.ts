import { expect, test } from 'vitest'
import { openEscrowWatch } from '../../../../src/checks/escrow/watch.ts'
import { readEscrowFacts } from '../../../../src/checks/escrow/facts.ts'
import { noAmount, toDecimal } from '../../../../src/bridge/decimal.ts'
import { escrowDrift } from '../../../../src/checks/escrow/drift.ts'
import { type Database, openDatabase } from '../../../../src/store/database.ts'
import { saveFlows, settleFlow } from '../../../../src/checks/escrow/flowStore.ts'
import { createLearned } from '../../../../src/ledger/learned.ts'
import { toFacts } from '../../rules/facts.ts'

const token = `0x${'aa'.repeat(20)}`
const escrow = `0x${'bb'.repeat(20)}`

function setUp() {
  const db = openDatabase(':memory:')
  const bridge = {
    contracts: [],
    escrows: [{ address: escrow, token, baseline: null }],
    tokens: [],
    fees: [],
  }
  const watch = openEscrowWatch({ db, learned: createLearned(db), config: { bridge } })
  const horizons = { read: () => ({ main: null, zone: null, list: null, returnedAt: null }) }
  const judge = () => {
    const sources = {
      db,
      watch,
      horizons,
      operators: [],
      terminal: [],
      headroom: () => [],
      startedAt: 0,
      listReturn: { stood: false, at: null },
      supplies: { tokens: [], hasNode: false, since: 0 },
      explorers: { current: () => ({ name: 'explorer', client: null as never }) },
    }
    return escrowDrift.judge(toFacts(0, readEscrowFacts(sources, 0)), { sum: 0.01, waiting: 0.05 })
  }
  return { db, judge }
}

/** Tells a movement that nothing explains. */
function tell(db: Database, hash: string, at: number, direction: 'out' | 'in') {
  const amount = toDecimal(direction === 'out' ? '1' : '-1') ?? noAmount
  const flow = { escrow, token, hash, height: at, at, net: amount, outward: amount, party: '', gross: [] }
  saveFlows(db, [flow], at, 0)
  const judged = { reason: '', checkAt: null, absence: null, waitsFor: null }
  settleFlow(db, flow, { ...judged, verdict: 'unexplained', direction, unexplained: amount }, at)
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
