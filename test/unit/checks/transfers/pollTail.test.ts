import { describe, expect, test, vi } from 'vitest'
import { createTransfersPoll } from '../../../../src/checks/transfers/pollTail.ts'
import { beginGap, type GapWalk } from '../../../../src/store/cursors.ts'
import { hash, toPending, toRecord } from '../../../support/records.ts'
import { known, noSignal, setUp, toRows } from '../support.ts'

function toPoll(world: ReturnType<typeof setUp>) {
  const asks = {
    requestSweep: vi.fn(),
    noteGap: vi.fn(),
    requestDetails: vi.fn(),
    noteComplete: vi.fn(),
  }
  const poll = createTransfersPoll({
    ...world,
    ...asks,
    listUnconfirmed: (records) => world.ledger.listUnconfirmed(records),
  })
  return { ...asks, poll: () => poll(noSignal) }
}

describe('the tail', () => {
  test('stops at the first page without news', async () => {
    const world = setUp(toRows(9))
    const { poll, noteGap } = toPoll(world)
    await poll()
    expect(world.feed.served).toEqual([1, 2, 3, 4])
    world.feed.rows = [...toRows(4, 9), ...world.feed.rows]
    world.feed.served = []
    await poll()
    expect(world.feed.served).toEqual([1, 2, 3])
    expect(known(world.ledger)).toBe(13)
    expect(noteGap).not.toHaveBeenCalled()
  })

  test('stops behind a record that came late below the first page', async () => {
    const world = setUp(toRows(30))
    const { poll, noteGap, requestSweep } = toPoll(world)
    world.cursors.write({ ...world.cursors.read(), history: { ...world.cursors.read().history, done: true } })
    await poll()
    noteGap.mockClear()
    const late = toRecord({ id: 'late', zoneHash: hash('late'), mainHash: hash('late paid') })
    world.feed.rows = [...toRows(1, 30), ...world.feed.rows.slice(0, 4), late, ...world.feed.rows.slice(4)]
    world.feed.served = []
    await poll()
    expect(world.feed.served).toEqual([1, 2, 3])
    expect(noteGap).not.toHaveBeenCalled()
    expect(requestSweep).not.toHaveBeenCalled()
    expect(world.ledger.listTransfers({ hash: hash('late'), limit: 1 })).toHaveLength(1)
  })

  test('leaves what lies beyond five pages to a walk', async () => {
    const world = setUp(toRows(16))
    const { poll, noteGap } = toPoll(world)
    await poll()
    expect(world.feed.served).toEqual([1, 2, 3, 4, 5])
    expect(noteGap).toHaveBeenCalledOnce()
  })

  test('is complete again only once a walk has read what lies beyond five pages', async () => {
    const world = setUp(toRows(3))
    const { poll, noteComplete, noteGap } = toPoll(world)
    const walk = (gap: GapWalk | null) => world.cursors.write({ ...world.cursors.read(), gap })
    await poll()
    const { completeAt } = world.cursors.read().tail
    expect(noteComplete).toHaveBeenCalledExactlyOnceWith(world.clock.now())
    // Its newest record is older than our clock.
    expect(completeAt).toBe(3_000)
    noteComplete.mockClear()
    world.feed.rows = [...toRows(20, 3), ...world.feed.rows]
    await world.clock.advance(5_000)
    noteGap.mockImplementation((at: number) => walk(beginGap(0, at)))
    await poll()
    await poll()
    expect(noteComplete).not.toHaveBeenCalled()
    expect(world.cursors.read().tail.completeAt).toBe(completeAt)
    walk(null)
    await poll()
    expect(noteComplete).toHaveBeenCalledOnce()
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
    const { poll, requestDetails } = toPoll(world)
    await poll()
    expect(world.ledger.listTransfers({})).toMatchObject([{ state: 'pending' }])
    expect(requestDetails).toHaveBeenCalled()
  })
})

describe('the total', () => {
  test('F44: that rises by more than the tail found asks for a sweep; one that rises with it does not', async () => {
    const world = setUp(toRows(9))
    const { poll, requestSweep } = toPoll(world)
    await poll()
    world.feed.rows = [...toRows(1, 9), ...world.feed.rows]
    await poll()
    expect(requestSweep).not.toHaveBeenCalled()
    world.feed.rows = [...world.feed.rows, toRecord({ id: 'late', zoneHash: hash('late') })]
    await poll()
    expect(requestSweep).toHaveBeenCalledOnce()
  })

  test('that rises with a record that another reading saw first does not', async () => {
    const world = setUp(toRows(9))
    const { poll, requestSweep } = toPoll(world)
    await poll()
    const next = toRows(1, 9)
    world.commit({ answers: [next.map((row) => ({ ...row, requestedAt: world.clock.now() }))] })
    world.feed.rows = [...next, ...world.feed.rows]
    await poll()
    expect(requestSweep).not.toHaveBeenCalled()
  })

  test('that falls asks for a sweep', async () => {
    const world = setUp(toRows(9))
    const { poll, requestSweep } = toPoll(world)
    await poll()
    world.feed.rows = world.feed.rows.slice(0, 8)
    await poll()
    expect(requestSweep).toHaveBeenCalledOnce()
  })
})
