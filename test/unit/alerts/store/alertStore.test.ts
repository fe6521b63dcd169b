import { describe, expect, test } from 'vitest'
import { createBench, createCondition, createEvent, createRule, start } from '../harness.ts'

const day = 86_400_000
const failed = createRule()
const stalled = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'critical' })

function tell(count: number) {
  const bench = createBench()
  bench.engine.tellEvents(
    Array.from({ length: count }, (_, n) => ({ rule: failed, finding: createEvent(n + 1) })),
    start,
  )
  return bench
}

test('an alert is found by the start of its fingerprint, with or without #', () => {
  const { store } = tell(3)
  const [wanted] = store.listAlerts({ limit: 1 })
  const id = wanted?.fingerprint.slice(0, 8) ?? ''
  expect([id, `#${id}`].map((text) => store.findAlertsByPrefix(text).map((row) => row.id))).toEqual([
    [wanted?.id],
    [wanted?.id],
  ])
})

test.each(['', 'abc', "' OR 1", '%', 'g123'])('%j finds no alert', (text) => {
  expect(tell(3).store.findAlertsByPrefix(text)).toEqual([])
})

test('open alerts are conditions that are pending, firing or recovering', () => {
  const { store, engine } = tell(1)
  engine.applyCondition(stalled, { findings: [createCondition('zone')], unknown: [] }, start)
  expect(store.listAlerts({ state: 'open', limit: 9 }).map(({ rule }) => rule)).toEqual(['stalled'])
  expect(store.listAlerts({ nature: 'event', limit: 9 }).map(({ rule }) => rule)).toEqual(['failed'])
})

test('of which subjects the newest evaluation could say nothing is known, until one can', () => {
  const { store, engine } = createBench()
  const unsure = () => store.listEvaluations().map((one) => one.unsure)
  engine.applyCondition(stalled, { findings: [createCondition('zone')], unknown: ['main'] }, start)
  expect(unsure()).toEqual([['main']])
  engine.applyCondition(stalled, { findings: [], unknown: [] }, start + 1_000)
  expect(unsure()).toEqual([[]])
})

test('depth and age of the queue are those of unsent items', () => {
  expect(tell(3).store.listDepths()).toEqual([{ channel: 'ops', queued: 3, oldestAt: start }])
})

test('what is under way is among them, what was sent is not', async () => {
  const { store, startSending, clock } = tell(2)
  const dispatcher = startSending()
  await clock.advance(0)
  await dispatcher.stop()
  expect(store.listDepths()).toEqual([])
  const bench = tell(3)
  const deliveryId = bench.store.insertDelivery(
    { channel: 'ops', isCritical: false, expiresAt: start + day, caseId: null },
    start,
  )
  bench.store.claimItems({ deliveryId, channel: 'ops', isCritical: false, limit: 2 }, start)
  expect(bench.store.listDepths()).toEqual([{ channel: 'ops', queued: 3, oldestAt: start }])
})

test('items that nobody could be told in time are set aside, not a millisecond early', () => {
  const { store } = tell(2)
  expect(store.expireItems(start + 6 * 3_600_000 - 1)).toEqual([])
  expect(store.expireItems(start + 6 * 3_600_000)).toEqual([{ channel: 'ops', count: 2 }])
})

test('purging keeps the told-mark of events, what is queued and what still fires', async () => {
  const { store, engine, startSending, clock } = tell(2)
  engine.applyCondition(stalled, { findings: [createCondition('zone')], unknown: [] }, start)
  engine.flush(start)
  const dispatcher = startSending()
  await clock.advance(0)
  await dispatcher.stop()
  expect([store.purgeDone(start + day), store.purgeEnded(start + day)]).toEqual([2, 0])
  expect(store.listAlerts({ limit: 9 })).toHaveLength(3)
  engine.applyCondition(stalled, { findings: [], unknown: [] }, start + 1)
  // Its end is not queued yet.
  expect([store.purgeDone(start + day), store.purgeEnded(start + day)]).toEqual([0, 0])
  engine.flush(start + 1)
  const again = startSending()
  await clock.advance(600_000)
  await again.stop()
  expect(store.purgeEnded(start + day)).toBe(1)
})

describe('events about no transfer', () => {
  const recovered = createRule({ name: 'recovered', kind: 'monitor.state_recovered' })
  const finding = createCondition('cursors', { kind: 'monitor.state_recovered' })
  const purge = ({ store }: ReturnType<typeof createBench>, kept: readonly string[] = []) =>
    store.purgeEvents({ before: start + day, kept, limit: 9 })
  const tellBoth = () => {
    const bench = createBench()
    bench.engine.tellEvents(
      [
        { rule: recovered, finding },
        { rule: createRule(), finding: createEvent(1) },
      ],
      start,
    )
    return bench
  }

  test('go when nothing of them waits and their case is over; those of a transfer stay with it', () => {
    const bench = tellBoth()
    const { database, store } = bench
    expect(purge(bench)).toBe(0)
    database.prepare("UPDATE outbox SET state = 'sent'").run()
    expect(purge(bench)).toBe(0)
    database.prepare("UPDATE cases SET state = 'closed'").run()
    store.purgeCases(start + day, 9)
    expect(store.purgeEvents({ before: start, kept: [], limit: 9 })).toBe(0)
    expect(purge(bench, ['monitor.state_recovered'])).toBe(0)
    expect(purge(bench)).toBe(1)
    expect(store.listAlerts({ limit: 9 }).map(({ rule }) => rule)).toEqual(['failed'])
  })

  test('that are held back by a silence stay until it is over', () => {
    const bench = tellBoth()
    const { database, store } = bench
    for (const name of ['outbox', 'case_members']) database.prepare(`DELETE FROM ${name}`).run()
    const { id } = store.listAlerts({ rule: 'recovered', limit: 1 })[0] ?? { id: 0 }
    const held = { alertId: id, channel: 'ops', what: 'event', episode: 1 } as const
    store.holdEvent({ ...held, heldAt: start, until: start + day, silenceId: null })
    expect(purge(bench)).toBe(0)
    store.releaseHeld({ ...held, heldAt: start, until: start + day, silenceId: null })
    expect(purge(bench)).toBe(1)
  })
})

test('the decision log is bounded', () => {
  const { store, database } = createBench()
  const decision = { at: start, alertId: null, rule: 'r', subject: 's', what: 'told', reason: 'why' }
  database.transaction(() => {
    for (let n = 0; n < 52_000; n += 1) store.recordDecision(decision)
  })
  expect(store.listDecisions({ limit: 100_000 })).toHaveLength(50_000)
})
