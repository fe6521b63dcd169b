import { describe, expect, test } from 'vitest'
import { keptFinding } from '../../../src/alerts/findingJson.ts'
import { createAlertViews, toAlertView } from '../../../src/web/views/toAlertView.ts'
import { takeMisread } from '../../../src/store/misread.ts'
import { createBench, createCondition, createEvent, createRoute, createRule, start } from './harness.ts'

const atOnce = { routes: [createRoute({ groupWaitMs: 0 })] }
const stalled = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'critical' })
const failed = createRule({ severity: 'critical' })

const texts = ['', 'x', 'null', '[]', '{}', '{"kind":"chain.stalled"}', '"text"', '{"transfer":{}}']

describe.each(texts)('a kept finding that is %j', (text) => {
  const corrupt = () => {
    const first = createBench(atOnce)
    first.engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
    first.engine.applyCondition(stalled, { findings: [createCondition('zone')], unknown: [] }, start)
    first.engine.flush(start)
    first.database.prepare('UPDATE alerts SET finding = ?, material = ?').run(text, text)
    return createBench({ ...atOnce, database: first.database })
  }

  test('stops neither the start nor the end of its alert, nor what is beside it', () => {
    const { engine, store, database } = corrupt()
    // As in a ledger of a version without cases.
    for (const name of ['case_members', 'case_open_keys', 'case_spans'])
      database.prepare(`DELETE FROM ${name}`).run()
    engine.start(start + 1)
    engine.releaseStart()
    engine.applyCondition(stalled, { findings: [], unknown: [] }, start + 60_000)
    engine.tellEvents([{ rule: failed, finding: createEvent(2) }], start + 60_000)
    engine.renameSubject('t1', 't2', start + 60_000)
    engine.flush(start + 60_000)
    const [condition] = store.listAlerts({ limit: 9 }).filter(({ nature }) => nature === 'condition')
    expect(condition?.state).toBe('resolved')
    expect(store.findCaseOfAlert(condition?.id ?? 0)).not.toBeNull()
  })

  test('is told once more when it is found again', () => {
    const { engine, store, database } = corrupt()
    database.prepare("UPDATE outbox SET state = 'sent'").run()
    engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start + 60_000)
    engine.flush(start + 60_000)
    expect(store.listOutbox({ state: 'queued', limit: 9 }).map(({ what }) => what)).toEqual(['correction'])
    const [row] = store.listAlerts({ limit: 9 }).filter(({ nature }) => nature === 'event')
    expect(row && keptFinding(row).title).toBe(createEvent(1).title)
  })

  test('is shown by what its row says', () => {
    const { store } = corrupt()
    const source = createAlertViews(store, [stalled, failed], start)
    for (const row of store.listAlerts({ limit: 9 }))
      expect(toAlertView(source, row)).toMatchObject({
        kind: row.kind,
        title: `${row.subject}: its details cannot be read`,
      })
  })
})

describe('a row that holds what is never written', () => {
  const other = createRule({ name: 'other', kind: 'chain.stalled', severity: 'critical' })
  const zone = { findings: [createCondition('zone')], unknown: [] }
  const huge = '9007199254740993'

  test('of an alert holds up its own rule, which keeps its state and says why, and no other', () => {
    const { engine, store, database } = createBench(atOnce)
    engine.applyCondition(stalled, zone, start)
    database.prepare(`UPDATE alerts SET changed_at = ${huge}, active_at = ${huge}`).run()
    engine.applyCondition(stalled, { findings: [], unknown: [] }, start + 1_000)
    engine.applyCondition(other, zone, start + 1_000)
    expect(store.getEvaluation('stalled')).toMatchObject({ errors: 1, evaluatedAt: start })
    expect(store.getEvaluation('stalled')?.reason).toMatch(/^The ledger cannot be read: a query of alerts: /)
    expect(store.getEvaluation('other')).toMatchObject({ errors: 0 })
    expect(database.prepare('SELECT rule, state FROM alerts ORDER BY rule').all()).toMatchObject([
      { rule: 'other', state: 'firing' },
      { rule: 'stalled', state: 'firing' },
    ])
  })

  test('of a case holds no event of it back', () => {
    const { engine, store, database } = createBench({ routes: [createRoute({ groupBy: ['case'] })] })
    engine.tellEvents([{ rule: failed, finding: createEvent(1) }], start)
    database.prepare(`UPDATE case_members SET until_at = ${huge}, from_at = ${huge}`).run()
    const second = createRule({ name: 'second', severity: 'critical' })
    engine.tellEvents([{ rule: second, finding: createEvent(1) }], start + 1_000)
    const alerts = store.listOutbox({ state: 'queued', limit: 9 }).map(({ alertId }) => alertId)
    expect(new Set(alerts).size).toBe(2)
    expect(takeMisread(database)).not.toEqual([])
  })

  test('of a group leaves that unsent until the next tick, and sends the others', () => {
    const { engine, store, database } = createBench({
      routes: [createRoute({ groupWaitMs: 0, groupBy: ['rule'] })],
    })
    engine.applyCondition(stalled, zone, start)
    engine.applyCondition(other, zone, start)
    const { id } = store.listActiveOf('stalled')[0] ?? { id: 0 }
    database.prepare(`UPDATE alerts SET refreshed_at = ${huge} WHERE id = ?`).run(id)
    expect(engine.flush(start + 1_000)).toBeNull()
    expect(store.listOutbox({ state: 'queued', limit: 9 }).map(({ alertId }) => alertId)).toEqual(
      store.listActiveOf('other').map((alert) => alert.id),
    )
    expect(takeMisread(database)).toEqual([expect.stringContaining('a query of')])
  })
})
