import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { encodeFinding, keptFinding } from '../../../src/alerts/findingJson.ts'
import { repackAlerts } from '../../../src/alerts/repackAlerts.ts'
import { alertTable } from '../../../src/alerts/store/alertRows.ts'
import { listSpans } from '../../../src/cases/store/caseMembers.ts'
import type { Database } from '../../../src/store/database.ts'
import { alertTables } from '../../../src/store/migrations/0002_alerts.ts'
import { caseTables } from '../../../src/store/migrations/0032_cases.ts'
import { compactAlerts } from '../../../src/store/migrations/0053_compact_alerts.ts'
import { createBench, createEvent, createLoneEvent, createRule, start } from './harness.ts'

const rule = createRule({ name: 'failed' })
const count = 12

function fill() {
  const bench = createBench()
  const events = Array.from({ length: count }, (_, n) => ({
    rule,
    finding: { ...createEvent(n), facts: { errorMessage: `reverted at ${n % 2}` } },
  }))
  bench.database.transaction(() => {
    bench.engine.tellEvents(events, start)
    bench.engine.flush(start)
  })
  return { ...bench, events }
}

/** The rows as a version before wrote them. */
function writeOldForm(db: Database): void {
  for (const row of alertTable.all(db, 'SELECT * FROM alerts')) {
    const sql =
      'UPDATE alerts SET finding = ?, since_at = NULL, direction = NULL, error = NULL, is_over = NULL WHERE id = ?'
    db.prepare(sql).run(encodeFinding(keptFinding(row)), row.id)
  }
}

function seenIn({ database, store, clock }: ReturnType<typeof fill>) {
  const id = store.insertDelivery(
    { channel: 'ops', isCritical: false, expiresAt: start + 1, caseId: null },
    start,
  )
  const claim = { deliveryId: id, channel: 'ops', isCritical: false, limit: 100 }
  store.claimItems(claim, clock.now() + 120_000)
  const totals = store.listCarriedTotals(id).toSorted((a, b) => Number(a.error) - Number(b.error))
  store.releaseItems(id, start)
  store.deleteDelivery(id)
  return {
    findings: alertTable.all(database, 'SELECT * FROM alerts ORDER BY id').map(keptFinding),
    totals,
  }
}

test('a ledger of before is read as it is, part by part takes on the form of now, and says the same all the while', () => {
  const bench = fill()
  const { database } = bench
  const rows = () =>
    database
      .prepare(
        'SELECT id, typeof(finding), since_at, direction, error, is_over, keys FROM alerts JOIN case_members ON alert_id = id',
      )
      .all()
  const written = rows()
  const seen = seenIn(bench)
  expect(seen.totals.map((one) => [one.error, one.count])).toEqual(
    expect.arrayContaining([
      ['reverted at 0', count / 2],
      ['reverted at 1', count / 2],
    ]),
  )
  writeOldForm(database)
  expect(seenIn(bench)).toEqual(seen)
  let steps = 1
  for (; repackAlerts(database, 5); steps += 1) expect(seenIn(bench)).toEqual(seen)
  expect(steps).toBe(3)
  expect(rows()).toEqual(written)
  expect(repackAlerts(database, 5)).toBe(false)
})

test('what was told in the form of before is not told again', () => {
  const bench = fill()
  const { database, engine } = bench
  const told = () => database.prepare('SELECT count(*) AS n FROM outbox').get()
  const before = told()
  writeOldForm(database)
  engine.tellEvents(bench.events, start + 1_000)
  repackAlerts(database, 100)
  engine.tellEvents(bench.events, start + 2_000)
  expect(told()).toEqual(before)
})

test('a finding that cannot be read stays as it is, and holds no other back', () => {
  const { database } = fill()
  writeOldForm(database)
  database.prepare(`UPDATE alerts SET finding = '{"half' WHERE id = 2`).run()
  while (repackAlerts(database, 5));
  const left = database.prepare("SELECT id FROM alerts WHERE typeof(finding) = 'text'").all()
  expect(left).toEqual([{ id: 2 }])
})

test('an alert keeps in which case it is: a digest takes the place of the list of its keys', () => {
  const bench = createBench()
  const { database, engine } = bench
  const events = [{ rule, finding: createLoneEvent(1) }]
  engine.tellEvents(events, start)
  const digest = database.prepare('SELECT keys FROM case_members').get()
  const { zone } = createLoneEvent(1).transfer ?? {}
  const list = JSON.stringify(['transfer:t1', `tx:${zone?.hash}`])
  database.prepare('UPDATE case_members SET keys = ?').run(list)
  engine.tellEvents(events, start + 1_000)
  expect(database.prepare('SELECT keys FROM case_members').get()).toEqual({ keys: list })
  repackAlerts(database, 100)
  expect(database.prepare('SELECT keys FROM case_members').get()).toEqual(digest)
})

test('spans of before are found by their keys', () => {
  const old = new DatabaseSync(':memory:')
  old.enableDefensive?.(false)
  old.exec(`${alertTables}; ${caseTables}`)
  const keys = ['transfer:t1', `tx:0x${'0'.repeat(63)}1`, `tx:0x${'0'.repeat(63)}2`, 'crowd:transfer.failed:']
  for (const [index, key] of keys.entries())
    old.prepare('INSERT INTO case_spans VALUES (?, ?, ?, ?)').run(key, index, index, 7 + index)
  old.exec(compactAlerts)
  // Only what is prepared is asked of it.
  const db = { prepare: (sql: string) => old.prepare(sql) } as unknown as Database
  const found = keys.map((key) => listSpans(db, key, null))
  expect(found).toEqual(keys.map((_, index) => [{ from: index, until: index, caseId: 7 + index }]))
  expect(old.prepare('SELECT count(*) AS n FROM case_spans').get()).toEqual({ n: keys.length })
})

test('what was forgotten before the first that is left takes no steps', () => {
  const { database } = fill()
  writeOldForm(database)
  database.prepare('UPDATE alerts SET id = id + 10000000').run()
  let steps = 1
  for (; repackAlerts(database, 5); steps += 1) expect(steps).toBeLessThan(4)
  const left = database.prepare("SELECT count(*) AS n FROM alerts WHERE typeof(finding) = 'text'").get()
  expect(left).toEqual({ n: 0 })
})
