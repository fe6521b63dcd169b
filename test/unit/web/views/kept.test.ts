import { expect, test } from 'vitest'
import { forgetFailed, nothingKept, readKept } from '../../../../src/web/views/kept.ts'

test('what takes its time is read once for all who ask meanwhile, and again when it came to nothing', async () => {
  const kept = nothingKept<Promise<number>>(1_000)
  let reads = 0
  const read = (at: number) =>
    readKept(kept, at, () => {
      reads += 1
      return forgetFailed(kept, reads === 1 ? Promise.reject(new Error('locked')) : Promise.resolve(reads))
    })
  const both = await Promise.allSettled([read(0), read(1)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(reads).toBe(1)
  expect(await Promise.all([read(2), read(3)])).toEqual([2, 2])
  expect(await read(1_002)).toBe(3)
})
