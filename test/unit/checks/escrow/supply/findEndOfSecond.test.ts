import { describe, expect, test } from 'vitest'
import { findEndOfSecond } from '../../../../../src/checks/escrow/supply/findEndOfSecond.ts'

/** Blocks so many ms apart, from the first instant of second 0 on. */
async function find(blockMs: number, height: number) {
  const asked: number[] = []
  const found = await findEndOfSecond(async (one) => {
    asked.push(one)
    return Math.floor((one * blockMs) / 1_000)
  }, height)
  return { found, requests: asked.length }
}

describe('the last block of a second', () => {
  test.each([
    [2_000, 7, { height: 6, time: 12 }, 2],
    [1_000, 7, { height: 6, time: 6 }, 2],
    [100, 347, { height: 339, time: 33 }, 8],
    [100, 340, { height: 339, time: 33 }, 2],
    [100, 349, { height: 339, time: 33 }, 8],
  ])('of blocks %i ms apart, below block %i, is found', async (blockMs, height, found, requests) => {
    expect(await find(blockMs, height)).toEqual({ found, requests })
  })

  test('is not known where there is no earlier second, or a block has no time', async () => {
    expect((await find(100, 9)).found).toBeNull()
    expect(await findEndOfSecond(async (one) => (one === 8 ? 5 : null), 8)).toBeNull()
    expect(await findEndOfSecond(async () => null, 8)).toBeNull()
  })
})
