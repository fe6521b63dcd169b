import { describe, expect, test } from 'vitest'
import { listDueTransactions } from '../../../src/checks/contracts/logStore.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts'
import { countPendingByAge, countPendingSince } from '../../../src/web/views/pageQueries.ts'
import { listSlicesUnderWay } from '../../../src/ledger/slicesUnderWay.ts'

/** How SQLite goes about the queries that `ask` makes. */
function plansOf(ask: (db: Database, ledger: Ledger) => void): string[] {
  const db = openDatabase(':memory:')
  const texts: string[] = []
  const noting: Database = { ...db, prepare: (sql) => (texts.push(sql), db.prepare(sql)) }
  const ledger = createLedger(noting, { tokens: [], openIntervalMs: 10_000 })
  texts.length = 0
  ask(noting, ledger)
  return texts.flatMap((sql) =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail)),
  )
}

describe('what is asked again and again is found by an index of what is open, not among all that is stored', () => {
  test('overdue transfers, once a second', () => {
    const plans = plansOf((_, ledger) =>
      Array.from(ledger.listPending({ direction: null, originAtOrBefore: 1 })),
    )
    expect(plans).toEqual([expect.stringContaining('SEARCH transfers USING INDEX transfers_open (state=?')])
  })

  test('failures that nothing is known of', () => {
    const plans = plansOf((_, ledger) => ledger.listWithoutEvidence(0, 1, 20))
    expect(plans[0]).toContain('SEARCH transfers USING INDEX transfers_open (state=?')
  })

  test('events of the bridge that are due', () => {
    const plans = plansOf((db) => listDueTransactions(db, 1, 20))
    expect(plans[0]).toContain('SEARCH bridge_logs USING COVERING INDEX bridge_logs_due (check_at<?')
  })

  test('what is in flight, for the page and the report', () => {
    const plans = plansOf((db) => {
      countPendingByAge(db, [1], 1)
      countPendingSince(db, 'MainToZone', 1)
      Array.from(listSlicesUnderWay(db, { from: 0, until: 1 }))
    })
    expect(plans.filter((plan) => plan.includes('transfers_open'))).toHaveLength(3)
  })
})
