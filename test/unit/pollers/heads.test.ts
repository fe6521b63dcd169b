import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gallop } from '../../../src/pollers/heads.ts'

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
