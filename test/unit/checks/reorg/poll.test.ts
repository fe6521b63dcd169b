import { describe, expect, test } from 'vitest'
import { compareBlocks, noteBlock, type Watched } from '../../../../src/checks/reorg/poll.ts'
import { createShownChain } from '../../../../src/checks/reorg/shownChain.ts'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { readBook } from '../../../../src/checks/reorg/store.ts'
import type { MainBlock } from '../../../../src/kernel/reads/mainBlocks.ts'
import type { ExplorerReads } from '../../../../src/kernel/reads/reads.ts'
import type { Rpcs } from '../../../../src/kernel/rpcs.ts'
import { listQueued } from '../../../../src/ledger/evidence/evidenceQueue.ts'
import { hash, toMove, toRecord } from '../../../support/records.ts'
import { createTestKernel, noSignal } from '../support.ts'

/** Blocks of a chain that forked off, by its letter, above a height. */
const toHash = (height: number, fork = '', above = Infinity) =>
  height > above ? `${height}${fork}` : `${height}`

function toBlock(source: MainBlock['source'], height: number, fork = '', above = Infinity): MainBlock {
  const parentHash = source === 'explorer' ? null : toHash(height - 1, fork, above)
  return { source, height, hash: toHash(height, fork, above), parentHash }
}

type Answer = (height: number) => string | null

/** The hash of each height as the source says it when it is asked; null where it answers with nothing. */
function setUp(source: 'canonical' | 'explorer', answer: Answer, parentOf: Answer = () => null) {
  const call = async (_method: string, [height]: [number]) => {
    const hash = answer(height)
    return hash === null ? null : { number: height, hash, parentHash: parentOf(height) }
  }
  const reads = {
    mainBlock: async (height: number) => {
      const hash = answer(height)
      return hash === null ? 'unknown' : { height, hash, blockTime: null, requestedAt: 0 }
    },
  } as unknown as ExplorerReads
  const rpcs = { canonical: { call }, preconf: null } as unknown as Rpcs
  const kernel = createTestKernel({ reads, rpcs })
  const watched: Watched = { source, fillsHoles: false, chain: createShownChain(), queue: [], ahead: null }
  const book = readBook(kernel.db)
  const show = async (...blocks: readonly MainBlock[]) => {
    for (const block of blocks) noteBlock(watched, block)
    await compareBlocks(kernel, watched, book, noSignal)
  }
  return { book, kernel, show, watched }
}

const grow = (source: MainBlock['source'], from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => toBlock(source, from + n))

describe('blocks that contradict what was shown', () => {
  test('are told again when what was found could not be saved', async () => {
    const { book, kernel, show, watched } = setUp('canonical', (height) => toHash(height, 'b', 94))
    await show(...grow('canonical', 90, 100))
    const full = {
      ...kernel,
      commit: () => {
        throw new Error('disk full')
      },
    }
    noteBlock(watched, toBlock('canonical', 101, 'b', 94))
    await expect(compareBlocks(full, watched, book, noSignal)).rejects.toThrow('disk full')
    expect(book.reorgs).toEqual([])
    await show()
    expect(book.reorgs).toMatchObject([{ depth: 6, fromHeight: 95 }])
    expect(kernel.told).toMatchObject([{ kind: 'chain.reorg', facts: { depth: 6 } }])
    expect(readBook(kernel.db).chains['canonical']).toContainEqual([95, '95b'])
  })

  test('replace nothing where a node fell behind on a block that the chain left', async () => {
    const { book, show } = setUp('canonical', toHash)
    await show(...grow('canonical', 90, 100), toBlock('canonical', 95, 'b', 94), toBlock('canonical', 101))
    expect(book.reorgs).toEqual([])
  })

  test('replace what a shorter chain does not have any more', async () => {
    const { book, show } = setUp('canonical', (height) => (height > 95 ? null : toHash(height, 'b', 94)))
    await show(...grow('canonical', 90, 100), toBlock('canonical', 95, 'b', 94))
    expect(book.reorgs).toMatchObject([{ depth: 6, fromHeight: 95, toHeight: 100 }])
  })

  test('are followed below a block that cannot be read', async () => {
    const { book, show } = setUp('canonical', (height) => (height === 98 ? null : toHash(height, 'b', 94)))
    await show(...grow('canonical', 90, 100), toBlock('canonical', 101, 'b', 94))
    expect(book.reorgs).toMatchObject([{ depth: 6, depthAtMost: 6, fromHeight: 95 }])
  })

  test('are remembered up to a bound, however often a source changes its mind', async () => {
    const { book, show } = setUp('canonical', toHash)
    for (let n = 0; n < 120; n += 1) await show(toBlock('canonical', 100, n % 2 === 0 ? 'a' : 'b', 99))
    expect(book.counts).toEqual({ canonical: 119 })
    expect(book.reorgs).toHaveLength(50)
  })
})

test.each([
  { who: 'records', hasHeights: true },
  { who: 'their evidence alone', hasHeights: false },
])(
  'blocks that were replaced have their transfers asked for again, by heights of $who: nothing else would tell that they are gone',
  async ({ hasHeights }) => {
    const { kernel, show } = setUp('canonical', (height) => toHash(height, 'b', 94))
    const { clock, db, ledger, triggered } = kernel
    const now = clock.now()
    const heightOf = ({ mainTime }: Pick<Observation, 'mainTime'>) => 100 - (now - (mainTime ?? 0)) / 1_000
    const records = (['MainToZone', 'ZoneToMain'] as const).flatMap((direction) =>
      Array.from({ length: 60 }, (_, n) => {
        const height = n < 55 ? 95 : 94
        const name = `${n} ${direction}`
        const times = { mainTime: now - (100 - height) * 1_000, zoneTime: now - 5_500 }
        return toRecord({
          direction,
          id: name,
          mainHash: hash(`m${name}`),
          mainHeight: hasHeights ? height : null,
          ...times,
          zoneHash: hash(`z${name}`),
        })
      }),
    )
    ledger.recordAnswer(records, now)
    ledger.recordEvidence(
      records.map((record) => ({
        chain: 'main',
        hash: record.mainHash ?? '',
        height: heightOf(record),
        source: 'E13',
        requestedAt: now,
        status: 'success',
        errorMessage: '',
        moves: [toMove(record)],
      })),
      now,
    )
    db.prepare('DELETE FROM evidence_queue').run()
    await show(...grow('canonical', 90, 100), toBlock('canonical', 101, 'b', 94))
    const asked = listQueued(db, 'main', false, clock.now(), 999).map((leg) => leg.hash)
    const replaced = records.filter((record) => heightOf(record) === 95).map(({ mainHash }) => mainHash)
    expect(asked).toHaveLength(replaced.length)
    expect(new Set(asked)).toEqual(new Set(replaced))
    expect(triggered).toContain('evidence')
  },
)

describe('the explorer, which does not say what a block stands on', () => {
  const setUpFork = () => {
    let answer: Answer = toHash
    const world = setUp('explorer', (height) => answer(height))
    const fork = (given: Answer) => {
      answer = given
    }
    return { ...world, fork }
  }
  const showOneByOne = async ({ show }: ReturnType<typeof setUpFork>) => {
    for (const block of grow('explorer', 90, 100)) await show(block)
  }

  test('is asked for the newest block once more, also where the next one follows it', async () => {
    const world = setUpFork()
    await showOneByOne(world)
    world.fork((height) => toHash(height, 'b', 94))
    await world.show(toBlock('explorer', 101, 'b', 94))
    expect(world.book.reorgs).toMatchObject([{ depth: 6, depthAtMost: 6, fromHeight: 95 }])
  })

  test('says nothing by an empty answer', async () => {
    const world = setUpFork()
    await showOneByOne(world)
    world.fork((height) => (height === 99 ? null : toHash(height, 'b', 94)))
    await world.show(toBlock('explorer', 101, 'b', 94))
    expect(world.book.reorgs).toMatchObject([{ depth: 6, depthAtMost: 6, fromHeight: 95 }])
  })
})

test('an honest reorganisation of two blocks that is read at every tenth block has a depth of two', async () => {
  const world = setUp(
    'canonical',
    (height) => toHash(height, 'b', asked.above),
    (height) => toHash(height - 1, 'b', asked.above),
  )
  const asked = { above: Infinity }
  const watched = { ...world.watched, fillsHoles: true }
  const show = async (height: number) => {
    noteBlock(watched, toBlock('canonical', height, 'b', asked.above))
    await compareBlocks(world.kernel, watched, world.book, noSignal)
  }
  for (const height of [70, 80, 90, 100]) await show(height)
  asked.above = 98
  await show(110)
  expect(world.book.reorgs).toMatchObject([{ depth: 2, depthAtMost: 2, fromHeight: 99, toHeight: 100 }])
})

test('a height that no chain can have by now is passed over, until another one agrees', async () => {
  const { book, show, watched } = setUp('canonical', (height) => toHash(height, 'b', 99))
  await show(...grow('canonical', 95, 100), toBlock('canonical', 9e15))
  await show(toBlock('canonical', 101, 'b', 99))
  expect(book.reorgs).toMatchObject([{ depth: 1, toHeight: 100 }])
  await show(toBlock('canonical', 500_000), toBlock('canonical', 500_001))
  expect(watched.chain.tip).toBe(500_001)
})
