import { fc } from '../../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { createHeadsPoll, gallop } from '../../../../src/checks/chains/poll.ts'
import type { ExplorerReads } from '../../../../src/kernel/reads.ts'

const chain =
  (head: number, asked: number[] = []) =>
  async (height: number) => {
    asked.push(height)
    return height <= head ? { height, blockTime: height, requestedAt: 0 } : ('beyond' as const)
  }

describe('gallop', () => {
  test('finds the head from any known height with any first guess', async () => {
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
  const poll = async (heights: { head: number; before: number | null; named: number | null }) => {
    const heads: number[] = []
    const asked: number[] = []
    const run = createHeadsPoll({
      reads: {
        zoneHead: async () => null,
        mainBlock: chain(heights.head, asked),
      } as unknown as ExplorerReads,
      commit: (of) => heads.push(...(of.heads ?? []).map(({ height }) => height)) as never,
      readMainHeight: () => heights.before,
      namedMainHeight: () => heights.named,
    })
    await run(new AbortController().signal)
    return { heads, requests: asked.length }
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
    expect((await poll(heights)).heads).toEqual([120])
  })

  test('F47: a head that went back is found below, and what lies between is not asked for', async () => {
    const { heads, requests } = await poll({ head: 90_000, before: 100_000, named: 100_000 })
    expect(heads).toEqual([90_000])
    expect(requests).toBeLessThan(50)
  })

  test('F47: empty answers say nothing of a head', async () => {
    const heads: number[] = []
    await createHeadsPoll({
      reads: { zoneHead: async () => null, mainBlock: async () => 'unknown' } as unknown as ExplorerReads,
      commit: (of) => heads.push(...(of.heads ?? []).map(({ height }) => height)) as never,
      readMainHeight: () => 100,
      namedMainHeight: () => 100,
    })(new AbortController().signal)
    expect(heads).toEqual([])
  })

  test('asks little more when a record is one block ahead of the explorer', async () => {
    expect(await poll({ head: 110, before: 110, named: 111 })).toEqual({ heads: [110], requests: 4 })
  })

  test('reads nothing before any height is known', async () => {
    expect(await poll({ head: 110, before: null, named: null })).toEqual({ heads: [], requests: 0 })
  })
})
