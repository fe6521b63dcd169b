import { fc } from '../../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { createHeadsPoll, gallop } from '../../../../src/checks/chains/check.ts'
import { listHeads, readHeight, recordHead } from '../../../../src/kernel/heads/heads.ts'
import type { ExplorerReads } from '../../../../src/kernel/reads/reads.ts'
import { trackHeight } from '../../../../src/kernel/heads/trackHead.ts'
import { toRecord } from '../../../support/records.ts'
import { createTestKernel, noSignal } from '../support.ts'

const chain =
  (head: number, asked: number[] = []) =>
  async (height: number) => {
    asked.push(height)
    return height <= head ? { height, blockTime: height, requestedAt: 0 } : ('beyond' as const)
  }

describe('gallop', () => {
  test('finds the head from any known height with any first guess (semantics 20)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(5_000),
        fc.nat(5_000),
        fc.integer({ min: 1, max: 300 }),
        async (known, ahead, guess) => {
          expect(await gallop(chain(known + ahead), known, guess)).toMatchObject({ height: known + ahead })
        },
      ),
    )
  })

  test('asks twice when the guess was right', async () => {
    const asked: number[] = []
    await gallop(chain(110, asked), 100, 10)
    expect(asked).toEqual([110, 111])
  })

  test('reads the known block again when nothing lies beyond, so that standing still is seen and not supposed', async () => {
    expect(await gallop(chain(100), 100, 4)).toMatchObject({ height: 100 })
  })

  test('says nothing when not even the known block answers', async () => {
    expect(await gallop(async () => 'unknown', 100, 4)).toBeNull()
  })
})

describe('createHeadsPoll', () => {
  /** The poll over a main chain, after what was read of it and what a record names. */
  async function open(
    mainBlock: ExplorerReads['mainBlock'],
    { before, named, ofNode }: { before: number | null; named: number | null; ofNode?: number },
  ) {
    const reads = { zoneHead: async () => null, mainBlock } as unknown as ExplorerReads
    const kernel = createTestKernel({ reads, isManual: true })
    const { clock, db, ledger } = kernel
    if (before !== null) recordHead(db, 'main', { height: before, blockTime: clock.now(), at: clock.now() })
    if (named !== null) ledger.recordAnswer([toRecord({ mainHeight: named })], clock.now())
    if (ofNode !== undefined) kernel.nodeHeads.main = trackHeight(null, ofNode, clock.now())
    await clock.advance(1_000)
    const run = createHeadsPoll(kernel, 10_000)
    return { list: kernel.list, clock, db, run: () => run(noSignal), head: () => readHeight(db, 'main') }
  }

  async function poll(heights: {
    head: number
    before: number | null
    named: number | null
    ofNode?: number
  }) {
    const asked: number[] = []
    const read = chain(heights.head, asked)
    const world = await open(async (height) => {
      const block = await read(height)
      return block === 'beyond' ? block : { ...block, requestedAt: world.clock.now() }
    }, heights)
    await world.run()
    return { ...world, requests: asked.length }
  }

  test.each([
    { title: 'goes up from a height that a record names', heights: { head: 120, before: 90, named: 110 } },
    {
      title: 'finds a head below what a record invents',
      heights: { head: 120, before: 90, named: 10 ** 12 },
    },
    {
      title: 'finds a first head below what a record invents',
      heights: { head: 120, before: null, named: 5_000 },
    },
  ])('$title', async ({ heights }) => {
    expect((await poll(heights)).head()).toBe(120)
  })

  test('F47: a head that went back is found below, and what lies between is not asked for', async () => {
    const { clock, run, head, requests } = await poll({ head: 90_000, before: 100_000, named: 100_000 })
    expect(requests).toBeLessThan(50)
    await clock.advance(29_000)
    await run()
    expect(head()).toBe(90_000)
  })

  test('F47: empty answers say nothing of a head', async () => {
    const { db, run } = await open(async () => 'unknown', { before: 100, named: 100 })
    const heads = listHeads(db)
    await run()
    expect(listHeads(db)).toEqual(heads)
  })

  test('F47: an empty answer about the head alone is not taken for one that stands lower', async () => {
    const world = await open(
      async (height) =>
        height < 100
          ? { height, blockTime: 0, requestedAt: world.clock.now() }
          : height > 100
            ? 'beyond'
            : 'unknown',
      { before: 100, named: 100 },
    )
    for (let minute = 0; minute < 2; minute += 1) {
      await world.run()
      await world.clock.advance(60_000)
    }
    expect(world.head()).toBe(100)
  })

  test('asks little more when a record is one block ahead of the explorer', async () => {
    const { clock, db, requests } = await poll({ head: 110, before: 110, named: 111 })
    expect(listHeads(db)).toMatchObject([{ chain: 'main', height: 110, readAt: clock.now() }])
    expect(requests).toBe(4)
  })

  test("begins at the head of the chain's own node, however far the explorer is (semantics 20)", async () => {
    const none = { before: null, named: null }
    expect((await poll({ ...none, head: 20_000_110, ofNode: 20_000_100 })).head()).toBe(20_000_110)
    const behind = await poll({ ...none, head: 20_000_090, ofNode: 20_000_100 })
    expect([behind.head(), behind.requests < 20]).toEqual([20_000_090, true])
  })

  test('reads nothing before any height is known, unless the list was read and names none', async () => {
    const { db, head, list, run, requests } = await poll({ head: 20_000_110, before: null, named: null })
    expect([listHeads(db), requests]).toEqual([[], 0])
    list.readAt = 1
    await run()
    expect(head()).toBe(20_000_110)
  })
})

test("one chain's head is read again while the other's takes long", async () => {
  const slow = Promise.withResolvers<'unknown'>()
  const reads = {
    zoneHead: async () => ({ height: clock.now() / 100, blockTime: clock.now(), requestedAt: clock.now() }),
    mainBlock: () => slow.promise,
  } as unknown as ExplorerReads
  const kernel = createTestKernel({ reads, isManual: true })
  const { clock, db } = kernel
  const zoneTime = () => listHeads(db).find((one) => one.chain === 'zone')?.blockTime
  recordHead(db, 'main', { height: 1, blockTime: clock.now(), at: clock.now() })
  const running = createHeadsPoll(kernel, 10_000)(noSignal)
  const startedAt = clock.now()
  await clock.advance(25_000)
  expect(zoneTime()).toBe(startedAt + 20_000)
  slow.resolve('unknown')
  await running
})
