import { expect, test } from 'vitest'
import { nothingRenewed, readRenewed } from '../../../../src/web/views/kept.ts'

/** Kept for 1 s, shown for 10 s; each reading waits to be ended. */
function setUp() {
  const kept = nothingRenewed<number>(1_000, 10_000)
  const readings: PromiseWithResolvers<number>[] = []
  const read = (at: number) =>
    readRenewed(kept, at, () => {
      const reading = Promise.withResolvers<number>()
      readings.push(reading)
      return reading.promise
    })
  const end = async (value: number) => {
    readings.at(-1)?.resolve(value)
    await read(0)
  }
  return { kept, readings, read, end }
}

test('what takes its time is read once for all who ask meanwhile, and again when it came to nothing', async () => {
  const { readings, read } = setUp()
  const both = Promise.allSettled([read(0), read(1)])
  expect(readings).toHaveLength(1)
  readings[0]?.reject(new Error('locked'))
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const again = read(2)
  readings[1]?.resolve(2)
  expect([await again, await read(3)]).toEqual([2, 2])
})

test('one that is old is shown at once while the next is read, once', async () => {
  const { readings, read, end } = setUp()
  const first = read(0)
  await end(1)
  expect(await first).toBe(1)
  expect(await read(999)).toBe(1)
  expect(readings).toHaveLength(1)
  expect([await read(1_000), await read(5_000)]).toEqual([1, 1])
  expect(readings).toHaveLength(2)
  await end(2)
  expect(await read(1_999)).toBe(2)
  expect(readings).toHaveLength(2)
})

test('one that is too old is waited for', async () => {
  const { readings, read, end } = setUp()
  const first = read(0)
  await end(1)
  await first
  const late = read(10_000)
  expect(readings).toHaveLength(2)
  readings[1]?.resolve(2)
  expect(await late).toBe(2)
})

test('what was forgotten while the next was read is read anew', async () => {
  const { kept, readings, read, end } = setUp()
  const first = read(0)
  await end(1)
  await first
  await read(1_000)
  kept.now = null
  readings[1]?.resolve(2)
  const after = read(1_001)
  readings[2]?.resolve(3)
  expect(await after).toBe(3)
  expect(await read(1_002)).toBe(3)
})

test('where the next comes to nothing the old one is shown until it is too old', async () => {
  const { readings, read, end } = setUp()
  const first = read(0)
  await end(1)
  await first
  await read(1_000)
  readings[1]?.reject(new Error('locked'))
  expect(await read(2_000)).toBe(1)
  const late = read(12_000)
  readings.at(-1)?.reject(new Error('locked'))
  await expect(late).rejects.toThrow('locked')
})
