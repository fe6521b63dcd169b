import { describe, expect, test } from 'vitest'
import { openWalk } from '../../../../src/checks/transfers/pollSweep.ts'
import { createTransfersPoll } from '../../../../src/checks/transfers/pollTail.ts'
import { hash, toPending, toRecord } from '../../../support/records.ts'
import { known, noSignal, setUp, toRows } from '../support.ts'

function toPoll(world: ReturnType<typeof setUp>) {
  const walk = openWalk(world)
  const poll = createTransfersPoll(world, walk)
  const countOf = (poller: string) => world.triggered.filter((one) => one === poller).length
  return { walk, countOf, poll: () => poll(noSignal) }
}

describe('the tail', () => {
  test('stops at the first page without news (semantics 18)', async () => {
    const world = setUp(toRows(9))
    const { poll, walk } = toPoll(world)
    await poll()
    expect(world.feed.served).toEqual([1, 2, 3, 4])
    world.feed.rows = [...toRows(4, 9), ...world.feed.rows]
    world.feed.served = []
    await poll()
    expect(world.feed.served).toEqual([1, 2, 3])
    expect(known(world.ledger)).toBe(13)
    expect([walk.rewinds, world.cursors.read().gap]).toEqual([0, null])
  })

  test('stops behind a record that came late below the first page', async () => {
    const world = setUp(toRows(30))
    const { poll, walk } = toPoll(world)
    world.cursors.write({ ...world.cursors.read(), history: { ...world.cursors.read().history, done: true } })
    await poll()
    walk.rewinds = 0
    const late = toRecord({ id: 'late', zoneHash: hash('late'), mainHash: hash('late paid') })
    world.feed.rows = [...toRows(1, 30), ...world.feed.rows.slice(0, 4), late, ...world.feed.rows.slice(4)]
    world.feed.served = []
    await poll()
    expect(world.feed.served).toEqual([1, 2, 3])
    expect([walk.rewinds, world.cursors.read().gap]).toEqual([0, null])
    expect(walk.isSweepRequested).toBe(false)
    expect(world.ledger.listTransfers({ hash: hash('late'), limit: 1 })).toHaveLength(1)
  })

  test('leaves what lies beyond five pages to a walk', async () => {
    const world = setUp(toRows(16))
    const { poll, walk, countOf } = toPoll(world)
    await poll()
    expect(world.feed.served).toEqual([1, 2, 3, 4, 5])
    expect([walk.rewinds, countOf('sweep')]).toEqual([1, 1])
  })

  test('is complete again only once a walk has read what lies beyond five pages', async () => {
    const world = setUp(toRows(3))
    const { poll } = toPoll(world)
    await poll()
    const { completeAt } = world.cursors.read().tail
    expect(world.list.readAt).toBe(world.clock.now())
    // Its newest record is older than our clock.
    expect(completeAt).toBe(3_000)
    world.list.readAt = null
    world.feed.rows = [...toRows(20, 3), ...world.feed.rows]
    await world.clock.advance(5_000)
    await poll()
    await poll()
    expect(world.list.readAt).toBeNull()
    expect(world.cursors.read().gap).toMatchObject({ until: 0, leftAt: world.clock.now() })
    expect(world.cursors.read().tail.completeAt).toBe(completeAt)
    world.cursors.write({ ...world.cursors.read(), gap: null })
    await poll()
    expect(world.list.readAt).toBe(world.clock.now())
  })

  test('that breaks off goes back as far the next time, although the ledger knows its first page by then', async () => {
    const world = setUp(toRows(3))
    const { poll } = toPoll(world)
    await poll()
    world.feed.rows = [...toRows(6, 3), ...world.feed.rows]
    world.feed.onPage = (page) => {
      if (page === 2) throw new Error('reset')
    }
    await expect(poll()).rejects.toThrow('reset')
    world.feed.onPage = () => {}
    await poll()
    expect(known(world.ledger)).toBe(9)
  })

  test('that a crash broke off goes back as far after the start, while the walk through history is open behind it', async () => {
    const world = setUp(toRows(9))
    await toPoll(world).poll()
    const { history, ...cursors } = world.cursors.read()
    world.cursors.write({ ...cursors, history: { ...history, page: 4, read: 9 } })
    world.feed.rows = [...toRows(6, 9), ...world.feed.rows]
    world.feed.onPage = (page) => {
      if (page === 2) throw new Error('killed')
    }
    await expect(toPoll(world).poll()).rejects.toThrow('killed')
    world.feed.onPage = () => {}
    await toPoll(world).poll()
    expect(known(world.ledger)).toBe(15)
  })

  test('F44: does not take a page that is served twice for the end of news', async () => {
    const world = setUp(toRows(9))
    const { poll } = toPoll(world)
    const all = world.feed.rows
    world.feed.onPage = (page) => {
      world.feed.rows = page === 2 ? [...all.slice(0, 3), ...all.slice(0, 3), ...all.slice(6)] : all
    }
    await poll()
    expect(world.feed.served).toEqual([1, 2, 2, 2, 3, 4])
  })

  test('an outage of one page moves no cursor', async () => {
    const world = setUp(toRows(2))
    const { poll } = toPoll(world)
    world.feed.onPage = () => {
      throw new Error('503')
    }
    await expect(poll()).rejects.toThrow('503')
    expect(world.cursors.read().tail.completeAt).toBeNull()
  })
})

describe('a failure in the list', () => {
  test('with one leg is confirmed by E12 in the same tick', async () => {
    const world = setUp([toPending({ status: 'failed' })])
    await toPoll(world).poll()
    expect(world.ledger.listTransfers({})).toMatchObject([{ state: 'failed', confirmedStatus: 'failed' }])
  })

  test('is committed as seen when E12 and E9 cannot be asked, and asked again at once', async () => {
    const world = setUp([toPending({ status: 'failed' })])
    world.reads.details = () => Promise.reject(new Error('down'))
    world.reads.zoneTransactions = () => Promise.reject(new Error('down'))
    const { poll, countOf } = toPoll(world)
    await poll()
    expect(world.ledger.listTransfers({})).toMatchObject([{ state: 'pending' }])
    expect(countOf('openTransfers')).toBeGreaterThan(0)
  })
})

describe('the total', () => {
  test('F44: that rises by more than the tail found asks for a sweep; one that rises with it does not (semantics 18)', async () => {
    const world = setUp(toRows(9))
    const { poll, walk, countOf } = toPoll(world)
    await poll()
    world.feed.rows = [...toRows(1, 9), ...world.feed.rows]
    await poll()
    expect([walk.isSweepRequested, countOf('sweep')]).toEqual([false, 0])
    world.feed.rows = [...world.feed.rows, toRecord({ id: 'late', zoneHash: hash('late') })]
    await poll()
    expect([walk.isSweepRequested, countOf('sweep')]).toEqual([true, 1])
  })

  test('that rises with a record that another reading saw first does not', async () => {
    const world = setUp(toRows(9))
    const { poll, walk, countOf } = toPoll(world)
    await poll()
    const next = toRows(1, 9)
    world.commit({ answers: [next.map((row) => ({ ...row, requestedAt: world.clock.now() }))] })
    world.feed.rows = [...next, ...world.feed.rows]
    await poll()
    expect([walk.isSweepRequested, countOf('sweep')]).toEqual([false, 0])
  })

  test('that falls asks for a sweep (semantics 18)', async () => {
    const world = setUp(toRows(9))
    const { poll, walk, countOf } = toPoll(world)
    await poll()
    world.feed.rows = world.feed.rows.slice(0, 8)
    await poll()
    expect([walk.isSweepRequested, countOf('sweep')]).toEqual([true, 1])
  })
})
