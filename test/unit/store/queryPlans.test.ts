import { describe, expect, test } from 'vitest'
import { listDueTransactions } from '../../../src/checks/contracts/logStore.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts'
import { listEventsOf } from '../../../src/alerts/store/alertRows.ts'
import { listDueCases } from '../../../src/alerts/store/outboxClaims.ts'
import { listToldSince } from '../../../src/alerts/store/outboxDeliveries.ts'
import { findFirstItem, hasUnsent, listDepths } from '../../../src/alerts/store/outboxItems.ts'
import { listSpans } from '../../../src/cases/store/caseMembers.ts'
import {
  countEventsOf,
  countPendingByAge,
  countPendingSince,
  readLastFired,
} from '../../../src/web/views/pageQueries.ts'
import { sumAccounts } from '../../../src/checks/escrow/accounts/accountStore.ts'
import { listEntriesSettling } from '../../../src/breaks/entryStore.ts'
import { kinds } from '../../../src/checks/index.ts'
import { listMovedTokens } from '../../../src/checks/escrow/flows/flowStore.ts'
import { listLeft } from '../../../src/checks/escrow/owed/lossStore.ts'
import { listUnreadRows } from '../../../src/kernel/reads/quarantine.ts'
import { listQuestions } from '../../../src/ledger/evidence/evidenceQueue.ts'
import { listKeysOf, listNamed } from '../../../src/ledger/transfers/named.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { createMissingRecords } from '../../../src/ledger/transfers/missingRecords.ts'
import { readOldestOriginSince, readRecentMainHash } from '../../../src/ledger/deriving/newestOrigin.ts'
import { listOpenArrivals } from '../../../src/ledger/transfers/strays.ts'
import { readFindings } from '../../../src/web/gate/readFindings.ts'
import { payable } from '../../support/gateFacts.ts'

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
  test('what happened at the escrows since a judgement', () => {
    const plans = plansOf((db) => sumAccounts(db, '0xaa', { height: 1, time: 1 }))
    expect(plans.filter((plan) => plan.includes('entries'))).toEqual([
      expect.stringContaining('account_entries_height (token=? AND height>?)'),
      expect.stringContaining('account_entries_at (token=? AND at>?)'),
    ])
  })

  test('which tokens moved at an escrow, by a step for each token', () => {
    const plans = plansOf((db) => listMovedTokens(db, '0xe5'))
    expect(plans.filter((plan) => plan.includes('escrow_flows'))).toEqual([
      'SEARCH escrow_flows USING COVERING INDEX escrow_flows_height (escrow=?)',
      'SEARCH escrow_flows USING COVERING INDEX escrow_flows_height (escrow=? AND token>?)',
      'SEARCH escrow_flows EXISTS USING INDEX escrow_flows_height (escrow=? AND token=?)',
    ])
  })

  test('overdue transfers, once a second', () => {
    const plans = plansOf((_, ledger) =>
      Array.from(ledger.listPending({ direction: null, originAtOrBefore: 1 })),
    )
    expect(plans).toEqual([expect.stringContaining('SEARCH transfers USING INDEX transfers_open (state=?')])
  })

  test('what is read beside a question because its answer is known', () => {
    const plans = plansOf((db) => {
      createMissingRecords(db, () => null).findControl()
      readRecentMainHash(db)
    })
    expect(plans.filter((plan) => plan.includes('transfers'))).toEqual([
      'SEARCH transfers USING INDEX transfers_destination (destination_at>?)',
      'SEARCH transfers USING INDEX transfers_destination (destination_at>?)',
    ])
    expect(plans.filter((plan) => plan.includes('TEMP B-TREE'))).toEqual([])
  })

  test('since when an operator has something to do', () => {
    const plans = plansOf((db) => void readOldestOriginSince(db, 1))
    expect(plans).toEqual(['SEARCH transfers USING COVERING INDEX transfers_origin (origin_at>?)'])
  })

  test('what is open of an address, and a sample of what arrived', () => {
    const plans = plansOf((_, ledger) => {
      ledger.listTransfers({ address: '0xaa', direction: 'ZoneToMain', state: 'pending' })
      ledger.listArrived({ direction: 'ZoneToMain', from: 1, until: 2, limit: 1 })
    })
    const indexes = plans.flatMap((plan) => /INDEX \w+ \(\w+/.exec(plan)?.[0] ?? [])
    expect([...new Set(indexes)]).toEqual([
      'INDEX transfers_open (state',
      'INDEX transfers_open_to (target_address',
      'INDEX transfers_destination (destination_at',
    ])
  })

  test('a page of transfers, whatever is looked for', () => {
    const page = { limit: 50, after: null }
    const plans = plansOf((_, ledger) => {
      ledger.pageTransfers({ ...page, state: 'failed' })
      ledger.pageTransfers({ ...page, address: '0xaa', state: 'pending' })
      ledger.pageTransfers({ ...page, token: '0xaa', direction: 'MainToZone' })
      ledger.pageTransfers({ ...page, ends: { from: '0x12', to: '34' } })
    })
    const of = plans.filter((plan) => plan.includes('transfers'))
    expect(of.filter((plan) => !/^SEARCH transfers USING (.*INDEX|INTEGER PRIMARY KEY)/.test(plan))).toEqual(
      [],
    )
    expect(of.filter((plan) => plan.includes('transfers_origin'))).toEqual([
      'SEARCH transfers USING COVERING INDEX transfers_origin (origin_at<?)',
      'SEARCH transfers USING INDEX transfers_origin (origin_at>? AND origin_at<?)',
    ])
  })

  test('losses that were sent, beside a storm of other alerts', () => {
    const of = { kinds: ['transfer.unbacked'], since: 1 }
    const plans = plansOf((db) => listToldSince(db, of, 'ops'))
    expect(plans).toContain('SEARCH a USING INDEX alerts_kind (kind=? AND changed_at>?)')
    expect(plans.filter((plan) => plan.includes('TEMP B-TREE'))).toEqual([])
  })

  test('failures that nothing is known of', () => {
    const plans = plansOf((_, ledger) =>
      runAtOnce(ledger.listWithoutEvidence({ since: 0, after: null, limit: 20 }, 1)),
    )
    expect(plans).toContain('SEARCH transfers USING INDEX transfers_open (state=? AND origin_at>?)')
    expect(plans.filter((plan) => plan.includes('TEMP B-TREE'))).toEqual([])
  })

  test('events of the bridge that are due', () => {
    const plans = plansOf((db) => listDueTransactions(db, 1, 20))
    expect(plans[0]).toContain('SEARCH bridge_logs USING COVERING INDEX bridge_logs_due (check_at<?')
  })

  test('what is in flight, for the page and the report', () => {
    const plans = plansOf((db, ledger) => {
      countPendingByAge(db, [1], 1)
      countPendingSince(db, 'MainToZone', 1)
      Array.from(ledger.listUnderWay({ from: 0, until: 1 }))
    })
    expect(plans.filter((plan) => plan.includes('transfers_open'))).toHaveLength(4)
    expect(plans).toEqual(
      expect.arrayContaining([
        'SEARCH transfers USING INDEX transfers_origin (origin_at>? AND origin_at<?)',
        'SEARCH transfers USING INDEX transfers_destination (destination_at>? AND destination_at<?)',
      ]),
    )
    expect(plans.filter((plan) => plan.includes('TEMP B-TREE'))).toEqual([])
  })

  test('what a commit asks of alerts, and a channel of what is queued', () => {
    const lane = { channel: 'ops', isCritical: false }
    const plans = plansOf((db) => {
      listEventsOf(db, ['t1', 't2'])
      findFirstItem(db, lane)
      hasUnsent(db)
      listDueCases(db, lane, 1)
      listSpans(db, 'tx:0x12', null)
    })
    expect(plans.filter((plan) => /\b(alerts|outbox|o|case_spans)\b/.test(plan))).toEqual([
      'SEARCH alerts USING INDEX alerts_transfer (transfer_key=?)',
      'SEARCH outbox USING INDEX outbox_queue (channel=? AND critical=?)',
      'SEARCH outbox USING COVERING INDEX outbox_state (state=?)',
      'SEARCH o USING INDEX outbox_queue (channel=? AND critical=? AND not_before<?)',
      'SEARCH case_spans USING INDEX sqlite_autoindex_case_spans_1 (key=?)',
    ])
  })

  test('how much is queued, whatever was sent', () => {
    const plans = plansOf((db) => void listDepths(db))
    expect(plans.filter((plan) => /\b(outbox|o)\b/.test(plan))).toEqual([
      'SCAN outbox USING INDEX outbox_queue',
      'SEARCH o USING INDEX outbox_delivery (delivery_id=?)',
      'SEARCH o USING INDEX outbox_state (state=?)',
    ])
  })

  test('what is said of a rule, whatever it found before', () => {
    const plans = plansOf((db) => {
      readLastFired(db, 'stalled')
      countEventsOf(db, 'stalled', 1)
    })
    expect(plans).toEqual([
      'SEARCH alerts USING INDEX alerts_found (rule=?)',
      'SEARCH alerts USING COVERING INDEX alerts_events (rule=? AND changed_at>?)',
      'SEARCH alerts USING INDEX alerts_merged (rule=? AND changed_at>?)',
    ])
  })

  test('whatever the gate asks of a transfer', () => {
    const arrival = { address: payable.targetAddress, direction: 'ZoneToMain' } as const
    const plans = plansOf((db, ledger) => {
      listNamed(db, '0x12', 10)
      listNamed(db, 't1', 10)
      listKeysOf(db, 't1')
      ledger.getTransfer('t1')
      ledger.listSharing('zone', '0x12', 50)
      listOpenArrivals(db, arrival, 50)
      listLeft(db, '0xcc', 1, 50)
      listQuestions(db, '0x12')
      listUnreadRows(db, 1, 5)
      listEntriesSettling(db, [1])
      db.prepare("INSERT INTO case_spans VALUES ('transfer:t1', 1, 1, 1)").run()
      db.prepare(
        "INSERT INTO cases (id, state, turn, turn_at, opened_at, severity, worst_alert, members, money, turn_money, changed_at) VALUES (1, 'open', 1, 1, 1, 'critical', 1, 1, '{}', '{}', 1)",
      ).run()
      readFindings({ db, kinds, places: ['0xee'] }, payable, 1)
    })
    expect(plans.length).toBeGreaterThan(20)
    // Lists that are given with a question, and what a part of a query found by an index, are gone through.
    const scans = plans.filter(
      (plan) => plan.startsWith('SCAN') && !/json_each|subquery|CONSTANT/i.test(plan),
    )
    expect(scans).toEqual([])
  })
})
