import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../../src/bridge/finding.ts'
import { createMissingPoll } from '../../../../src/checks/transfers/pollMissing.ts'
import type { Commit } from '../../../../src/kernel/reads.ts'
import { createMissingRecords } from '../../../../src/ledger/missingRecords.ts'
import { toPending } from '../../../support/records.ts'
import { hash } from '../../../support/records.ts'
import { noSignal, setUp, toRows } from '../support.ts'

/** Five completed records, all listed and swept; `gone` are then taken out of the list. */
function start(gone: readonly number[] = []) {
  const world = setUp([
    toPending({ id: 'd', direction: 'MainToZone', mainHash: hash('dm'), mainTime: 500 }),
    ...toRows(5),
  ])
  const found: Finding[] = []
  const commit: Commit = (findings) => {
    const result = world.commit(findings)
    found.push(...(findings.apply?.(world.clock.now()) ?? []))
    return result
  }
  const missing = createMissingRecords(world.db, (key) => world.ledger.seenAt(key))
  const poll = createMissingPoll({
    ...world,
    commit,
    missing,
    getTransfer: (key) => world.ledger.getTransfer(key),
    riskOf: ({ amount }) => Number(amount ?? 0),
  })
  const show = () =>
    world.commit({ answers: [world.feed.rows.map((row) => ({ ...row, requestedAt: world.clock.now() }))] })
  show()
  const all = world.feed.rows
  world.feed.rows = all.filter((_, at) => !gone.includes(at))
  const sweep = () => {
    const startedAt = world.clock.now()
    show()
    poll.noteSweep({ from: 0, until: startedAt, readBefore: startedAt })
  }
  const wait = async (ms: number) => {
    await world.clock.advance(ms)
    await poll.run(noSignal)
  }
  return { ...world, all, found, sweep, wait, poll, show }
}

const minute = 60_000

describe('records that a sweep did not show', () => {
  test('have vanished after three reads over ten minutes, and not before', async () => {
    const world = start([2])
    await world.clock.advance(1_000)
    world.sweep()
    for (const ms of [0, 5 * minute, 5 * minute - 1]) await world.wait(ms)
    expect(world.found).toEqual([])
    await world.wait(1)
    expect(world.found).toMatchObject([
      { kind: 'transfer.vanished', facts: { reads: 3 }, transfer: { id: 'r4' } },
    ])
  })

  test('are told once', async () => {
    const world = start([2])
    await world.clock.advance(1_000)
    world.sweep()
    for (let turn = 0; turn < 10; turn += 1) await world.wait(5 * minute)
    expect(world.found).toHaveLength(1)
  })

  test('of which nothing is gone are none', async () => {
    const world = start()
    await world.clock.advance(1_000)
    world.sweep()
    for (let turn = 0; turn < 5; turn += 1) await world.wait(5 * minute)
    expect(world.found).toEqual([])
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
    expect(world.found).toEqual([])
  })

  test('are not judged while the control is not answered', async () => {
    const world = start([2])
    await world.clock.advance(1_000)
    world.sweep()
    world.feed.rows = []
    for (let turn = 0; turn < 20; turn += 1) await world.wait(5 * minute)
    expect(world.found).toEqual([])
  })

  test('are asked for by main hash while no zone hash is known', async () => {
    const world = start([0])
    await world.clock.advance(1_000)
    world.sweep()
    for (const ms of [0, 5 * minute, 5 * minute]) await world.wait(ms)
    expect(world.found).toMatchObject([{ transfer: { id: 'd' } }])
  })
})

test('semantics.md 44: of more missing records than one run asks for, the largest come first, and some of the oldest', async () => {
  const rows = toRows(60).map((row) =>
    row.id === 'r60' ? { ...row, value: '900', amountRaw: 900_000_000n } : row,
  )
  const world = setUp(rows)
  const missing = createMissingRecords(world.db, (key) => world.ledger.seenAt(key))
  const asked: string[] = []
  const poll = createMissingPoll({
    ...world,
    commit(findings) {
      const result = world.commit(findings)
      findings.apply?.(world.clock.now())
      return result
    },
    missing,
    reads: {
      details: (hashes, options) => (asked.push(...hashes), world.reads.details(hashes, options)),
    },
    getTransfer: (key) => world.ledger.getTransfer(key),
    riskOf: ({ amount }) => Number(amount ?? 0),
  })
  world.commit({ answers: [rows, toRows(1, 99)] })
  await world.clock.advance(1_000)
  world.commit({ answers: [toRows(1, 99).map((row) => ({ ...row, requestedAt: world.clock.now() }))] })
  poll.noteSweep({ from: 0, until: 70_000, readBefore: world.clock.now() })
  await poll.run(noSignal)
  expect(asked).toHaveLength(20)
  expect(asked[0]).toBe(hash('z60'))
  expect(asked).toContain(hash('z1'))
})
