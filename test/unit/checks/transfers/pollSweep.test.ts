import { fc, timesOf } from '../../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { createTransfersPoll } from '../../../../src/checks/transfers/pollTail.ts'
import { openWalk, readOn, requestHistory, requestSweep } from '../../../../src/checks/transfers/pollSweep.ts'
import type { Walk } from '../../../../src/checks/transfers/walk.ts'
import type { ListReadings } from '../../../../src/kernel/heads/horizons.ts'
import { beginGap, beginHistory, type Cursors } from '../../../../src/store/cursors.ts'
import { plainConfig } from '../../../support/appConfig.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { known, noSignal, setUp, toRows } from '../support.ts'

function toWalk(world: ReturnType<typeof setUp>) {
  const walk = openWalk(world)
  const run = () => readOn(walk, noSignal)
  const runAll = async () => {
    const isOpen = ({ history, gap }: Cursors) => !history.done || gap !== null
    for (let runs = 0; runs < 200 && isOpen(world.cursors.read()); runs += 1) await run()
  }
  return { walk, run, runAll }
}

const expectLoop = (error: unknown) => expect(String(error)).toContain('again and again')

describe('the history walk', () => {
  test('reads to the end of the list and says so in its cursor', async () => {
    const world = setUp(toRows(10))
    await toWalk(world).runAll()
    expect(known(world.ledger)).toBe(10)
    expect(world.cursors.read().history).toMatchObject({
      done: true,
      oldestAt: world.feed.rows.at(-1)?.mainTime,
    })
  })

  test('and the sweep note how far back the list reaches, whatever is asked for again', async () => {
    const world = setUp(toRows(10, 20))
    const { walk, run, runAll } = toWalk(world)
    const { cursors, feed } = world
    await runAll()
    requestHistory(walk, 25_000)
    expect(cursors.read().history).toMatchObject({ done: false, oldestAt: 21_000 })
    await runAll()
    expect(cursors.read().history).toMatchObject({ done: true, oldestAt: 21_000 })
    feed.rows = toRows(20, 10)
    requestSweep(walk)
    for (let runs = 0; runs < 10; runs += 1) await run()
    expect(cursors.read().history).toMatchObject({ done: true, oldestAt: 11_000 })
  })

  test('and the one over what the tail left out say when they last came further', async () => {
    const world = setUp(toRows(10))
    const { clock, cursors, list } = world
    const { runAll } = toWalk(world)
    await runAll()
    expect(list.walkedAt).toBe(clock.now())
    list.walkedAt = null
    cursors.write({ ...cursors.read(), gap: beginGap(0, clock.now()) })
    await runAll()
    expect(list.walkedAt).toBe(clock.now())
  })

  test('passes pages of rows that cannot be read: they are not one page again and again', async () => {
    const world = setUp(toRows(30))
    const shown = { ...world.reads }
    world.reads.feedPage = async (page, options) => {
      const read = await shown.feedPage(page, options)
      const bad = read.records.map(({ id }) => ({ endpoint: 'E3', problem: 'height', raw: `{"id":"${id}"}` }))
      return page > 2 && page < 8 ? { ...read, records: [], bad } : read
    }
    await toWalk(world).run()
    expect(world.cursors.read().history).toMatchObject({ done: true })
    expect(known(world.ledger)).toBe(15)
  })

  test('goes on after a restart at the page it had reached', async () => {
    const world = setUp(toRows(100))
    await toWalk(world).run()
    expect(world.cursors.read().history).toMatchObject({ page: 21, done: false })
    world.feed.served = []
    await toWalk(world).runAll()
    expect(world.feed.served[0]).toBe(21)
    expect(known(world.ledger)).toBe(100)
  })

  test('goes back with its cursor where pages that waited for the disk were lost with somebody else', async () => {
    const world = setUp(toRows(15))
    const saved = world.cursors.read()
    let isLost = false
    world.feed.onPage = (page) => {
      // As when a commit fails: the cursor in the file is of before what waited.
      if (page === 4 && !isLost) world.cursors.write(saved)
      isLost ||= page === 4
    }
    await toWalk(world).runAll()
    expect(world.feed.served.slice(0, 9)).toEqual([1, 2, 3, 4, 1, 2, 3, 4, 5])
    expect(world.cursors.read().history).toMatchObject({ done: true, read: 15 })
  })

  test('goes back where rows moved up behind it, as when a list that falls behind shows its newest no more', async () => {
    const world = setUp(toRows(60))
    const all = world.feed.rows
    world.feed.onPage = (page) => {
      if (page === 8) world.feed.rows = all.slice(8)
    }
    await toWalk(world).runAll()
    expect(known(world.ledger)).toBe(60)
  })

  test('comes to its end where two replicas count differently', async () => {
    const world = setUp(toRows(60))
    const all = world.feed.rows
    let asked = 0
    world.feed.onPage = () => (world.feed.rows = (asked += 1) % 2 === 0 ? all : all.slice(12))
    await toWalk(world).runAll()
    expect(world.cursors.read().history.done).toBe(true)
  })

  test('of a rewind counts what the rewind read', async () => {
    const world = setUp(toRows(10))
    const { walk, runAll } = toWalk(world)
    await runAll()
    requestHistory(walk, 0)
    await runAll()
    expect(world.cursors.read().history).toMatchObject({ read: 10, least: 0, done: true })
  })

  test('reads its first ten thousand also when a rewind comes before they are read', async () => {
    const world = setUp(toRows(100))
    const { walk, run } = toWalk(world)
    await run()
    requestHistory(walk, 5)
    expect(world.cursors.read().history).toMatchObject({ page: 1, read: 0, least: 10_000, done: false })
  })

  test.each([
    { title: 'amid the walk', page: 2 },
    { title: 'at its first page', page: 1 },
  ])(
    'is not lost when it is asked for while a page is read, $title: it begins anew and goes back as far',
    async ({ page }) => {
      const world = setUp(toRows(30))
      world.cursors.write({ ...world.cursors.read(), history: beginHistory(25_000) })
      const { walk, runAll } = toWalk(world)
      world.feed.onPage = (asked) => {
        if (asked !== page) return
        world.feed.onPage = () => {}
        requestHistory(walk, 5_000)
      }
      await runAll()
      // The sweep goes on behind it.
      const pages = [...Array(page).keys(), ...Array(10).keys(), 0].map((n) => n + 1)
      expect(world.feed.served).toEqual(pages)
      expect(world.cursors.read().history).toMatchObject({ until: 5_000, read: 30, done: true })
      expect(known(world.ledger)).toBe(30)
    },
  )

  test('asks for the next page before it saves this one, and for none behind the end', async () => {
    const world = setUp(toRows(10))
    const { commitInSlices } = world
    const asked: number[] = []
    world.commitInSlices = (result) => {
      asked.push(world.feed.served.length)
      return commitInSlices(result)
    }
    await toWalk(world).runAll()
    // Four pages of history, then the sweep's first.
    expect(asked).toEqual([2, 3, 4, 4, 5])
    expect(world.feed.served).toEqual([1, 2, 3, 4, 1])
  })

  test('F44: whose pages come round in a loop ends in an error, stays where it was and goes on when they are right', async () => {
    const world = setUp(toRows(30))
    const { run, runAll } = toWalk(world)
    const all = world.feed.rows
    const stuck = all.slice(0, 6)
    world.feed.onPage = (page) => {
      // From the third page on the second is served again.
      world.feed.rows =
        page < 3
          ? all
          : [
              ...stuck,
              ...Array(page - 2)
                .fill(stuck.slice(3))
                .flat(),
              ...all,
            ]
    }
    for (let attempt = 0; attempt < 3; attempt += 1) await expect(run()).rejects.toThrow('again and again')
    expect(world.cursors.read().history).toMatchObject({ page: 3, done: false })
    world.feed.onPage = () => (world.feed.rows = all)
    await runAll()
    expect(known(world.ledger)).toBe(30)
  })

  test('F44: ends where a service gives its last page for every one beyond it', async () => {
    const world = setUp(toRows(10))
    const before = { ...world.reads }
    world.reads.feedPage = (page, options) => before.feedPage(Math.min(page, 3), options)
    await toWalk(world).runAll()
    expect(world.cursors.read().history).toMatchObject({ done: true })
  })

  test('asks to be run again while there is more, so that each run ends', async () => {
    const world = setUp(toRows(100))
    await toWalk(world).run()
    expect(world.triggered).toEqual(['sweep'])
  })

  test('F44: loses nothing of what arrives while it pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(4), { maxLength: 60 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 0, max: 60 }),
        async (inserts, pageSize, existing) => {
          const world = setUp(toRows(existing), { pageSize })
          let newest = existing
          const rest = [...inserts]
          world.feed.onPage = () => {
            const count = rest.shift() ?? 0
            world.feed.rows = [...toRows(count, newest), ...world.feed.rows]
            newest += count
          }
          const { walk, runAll } = toWalk(world)
          const tail = createTransfersPoll(world, walk)
          // With pages this small, what arrives can look like a loop of pages: the walk ends and is run again.
          const walkOn = () => runAll().catch(expectLoop)
          await walkOn()
          for (let tick = 0; tick < 90; tick += 1) {
            await tail(noSignal)
            await walkOn()
          }
          await runAll()
          expect(known(world.ledger)).toBe(newest)
        },
      ),
      // The sweep may read what the tail has not: its records must not look like the tail's own.
      { numRuns: timesOf(60), examples: [[[4, 2, 1, 1, 2, 4], 3, 0]] },
    )
  })
})

describe('the walk over what the tail left out', () => {
  const second = 1_000

  /** A bridge whose list is read by the tail and by a walk, in ticks of five seconds. */
  async function start(count: number) {
    const bare = setUp([])
    /** By how much the list was read in the past, each time that it was called read. */
    const lags: number[] = []
    const list: ListReadings = {
      ...bare.list,
      get readAt() {
        return lags.at(-1) ?? null
      },
      set readAt(at) {
        lags.push(bare.clock.now() - (at ?? 0))
      },
    }
    const world = { ...bare, list }
    let n = 0
    const add = (more: number) => {
      const rows = Array.from({ length: more }, () => {
        n += 1
        const at = world.clock.now() - second
        return toRecord({
          id: `i${n}`,
          zoneHash: hash(`z${n}`),
          mainHash: hash(`m${n}`),
          zoneTime: at,
          mainTime: at,
        })
      })
      world.feed.rows = [...rows.reverse(), ...world.feed.rows]
    }
    const open = () => {
      const { walk, run, runAll } = toWalk(world)
      const tail = createTransfersPoll(world, walk)
      return { run, runAll, tail: () => tail(noSignal) }
    }
    const pollers = open()
    add(count)
    await pollers.runAll()
    await pollers.tail()
    await pollers.runAll()
    lags.length = 0
    await world.clock.advance(5 * second)
    return { ...world, add, lags, reopen: open, ...pollers }
  }

  test('a list that grows faster than the tail reads is called read by each walk from when it began, and is all read', async () => {
    const { add, lags, tail, run, runAll, clock, ledger, cursors } = await start(300)
    for (let tick = 0; tick < 60; tick += 1) {
      add(20)
      await tail()
      // What needs the first history walk alone need not wait for the end of the flood.
      expect(cursors.read().history.done).toBe(true)
      await run()
      await run()
      await clock.advance(5 * second)
    }
    expect(lags.length).toBeGreaterThan(1)
    expect(Math.max(...lags)).toBeLessThanOrEqual(100 * second)
    await runAll()
    expect(known(ledger)).toBe(300 + 60 * 20)
  })

  test('a restart amid it calls the list read only once it came back', async () => {
    const { add, lags, tail, reopen, feed, cursors, ledger } = await start(3)
    add(20)
    await tail()
    feed.served = []
    const again = reopen()
    await again.tail()
    expect([lags.length, known(ledger)]).toEqual([0, 23 - 5])
    expect(cursors.read().gap).not.toBeNull()
    await again.runAll()
    await again.tail()
    expect([lags.length, known(ledger)]).toEqual([1, 23])
  })
})

describe('the sweep', () => {
  test('F45: finds a record that is filled in far behind the newest page', async () => {
    const world = setUp(toRows(30))
    const { run, runAll } = toWalk(world)
    await runAll()
    world.feed.rows.splice(25, 0, toRecord({ id: 'late', zoneHash: hash('late'), mainHash: hash('late-m') }))
    for (let tick = 0; tick < 12; tick += 1) await run()
    expect(world.ledger.listTransfers({ hash: hash('late') })).toHaveLength(1)
  })

  test('reads one page a tick, and all of them at once when asked to (semantics 18)', async () => {
    const world = setUp(toRows(10))
    const { walk, run, runAll } = toWalk(world)
    await runAll()
    world.feed.served = []
    await run()
    await run()
    expect(world.feed.served).toEqual([2, 3])
    requestSweep(walk)
    await run()
    expect(world.feed.served.slice(2)).toEqual([1, 2, 3, 4])
    expect(world.cursors.read().sweep).toMatchObject({ page: 1, finishedAt: expect.any(Number) })
  })

  test('says nothing of what a pass did not show that began before the start, and does of the next', async () => {
    const world = setUp(toRows(20))
    const before = toWalk(world)
    await before.runAll()
    await before.run()
    const { walk, run } = toWalk(world)
    const endPass = async () => {
      do await run()
      while (world.cursors.read().sweep.page > 1)
    }
    expect(world.cursors.read().sweep.page).toBeGreaterThan(1)
    await endPass()
    expect(walk.unscanned).toBeNull()
    await endPass()
    expect(walk.unscanned).not.toBeNull()
  })
})

describe.each([
  ['ahead', 10_000_000],
  ['right', 100_000],
  ['behind', 50_000],
])('semantics.md 42: where our clock is %s of the records, or quiet for long', (_, startedAt) => {
  const readTail = (world: ReturnType<typeof setUp>, walk: Walk) => createTransfersPoll(world, walk)(noSignal)

  test('the sweep goes back as far as it is meant to, from the newest record on', async () => {
    const poll = { ...plainConfig.poll, sweepMs: 20_000 }
    const world = setUp(toRows(100), { start: startedAt, config: { poll } })
    const { walk, run, runAll } = toWalk(world)
    await readTail(world, walk)
    await runAll()
    const swept = () => walk.unscanned
    walk.unscanned = null
    requestSweep(walk)
    world.feed.served = []
    while (swept() === null) await run()
    const lastPage = world.feed.served.at(-1) ?? 0
    expect(lastPage).toBeGreaterThanOrEqual(8)
    expect(swept()?.from).toBeLessThanOrEqual(80_000)
    expect(world.list.sweptAt).toBe(swept()?.until)
  })

  test('what lies behind a gap is read', async () => {
    const world = setUp(toRows(3), { start: startedAt })
    const { walk, runAll } = toWalk(world)
    await readTail(world, walk)
    await runAll()
    world.feed.rows = toRows(100)
    await readTail(world, walk)
    await runAll()
    expect(known(world.ledger)).toBe(100)
  })
})
