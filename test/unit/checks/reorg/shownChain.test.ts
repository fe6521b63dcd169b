import { describe, expect, test } from 'vitest'
import {
  addBlock,
  contradicts,
  createShownChain,
  keptHeights,
  leavesHole,
  replaceBlocks,
} from '../../../../src/checks/reorg/shownChain.ts'

/** A block of a chain that forked off, by its letter, above a height. */
const block = (height: number, fork = '', above = Infinity) => ({
  height,
  hash: height > above ? `${height}${fork}` : `${height}`,
  parentHash: height - 1 > above ? `${height - 1}${fork}` : `${height - 1}`,
})

function show(...heights: readonly number[]) {
  const chain = createShownChain()
  for (const height of heights) addBlock(chain, block(height))
  return chain
}

describe('a block', () => {
  test.each([
    { title: 'that stands on the tip contradicts nothing', given: block(11), is: false },
    { title: 'that was shown before contradicts nothing', given: block(9), is: false },
    { title: 'with another parent contradicts', given: block(11, 'b', 9), is: true },
    { title: 'with another hash at its height contradicts', given: block(10, 'b', 9), is: true },
    {
      title: 'of which no parent is told, above the tip, contradicts nothing',
      given: { height: 11, hash: '11b', parentHash: null },
      is: false,
    },
  ])('$title', ({ given, is }) => {
    expect(contradicts(show(8, 9, 10), given)).toBe(is)
  })

  test('leaves a hole when what it stands on was not shown', () => {
    expect(leavesHole(show(10), block(11))).toBe(false)
    expect(leavesHole(show(10), block(12))).toBe(true)
    expect(leavesHole(show(), block(12))).toBe(false)
  })
})

describe('what was replaced', () => {
  test.each([1, 2, 3, 4, 30])('by a chain that forked %i blocks ago is counted exactly', async (depth) => {
    const chain = show(...Array.from({ length: 60 }, (_, n) => 40 + n))
    const above = 99 - depth
    const asked: number[] = []
    const reorg = await replaceBlocks(chain, block(100, 'b', above), (height) => {
      asked.push(height)
      return Promise.resolve(block(height, 'b', above))
    })
    expect(reorg).toEqual({
      depth,
      depthAtMost: depth,
      fromHeight: above + 1,
      toHeight: 99,
      before: `${above + 1}`,
      after: `${above + 1}b`,
    })
    expect(asked.length).toBeLessThanOrEqual(depth)
    expect(contradicts(chain, block(99, 'b', above))).toBe(false)
    expect(chain.tip).toBe(100)
  })

  test('where blocks in between were not read is at least what is known, and at most what may be', async () => {
    const chain = show(80, 90)
    const reorg = await replaceBlocks(chain, block(90, 'b', 84), (height) =>
      Promise.resolve(block(height, 'b', 84)),
    )
    expect(reorg).toMatchObject({ depth: 2, depthAtMost: 10, fromHeight: 89, toHeight: 90 })
  })

  test('beyond what is remembered has no upper bound', async () => {
    const chain = show(88, 89, 90)
    const reorg = await replaceBlocks(chain, block(91, 'b', 10), (height) =>
      Promise.resolve(block(height, 'b', 10)),
    )
    expect(reorg).toMatchObject({ depth: 4, depthAtMost: null, fromHeight: 87 })
  })

  test('that cannot be read leaves what was shown as it was', async () => {
    const chain = show(88, 89, 90)
    const before = [...chain.hashes]
    const reading = replaceBlocks(chain, block(91, 'b', 80), () => Promise.reject(new Error('silent')))
    await expect(reading).rejects.toThrow('silent')
    expect([...chain.hashes]).toEqual(before)
  })
})

test('the newest heights are remembered, and no more', () => {
  const chain = createShownChain()
  for (let height = 0; height < 3 * keptHeights; height += 1) addBlock(chain, block(height))
  expect(chain.hashes.size).toBe(keptHeights)
  expect(chain.hashes.has(3 * keptHeights - 1)).toBe(true)
})
