import { expect, test } from 'vitest'
import { z } from 'zod'
import { formatDecimal, noAmount, toDecimal } from '../../../../../src/bridge/decimal.ts'
import { listDueFlows, saveFlows, settleFlow } from '../../../../../src/checks/escrow/flows/flowStore.ts'
import { sumOpen } from '../../../../../src/checks/escrow/flows/flowSums.ts'
import {
  listLost,
  listOverdue,
  listUnjudgedFlows,
  listWaiting,
} from '../../../../../src/checks/escrow/owed/lossStore.ts'
import { openDatabase } from '../../../../../src/store/database.ts'

const judged = { direction: 'out', reason: '', absence: null, waitsFor: null, checkAt: null } as const

/** Dust that left an escrow in two tokens, and after all of it a theft of one of them. */
function leave(dust: number, as: Partial<Parameters<typeof settleFlow>[2]> | null) {
  const db = openDatabase(':memory:')
  const save = (name: string, token: string, at: number, units: string) => {
    const amount = toDecimal(units) ?? noAmount
    const flow = { escrow: '0xee', token, hash: name, height: at, at, party: '', gross: [] }
    saveFlows(db, [{ ...flow, net: amount, outward: amount }], at, 0)
    if (as !== null) settleFlow(db, flow, { ...judged, verdict: 'open', unexplained: amount, ...as }, at)
  }
  for (const token of ['0xa1', '0xa2']) save(`first ${token}`, token, 1, '1')
  const { names } = columns.parse(
    db
      .prepare(
        "SELECT group_concat(name) AS names FROM pragma_table_info('escrow_flows') WHERE name NOT IN ('id', 'hash')",
      )
      .get(),
  )
  // Two by two as many as the first ones.
  db.prepare(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${dust / 2 - 1})
    INSERT INTO escrow_flows (hash, ${names}) SELECT 'dust ' || n, ${names} FROM escrow_flows, n`).run()
  save('theft', '0xa2', 1_000, '900.5')
  return db
}
const columns = z.object({ names: z.string() })

const largest = (flows: ReturnType<typeof listLost>) =>
  flows.map(({ outward }) => formatDecimal(outward)).includes('900.5')

test.each([9_998, 10_002])('a theft is due beside %i movements that were due before it', (dust) => {
  const db = leave(dust, null)
  expect(largest(listDueFlows(db, 1_000_000))).toBe(true)
  db.close()
})

test.each([
  {
    title: 'that the list has passed',
    as: {},
    list: (db: ReturnType<typeof leave>) => listOverdue(db, 1_000_000),
  },
  {
    title: 'that nothing explains',
    as: { verdict: 'unexplained' },
    list: (db: ReturnType<typeof leave>) => listLost(db, 0),
  },
  { title: 'that waits for a source', as: { waitsFor: 'list' }, list: listWaiting },
  {
    title: 'of which nobody says how much',
    as: { verdict: 'unjudged' },
    list: (db: ReturnType<typeof leave>) => listUnjudgedFlows(db, 0),
  },
] as const)('what left $title is named beside dust', ({ as, list }) => {
  const db = leave(10_002, as)
  expect(largest(list(db))).toBe(true)
  db.close()
})

test('all that left and is not judged yet is counted before an escrow is called short', () => {
  const db = leave(12_000, null)
  expect(formatDecimal(sumOpen(db, '0xa2', 1_000_000))).toBe('6900.5')
  db.close()
})
