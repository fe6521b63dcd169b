import { expect, test } from 'vitest'
import { readRules } from '../../../../src/web/views/readRules.ts'
import type { Coverage } from '../../../../src/web/statusFacts.ts'
import { renderRulesPage } from '../../../../src/web/pages/rulesPage.ts'
import type { NewAlert } from '../../../../src/alerts/store/alertRows.ts'
import { createAlertStore } from '../../../../src/alerts/store/alertStore.ts'
import { countEventsOf, readLastFired } from '../../../../src/web/views/pageQueries.ts'
import { openDatabase } from '../../../../src/store/database.ts'
import { createRule } from '../../alerts/harness.ts'

const now = 1_790_000_000_000
const stalled = createRule({ name: 'stalled', kind: 'transfer.stalled', severity: 'critical' })
const failed = createRule({ name: 'failed', kind: 'transfer.failed', severity: 'critical' })
const silent = createRule({ name: 'silent', kind: 'source.unavailable', severity: 'critical' })
const shortfall = createRule({ name: 'shortfall', kind: 'escrow.shortfall', severity: 'critical' })
const escrows = {
  setting: 'bridge.escrows',
  what: 'money',
  write: 'bridge: { … }',
  kinds: ['escrow.shortfall' as const],
}

/** The state of every rule as the page says it, judged a moment ago. */
async function states(
  coverage: Pick<Coverage, 'lastGoodAt'>,
  unsure: Readonly<Record<string, readonly string[]>> = {},
): Promise<Record<string, string>> {
  const db = openDatabase(':memory:')
  const alerts = createAlertStore(db)
  const rules = [stalled, failed, silent, shortfall]
  for (const { name: rule } of rules)
    alerts.saveEvaluation({
      rule,
      evaluatedAt: now,
      errors: 0,
      failingSince: null,
      reason: null,
      unknownSince: null,
      asks: null,
      unsure: unsure[rule] ?? [],
    })
  const views = readRules(
    {
      db,
      alerts,
      rules,
      coverage: [{ source: 'explorer', staleAfterMs: 15_000, ...coverage }],
      unwatched: [escrows],
      tests: [],
    },
    now,
  )
  const page = String(await renderRulesPage({ rules: views, unwatched: [escrows] }, now))
  const cells = [...page.matchAll(/data-key="(\w+)"[\s\S]*?data-label="State">([\s\S]*?)<\/td>/g)]
  return Object.fromEntries(
    cells.map(([, name = '', cell = '']) => [
      name,
      cell
        .replace(/<[^>]+>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    ]),
  )
}

test('while its source answers a rule that finds nothing is quiet', async () => {
  expect(await states({ lastGoodAt: now - 15_000 })).toEqual({
    stalled: 'quiet',
    failed: 'none in the past day',
    silent: 'quiet',
    shortfall: 'not watched it needs bridge.escrows',
  })
})

test('a rule that cannot tell of some subjects says of which and why', async () => {
  const unsure = { stalled: ['t1', 't2', 't3', 't4', 't5'], silent: ['explorer E6'] }
  expect(await states({ lastGoodAt: now }, unsure)).toMatchObject({
    stalled:
      'quiet, cannot tell of 5 t1, t2, t3 and 2 more: no answer since the bound passed says whether it arrived',
    silent: 'quiet, cannot tell of 1 explorer E6: it failed, and was not asked again since',
  })
})

test('while its source is silent a rule cannot tell, but for what is known of the source itself', async () => {
  expect(await states({ lastGoodAt: now - 70_000 })).toEqual({
    stalled: 'cannot tell explorer has given no good answer for 1m 10s',
    failed: 'cannot tell explorer has given no good answer for 1m 10s',
    silent: 'quiet',
    shortfall: 'not watched it needs bridge.escrows',
  })
})

const found: Omit<NewAlert, 'fingerprint'> = {
  rule: 'failed',
  kind: 'transfer.failed',
  nature: 'event',
  severity: 'critical',
  labels: '{}',
  subject: 't1',
  transferKey: 't1',
  state: 'delivered',
  episode: 1,
  activeAt: now - 5_000,
  firedAt: now - 5_000,
  keepSince: null,
  resolvedAt: null,
  resolvedReason: null,
  finding: '{}',
  sinceAt: null,
  direction: null,
  error: null,
  isOver: null,
  refreshedAt: now,
  material: '[]',
  amountRank: '',
  runbook: null,
  changedAt: now - 5_000,
}

test('events are counted by their last change, and what was merged or waits was not found last', () => {
  const db = openDatabase(':memory:')
  const alerts = createAlertStore(db)
  const rows: Partial<NewAlert>[] = [
    {},
    { state: 'new', changedAt: now - 1_000 },
    { changedAt: now - 60_001 },
    { state: 'merged', changedAt: now, firedAt: now },
    { rule: 'stalled', nature: 'condition', state: 'pending', firedAt: null, activeAt: now },
    { rule: 'stalled', nature: 'condition', state: 'resolved', firedAt: now - 9_000 },
    { rule: 'stalled', nature: 'condition', state: 'inactive', firedAt: null, activeAt: now - 8_000 },
  ]
  for (const [index, row] of rows.entries())
    alerts.insertAlert({ ...found, ...row, fingerprint: `print ${index}` })
  const said = ['failed', 'stalled', 'other'].map((rule) => [
    countEventsOf(db, rule, now - 60_000),
    readLastFired(db, rule),
  ])
  expect(said).toEqual([
    [2, now - 5_000],
    [0, now - 8_000],
    [0, null],
  ])
})
