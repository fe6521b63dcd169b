import { noAmount } from '../../../../src/bridge/decimal.ts'
import { describe, expect, test } from 'vitest'
import { readMissing } from '../../../../src/checks/transfers/pollMissing.ts'
import type { Walk } from '../../../../src/checks/transfers/walk.ts'
import { createMissingRecords } from '../../../../src/ledger/transfers/missingRecords.ts'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { hash, toPending, toRecord } from '../../../support/records.ts'
import { noSignal, setUp, stumbleOver, toRows } from '../support.ts'

function toPoll(world: ReturnType<typeof setUp>) {
  const missing = createMissingRecords(world.db, (key) => world.ledger.seenAt(key))
  const walk: Pick<Walk, 'unscanned'> = { unscanned: null }
  return { walk, read: () => readMissing({ ...world, missing, walk }, noSignal) }
}

/** Five completed records, all listed and swept; `gone` are then taken out of the list. */
function start(gone: readonly number[] = []) {
  const world = setUp([
    toPending({ id: 'd', direction: 'MainToZone', mainHash: hash('dm'), mainTime: 500 }),
    ...toRows(5),
  ])
  const { read, walk } = toPoll(world)
  const show = () =>
    world.commit({ answers: [world.feed.rows.map((row) => ({ ...row, requestedAt: world.clock.now() }))] })
  show()
  const all = world.feed.rows
  world.feed.rows = all.filter((_, at) => !gone.includes(at))
  const sweep = () => {
    const startedAt = world.clock.now()
    show()
    walk.unscanned ??= { from: 0, until: startedAt, readBefore: startedAt }
  }
  const wait = async (ms: number) => {
    await world.clock.advance(ms)
    await read()
  }
  return { ...world, all, sweep, wait, show }
}

const minute = 60_000

describe('records that a sweep did not show', () => {
  test('have vanished after three reads over ten minutes, and not before (semantics 15)', async () => {
    const world = start([2])
    await world.clock.advance(1_000)
    world.sweep()
    for (const ms of [0, 5 * minute, 5 * minute - 1]) await world.wait(ms)
    expect(world.told).toEqual([])
    await world.wait(1)
    expect(world.told).toMatchObject([
      { kind: 'transfer.vanished', facts: { reads: 3 }, transfer: { id: 'r4' } },
    ])
  })

  test('are told once', async () => {
    const world = start([2])
    await world.clock.advance(1_000)
    world.sweep()
    for (let turn = 0; turn < 10; turn += 1) await world.wait(5 * minute)
    expect(world.told).toHaveLength(1)
  })

  test('of which nothing is gone are none', async () => {
    const world = start()
    await world.clock.advance(1_000)
    world.sweep()
    for (let turn = 0; turn < 5; turn += 1) await world.wait(5 * minute)
    expect(world.told).toEqual([])
  })

  test('have not vanished when one of the reads shows them', async () => {
    const world = start([2])
    await world.clock.advance(1_000)
    world.sweep()
    await world.wait(0)
    await world.wait(5 * minute)
    world.feed.rows = world.all
    world.show()
    for (let turn = 0; turn < 5; turn += 1) await world.wait(5 * minute)
    expect(world.told).toEqual([])
  })

  test('are not judged while the control is not answered', async () => {
    const world = start([2])
    await world.clock.advance(1_000)
    world.sweep()
    world.feed.rows = []
    for (let turn = 0; turn < 20; turn += 1) await world.wait(5 * minute)
    expect(world.told).toEqual([])
  })

  test('are not judged by an answer with a row that could not be read and may be theirs (semantics 38)', async () => {
    const world = start([2])
    const reads = { ...world.reads }
    const raw = JSON.stringify({ zoneTxHash: world.all[2]?.zoneHash })
    world.reads.details = async (...of) => ({
      ...(await reads.details(...of)),
      bad: [{ endpoint: 'E12', problem: 'valueRaw', raw }],
    })
    await world.clock.advance(1_000)
    world.sweep()
    for (let turn = 0; turn < 5; turn += 1) await world.wait(5 * minute)
    expect(world.told).toEqual([])
  })

  test('are not gone while the list shows them, whatever E12 says', async () => {
    const world = start([2])
    await world.clock.advance(1_000)
    world.sweep()
    await world.wait(0)
    await world.wait(5 * minute)
    world.commit({
      answers: [world.all.slice(2, 3).map((row) => ({ ...row, requestedAt: world.clock.now() }))],
    })
    for (let turn = 0; turn < 5; turn += 1) await world.wait(5 * minute)
    expect(world.told).toEqual([])
  })

  test('are not judged by their main hash where no filter of the list works (semantics 16)', async () => {
    const world = start([0])
    const none = () => ({ requestedAt: world.clock.now(), records: [], bad: [], isUnfiltered: true })
    world.reads.feedByHash = async () => none()
    world.reads.feedByAddress = async () => ({ ...none(), totalPage: null, total: null, limit: null })
    await world.clock.advance(1_000)
    world.sweep()
    for (let turn = 0; turn < 5; turn += 1) await world.wait(5 * minute)
    expect(world.told).toEqual([])
  })

  test('one that E12 stumbles over has not vanished, and holds up no other', async () => {
    const world = start([2, 3])
    const [stumbled, gone] = [world.all[2], world.all[3]]
    stumbleOver(world, new Set([stumbled?.zoneHash ?? '']))
    await world.clock.advance(1_000)
    world.sweep()
    for (let turn = 0; turn < 5; turn += 1) await expect(world.wait(5 * minute)).rejects.toThrow('HTTP 500')
    expect(world.told).toMatchObject([{ kind: 'transfer.vanished', transfer: { id: gone?.id } }])
  })

  test('are asked for by main hash while no zone hash is known', async () => {
    const world = start([0])
    await world.clock.advance(1_000)
    world.sweep()
    for (const ms of [0, 5 * minute, 5 * minute]) await world.wait(ms)
    expect(world.told).toMatchObject([{ transfer: { id: 'd' } }])
  })
})

describe('a deposit without an id that the zone refused', () => {
  const refused = (n: number) =>
    toRecord({
      direction: 'MainToZone',
      id: null,
      mainHash: hash('locked'),
      zoneHash: hash(`refused${n}`),
      zoneEventIndex: '1',
      status: 'failed',
    })
  const credited = (more: Partial<Observation> = {}) =>
    toRecord({
      direction: 'MainToZone',
      id: null,
      mainHash: hash('locked'),
      zoneHash: hash('credited'),
      zoneEventIndex: '1',
      zoneTime: 60_000,
      ...more,
    })
  const told = async (before: Observation[], after: Observation[]) => {
    const world = start()
    const show = (rows: Observation[]) => {
      world.feed.rows = [...rows, ...world.all]
      world.show()
    }
    show(before)
    await world.clock.advance(60_000)
    show(after)
    await world.clock.advance(1_000)
    world.sweep()
    for (let turn = 0; turn < 5; turn += 1) await world.wait(5 * minute)
    return world.told.map(({ kind, transfer }) => `${kind} ${transfer?.zone?.hash ?? ''}`)
  }
  const vanished = (n: number) => `transfer.vanished ${hash(`refused${n}`)}`

  test('makes room for the record of its credit', async () => {
    expect(await told([refused(1)], [credited()])).toEqual([])
  })

  test.each([
    { title: 'with no other in its place', before: [refused(1)], after: [], expected: [vanished(1)] },
    {
      title: 'with one of another amount in its place',
      before: [refused(1)],
      after: [credited({ value: '7', amountRaw: 7_000_000n })],
      expected: [vanished(1)],
    },
    {
      title: 'beside one that was credited all along',
      before: [refused(1), credited()],
      after: [credited()],
      expected: [vanished(1)],
    },
    {
      title: 'and two are, for one credit',
      before: [refused(1), refused(2)],
      after: [credited()],
      expected: [vanished(1), vanished(2)],
    },
  ])('is gone $title', async ({ before, after, expected }) => {
    expect((await told(before, after)).toSorted()).toEqual(expected.toSorted())
  })
})

test('semantics.md 44: of more missing records than one run asks for, the largest come first, and some of the oldest', async () => {
  const rows = toRows(60).map((row) =>
    row.id === 'r60' ? { ...row, value: '900', amountRaw: 900_000_000n } : row,
  )
  const world = setUp(rows)
  const asked: string[] = []
  const { read, walk } = toPoll({
    ...world,
    reads: {
      ...world.reads,
      details: (hashes, options) => (asked.push(...hashes), world.reads.details(hashes, options)),
    },
  })
  world.stakes.follow({
    reserveOf: () => null,
    riskOf: (_, amount) => Number(amount.digits),
    netOf: () => null,
    lockedOf: () => noAmount,
  })
  world.commit({ answers: [rows, toRows(1, 99)] })
  await world.clock.advance(1_000)
  world.commit({ answers: [toRows(1, 99).map((row) => ({ ...row, requestedAt: world.clock.now() }))] })
  walk.unscanned = { from: 0, until: 70_000, readBefore: world.clock.now() }
  await read()
  expect(asked).toHaveLength(20)
  expect(asked[0]).toBe(hash('z60'))
  expect(asked).toContain(hash('z1'))
})
