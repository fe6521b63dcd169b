import { expect, test } from 'vitest'
import { createOperations } from '../../../src/alerts/operations.ts'
import { sayMatched } from '../../../src/alerts/previewSilence.ts'
import type { SilenceInput } from '../../../src/alerts/silences.ts'
import { listChangedForSilence } from '../../../src/alerts/store/silencedRows.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import { kinds } from '../../../src/checks/index.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import type { Database } from '../../../src/store/database.ts'
import { createBench, createCondition, createEvent, createRule, start, vocabulary } from './harness.ts'

const day = 86_400_000
const failed = createRule()
const urgent = createRule({ name: 'urgent', severity: 'critical', kind: 'transfer.unbacked' })
const stalled = createRule({ name: 'other', kind: 'chain.stalled' })

function run() {
  const bench = createBench()
  const { engine, clock, database } = bench
  const operations = createOperations({
    ...bench,
    kinds,
    following: new Set(),
    vocabulary,
    log: createSilentLog(),
    onChanged: () => undefined,
  })
  const about = (n: number): Finding => ({ ...createEvent(n), kind: 'transfer.unbacked' })
  return {
    ...bench,
    tell: (...numbers: number[]) =>
      engine.tellEvents(
        numbers.map((n) => ({ rule: failed, finding: createEvent(n) })),
        clock.now(),
      ),
    accuse: (n: number) => engine.tellEvents([{ rule: urgent, finding: about(n) }], clock.now()),
    stall: () =>
      engine.applyCondition(stalled, { findings: [createCondition('zone')], unknown: [] }, clock.now()),
    addTransfer: (n: number) =>
      database
        .prepare(
          `INSERT INTO transfers (key, rec_id, loose, direction, state, token, source_address, target_address, origin_at,
            first_seen_at, changed_at, read_at, body) VALUES (?, ?, 0, '', 'failed', '', '', '', 0, 0, 0, 0, '')`,
        )
        .run(n, String(n)),
    preview: (of: Partial<SilenceInput>) =>
      operations.previewSilence({
        matchers: [],
        startsAt: null,
        endsAt: start + 90 * day,
        author: '',
        comment: '',
        ...of,
      }),
  }
}

test('a preview counts what it matches now and in the past week, by rule, with the largest and the critical ones', () => {
  const { tell, accuse, stall, preview } = run()
  tell(5, 40, 9, 1, 2, 3)
  accuse(7)
  stall()
  const { now, week, silence } = preview({ matchers: ['kind=~.+'] })
  expect(silence.matchers).toEqual(['kind=~".+"'])
  expect([now.count, now.critical, now.rules]).toEqual([
    1,
    0,
    [{ rule: 'other', kind: 'chain.stalled', count: 1 }],
  ])
  expect([week.count, week.critical]).toEqual([8, 1])
  expect(week.rules).toEqual([
    { rule: 'failed', kind: 'transfer.failed', count: 6 },
    { rule: 'urgent', kind: 'transfer.unbacked', count: 1 },
    { rule: 'other', kind: 'chain.stalled', count: 1 },
  ])
  expect(week.largest.map(({ amount }) => amount)).toEqual([
    '40 USDC',
    '9 USDC',
    '7 USDC',
    '5 USDC',
    '3 USDC',
  ])
  expect(week.first.map(({ severity, subject }) => `${severity} ${subject}`)[0]).toBe('critical t7')
  expect([...week.first, ...now.first].map(({ about }) => about)).toEqual([
    't7',
    't40',
    't9',
    't5',
    't3',
    'the zone head stands at 100',
  ])
  expect(sayMatched(week)).toBe('8 alerts, 1 critical')
})

test('what the matchers leave out is not counted, and nothing is made', () => {
  const { tell, accuse, preview, store } = run()
  tell(1, 2)
  accuse(3)
  expect(preview({ matchers: ['rule=failed'] }).week.count).toBe(2)
  expect(preview({ matchers: ['symbol=WBTC'] }).week.count).toBe(0)
  expect(store.listSilences({ since: -1, limit: 9 })).toEqual([])
  expect(store.listChanges({ limit: 9 })).toEqual([])
})

test('what was found more than a week ago is not of the past week', async () => {
  const { tell, clock, preview } = run()
  tell(1)
  await clock.advance(7 * day)
  expect(preview({ matchers: ['rule=failed'] }).week.count).toBe(1)
  await clock.advance(1)
  expect(preview({ matchers: ['rule=failed'] }).week.count).toBe(0)
})

test('of one transfer all its alerts are those of now, and what goes beyond is not matched', () => {
  const { tell, accuse, addTransfer, preview } = run()
  addTransfer(1)
  tell(1, 2)
  accuse(1)
  const all = preview({ endsAt: null, transfer: { name: 't1', kinds: null, untilOver: true } })
  expect([all.now.count, all.now.critical]).toEqual([2, 1])
  expect(all.silence).toMatchObject({ endsAt: start + 7 * day, transfer: { key: 't1', untilOver: true } })
  const one = preview({ endsAt: null, transfer: { name: 't1', kinds: ['transfer.failed'], untilOver: true } })
  expect([one.now.count, one.now.critical]).toEqual([1, 0])
})

test('what would be refused is refused', () => {
  const { preview } = run()
  expect(() => preview({ matchers: ['rule=faild'] })).toThrow('did you mean `failed`')
  expect(() => preview({ matchers: ['team!=x'] })).toThrow('refused')
})

function addMany(db: Database, count: number): void {
  const insert = db.prepare(
    `INSERT INTO alerts (fingerprint, rule, kind, nature, severity, labels, subject, state, episode, active_at, refreshed_at,
      material, amount_rank, changed_at, finding) VALUES (?, 'failed', 'transfer.failed', 'event', 'warning', '{"rule":"failed"}', ?, 'delivered',
      1, ?2, ?2, '', '', ?3, '{}')`,
  )
  for (let n = 0; n < count; n += 1) insert.run(`${n}`.padStart(64, '0'), n, start - n)
}

test('a week of any size is looked at up to a bound, which is said', () => {
  const { database, preview } = run()
  database.transaction(() => addMany(database, 10_001))
  const { week } = preview({ matchers: ['rule=failed'] })
  expect(sayMatched(week)).toBe('at least 10000 alerts, none critical')
})

test('they are found by the index of what changed last', () => {
  const { database } = run()
  const texts: string[] = []
  const noting: Database = { ...database, prepare: (sql) => (texts.push(sql), database.prepare(sql)) }
  listChangedForSilence(noting, { nature: 'event', since: 0 }, 9)
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${texts[0] ?? ''}`).all()
  expect(plan.map(({ detail }) => detail)).toEqual([
    expect.stringContaining('SEARCH a USING INDEX alerts_changed (nature=? AND changed_at>?)'),
  ])
})
