import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { openListings } from '../../../../src/checks/audit/listings.ts'
import { lookAgain } from '../../../../src/checks/audit/pollLacks.ts'
import { createAuditPoll, readProgress } from '../../../../src/checks/audit/pollList.ts'
import { listDueLacks, summarizeTold } from '../../../../src/checks/audit/store.ts'
import { recordHead } from '../../../../src/kernel/heads/heads.ts'
import { plainConfig } from '../../../support/appConfig.ts'
import { hash } from '../../../support/records.ts'
import { noSignal, setUp, toRows } from '../support.ts'

const minute = 60_000
const settleMs = minute

/** The list by the zone's height, by the main chain's, or without a filter that works. */
function audit(filter: 'zone' | 'main' | 'none' = 'zone') {
  const rows = toRows(5).map((row, n) => ({ ...row, zoneHeight: 5_005 - n, mainHeight: 505 - n }))
  const world = setUp(rows, {
    config: {
      start: { from: { kind: 'genesis' } },
      poll: { ...plainConfig.poll, sweepMs: 60 * minute },
    },
  })
  const { clock, cursors, db, ledger, feed } = world
  const at = (some: readonly Observation[]) => some.map((row) => ({ ...row, requestedAt: clock.now() }))
  // The client takes no row that lies elsewhere on both chains, and says that there were others.
  const inSpan = (span: { first: number; last: number }) =>
    feed.rows.filter((row) =>
      (filter === 'none' ? [row.mainHeight, row.zoneHeight] : [row[`${filter}Height`]]).some(
        (height) => height !== null && height >= span.first && height <= span.last,
      ),
    )
  const whole = (some: readonly Observation[]) => ({
    requestedAt: clock.now(),
    records: at(some),
    bad: [],
    complete: true,
    requests: 1,
  })
  const filtered = (some: readonly Observation[]) => ({
    ...whole(some),
    isUnfiltered: filter === 'none',
    complete: filter !== 'none',
  })
  cursors.write({ ...cursors.read(), history: { ...cursors.read().history, done: true } })
  recordHead(db, 'zone', { height: 6_000, blockTime: null, at: clock.now() })
  recordHead(db, 'main', { height: 600, blockTime: null, at: clock.now() })
  ledger.recordAnswer(at(feed.rows), clock.now())
  const run = createAuditPoll({
    ...world,
    reads: {
      recordsAt: async (height) => filtered(inSpan({ first: height, last: height })),
      recordsIn: async (span) => filtered(inSpan(span)),
      recordsSince: async () => whole(feed.rows),
    },
  })
  const listings = openListings(world)
  return {
    ...world,
    told: () => summarizeTold(db),
    progress: () => readProgress(db),
    sweep: () => void (world.list.sweptAt = clock.now()),
    audit: () => run(noSignal),
    /** Checks every ten seconds. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 10_000) {
        await clock.advance(10_000)
        await lookAgain({ ...world, listings }, noSignal)
      }
    },
    /** A record that the list shows from now on, with its blocks so long ago. */
    fillIn(agoMs: number) {
      const time = clock.now() - agoMs
      const [row] = toRows(1, 40)
      const late = {
        ...(row as Observation),
        zoneTime: time,
        mainTime: time,
        zoneHeight: 5_500,
        mainHeight: 550,
      }
      feed.rows.push(late)
      return late
    },
  }
}

describe('what the height filters mean', () => {
  test.each(['zone', 'main', 'none'] as const)('is found out: %s', async (filter) => {
    const world = audit(filter)
    await world.audit()
    expect(world.progress().filter).toBe(filter)
  })
})

describe('a record that the list holds and the ledger lacks', () => {
  test.each(['zone', 'main', 'none'] as const)('F45: is recorded and told, read by: %s', async (filter) => {
    const world = audit(filter)
    world.fillIn(2 * 60 * minute)
    await world.audit()
    expect(world.ledger.listTransfers({ hash: hash('z41') })).toEqual([])
    await world.pass(6 * minute)
    expect(world.ledger.listTransfers({ hash: hash('z41') })).toHaveLength(1)
    expect(world.told()).toMatchObject([{ source: 'list', count: 1, zoneHeights: [5_500, 5_500] }])
    await world.pass(10 * minute)
    await world.audit()
    expect(world.told()).toEqual([])
  })

  test('stands for ten minutes, however soon an audit finds that nothing lacks any more', async () => {
    const world = audit()
    world.fillIn(2 * 60 * minute)
    await world.audit()
    while (world.told().length === 0) await world.pass(10_000)
    const [told] = world.told()
    await world.clock.advance(10 * minute)
    await world.audit()
    expect(world.told()).toEqual([told])
    await world.clock.advance(1)
    await world.audit()
    expect(world.told()).toEqual([])
  })

  test('is not over by empty answers, while a range with a known record is empty too (semantics 8)', async () => {
    const world = audit()
    world.fillIn(2 * 60 * minute)
    await world.audit()
    while (world.told().length === 0) await world.pass(10_000)
    const { rows } = world.feed
    world.feed.rows = []
    await world.clock.advance(20 * minute)
    await world.audit()
    expect(world.told()).toHaveLength(1)
    world.feed.rows = rows
    await world.audit()
    expect(world.told()).toEqual([])
  })

  test('is not told while it is younger than records take', async () => {
    const world = audit()
    world.fillIn(settleMs - 1)
    await world.audit()
    await world.pass(6 * minute)
    expect(world.told()).toEqual([])
  })

  test('is late, and not told, when the tail or the sweep brings it meanwhile', async () => {
    const world = audit()
    const late = world.fillIn(10 * minute)
    await world.audit()
    await world.pass(minute)
    world.ledger.recordAnswer([{ ...late, requestedAt: world.clock.now() }], world.clock.now())
    world.sweep()
    await world.pass(6 * minute)
    expect(world.told()).toEqual([])
  })

  test('within the reach of the sweep is told once a whole pass did not bring it, and not before', async () => {
    const world = audit()
    world.fillIn(10 * minute)
    await world.audit()
    await world.pass(10 * minute)
    expect(world.told()).toEqual([])
    world.sweep()
    await world.pass(6 * minute)
    expect(world.told()).toMatchObject([{ source: 'list', count: 1 }])
  })

  test('is dropped when it is gone again: three readings with a control between them', async () => {
    const world = audit()
    world.fillIn(2 * 60 * minute)
    await world.audit()
    world.feed.rows.pop()
    await world.pass(6 * minute)
    expect(world.told()).toEqual([])
    expect(listDueLacks(world.db, Number.MAX_SAFE_INTEGER, 10)).toEqual([])
  })
})
