import { expect, onTestFinished, test } from 'vitest'
import { noAmount } from '../../../src/bridge/decimal.ts'
import { closeLog, hasLog, saveLogs } from '../../../src/checks/contracts/logStore.ts'
import { listFlowsOf } from '../../../src/checks/escrow/flows/flowRow.ts'
import { forgetFlow, saveFlows, settleFlow } from '../../../src/checks/escrow/flows/flowStore.ts'
import { listUnjudgedPayouts } from '../../../src/checks/escrow/owed/unjudgedStore.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import { hash } from '../../support/records.ts'

const flow = {
  escrow: '0xe5',
  token: '0xcc',
  hash: hash('m'),
  height: 5,
  at: 5,
  party: '',
  gross: [],
  net: noAmount,
  outward: noAmount,
}
const judged = { verdict: 'open', direction: 'out', unexplained: null, reason: '' } as const
const log = {
  contract: '0xb1',
  hash: hash('m'),
  height: 5,
  time: 5,
  place: '1',
  topics: [hash('topic')],
  data: '0x',
}

/** How the database finds the rows of a table, for each statement that was prepared meanwhile and compares a hash. */
function planOf(name: string, run: (db: Database) => unknown): string[] {
  const db = openDatabase(':memory:')
  onTestFinished(() => db.close())
  saveFlows(db, [flow], 5, 0)
  saveLogs(db, [log], 5)
  const asked = new Set<string>()
  run({ ...db, prepare: (sql) => (asked.add(sql), db.prepare(sql)) })
  return [...asked]
    .filter((sql) => sql.includes(name) && /\bhash\b.* IN /s.test(sql) && /SELECT|UPDATE|DELETE/.test(sql))
    .flatMap((sql) => db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all())
    .flatMap(
      ({ detail }) => /SEARCH (?:escrow_flows|f|flow|bridge_logs) (.*)/.exec(String(detail))?.[1] ?? [],
    )
}

const isJudged = { ...judged, checkAt: 1, absence: null, waitsFor: null }

test.each<[string, (db: Database) => unknown]>([
  ['saved', (db) => saveFlows(db, [{ ...flow, height: 6 }], 6, 0)],
  ['judged', (db) => settleFlow(db, flow, isJudged, 1)],
  ['listed', (db) => listFlowsOf(db, flow.hash, flow.token)],
  ['forgotten', (db) => forgetFlow(db, flow.escrow, flow.hash, 9)],
  ['looked for beside a payout', (db) => listUnjudgedPayouts(db, { from: 0, until: 9 })],
])('a movement is found by its hash among all of its token: %s', (_, run) => {
  const plans = planOf('escrow_flows', run)
  expect(new Set(plans)).toEqual(new Set(['USING INDEX escrow_flows_hash (<expr>=?)']))
})

test.each<[string, (db: Database) => unknown]>([
  ['saved', (db) => saveLogs(db, [{ ...log, place: '2' }], 6)],
  ['known', (db) => hasLog(db, log)],
  ['closed', (db) => closeLog(db, log)],
])('a log is found by its hash among all of its contract: %s', (_, run) => {
  const plans = planOf('bridge_logs', run)
  expect(new Set(plans)).toEqual(new Set(['USING INDEX bridge_logs_hash (<expr>=?)']))
})
