import { describe, expect, test } from 'vitest'
import { keptFinding } from '../../../src/alerts/findingJson.ts'
import { createAlertViews, toAlertView } from '../../../src/web/views/toAlertView.ts'
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
