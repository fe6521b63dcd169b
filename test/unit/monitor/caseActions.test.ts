import { expect, test } from 'vitest'
import { createOperations } from '../../../src/alerts/operations.ts'
import { kinds } from '../../../src/checks/index.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import { createCaseActions } from '../../../src/monitor/caseActions.ts'
import { listChanges } from '../../../src/store/auditLog.ts'
import { createBench, createEvent, createRoute, createRule, vocabulary } from '../alerts/harness.ts'

const from = 'T0FAKE0001/U0ANN00001'

/** One open case, c1, of one failed transfer. */
function setUp(transfers = 1) {
  const { store, engine, clock, database } = createBench({ routes: [createRoute({ groupBy: ['case'] })] })
  const rule = createRule({ severity: 'critical' })
  const findings = Array.from({ length: transfers }, (_, n) => ({
    ...createEvent(n + 1),
    facts: { errorMessage: 'nonce too low' },
  }))
  engine.tellEvents(
    findings.map((finding) => ({ rule, finding })),
    clock.now(),
  )
  const operations = createOperations({
    store,
    log: createSilentLog(),
    clock,
    kinds,
    vocabulary,
    following: new Set(),
    onChanged: () => undefined,
  })
  const changes = () =>
    listChanges(database, { limit: 10 }).map(({ who, via, address, what, aboutId }) => [
      who,
      via,
      address,
      what,
      aboutId,
    ])
  const addTransfer = (n: number) =>
    database
      .prepare(
        `INSERT INTO transfers (key, rec_id, zone_hash, main_hash, loose, direction, state, token, source_address,
          target_address, origin_at, first_seen_at, changed_at, read_at, body)
          VALUES (?, NULL, NULL, NULL, 0, 'ZoneToMain', 'failed', '', '', '', 0, 0, 0, 0, '')`,
      )
      .run(n)
  return { addTransfer, actions: createCaseActions({ operations, store }), store, changes }
}

test('a case is acknowledged under the name of who pressed, and the audit log says from where', () => {
  const { actions, store, changes } = setUp()
  expect(actions.ack('c1', 'ann', from)).toEqual({ ok: true })
  expect(store.findCase(1)).toMatchObject({ state: 'acknowledged', by: 'ann' })
  expect(changes()).toEqual([['ann', 'slack', from, 'acknowledged', 'c1']])
})

test('a case that somebody acknowledged stays in that hand', () => {
  const { actions, store, changes } = setUp()
  actions.ack('c1', 'ann', from)
  expect(actions.ack('c1', 'bob', from)).toEqual({ ok: false, reason: 'it is acknowledged already, by ann' })
  expect(store.findCase(1)?.by).toBe('ann')
  expect(changes().length).toBe(1)
})

test('a case is handled for a reason, once', () => {
  const { actions, store } = setUp()
  expect(actions.handle('c1', 'ann', from, 'refunded')).toEqual({ ok: true })
  expect(store.findCase(1)).toMatchObject({ state: 'handled', by: 'ann', reason: 'refunded' })
  expect(actions.handle('c1', 'bob', from, 'me too')).toEqual({
    ok: false,
    reason: 'it is handled already, by ann',
  })
  expect(actions.ack('c1', 'bob', from)).toMatchObject({
    ok: false,
    reason: expect.stringContaining('handled'),
  })
})

test.each(['c99', 'cx', '', 'c1e3', 'c-1'])('%j is no case, which is said', (id) => {
  const { actions, changes } = setUp()
  for (const answer of [
    actions.ack(id, 'ann', from),
    actions.handle(id, 'ann', from, 'x'),
    actions.silenceTransfer(id, 'ann', from),
  ]) {
    expect(answer).toMatchObject({ ok: false, reason: expect.any(String) })
  }
  expect(changes()).toEqual([])
})

test('the one transfer of a case is silenced until it is over', () => {
  const { actions, store, changes, addTransfer } = setUp()
  addTransfer(1)
  expect(actions.silenceTransfer('c1', 'ann', from)).toEqual({ ok: true })
  expect(store.listSilences({ since: 0, limit: 10 })).toMatchObject([
    { author: 'ann', comment: 'case c1, by the button in Slack', transfer: { key: 't1', untilOver: true } },
  ])
  expect(changes().map(([who, via]) => [who, via])).toEqual([['ann', 'slack']])
})

test('of a case of several transfers none is silenced', () => {
  const { actions } = setUp(3)
  expect(actions.silenceTransfer('c1', 'ann', from)).toEqual({
    ok: false,
    reason: 'it is not about one transfer alone',
  })
})

test.each(['ack', 'handle'] as const)(
  '%s of a case that opened again since it was shown is refused',
  (verb) => {
    const { actions, store } = setUp()
    const row = store.findCase(1)
    if (row) store.saveCase({ ...row, turn: 2 })
    const press = (caseId: string) =>
      verb === 'ack' ? actions.ack(caseId, 'ann', from) : actions.handle(caseId, 'ann', from, 'refunded')
    expect(press('c1-1')).toMatchObject({ ok: false, reason: expect.stringContaining('opened again since') })
    expect(store.findCase(1)?.state).toBe('open')
    expect(press('c1-2')).toEqual({ ok: true })
  },
)
