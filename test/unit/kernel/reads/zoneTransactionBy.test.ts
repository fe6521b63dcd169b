import { expect, test } from 'vitest'
import { createZoneTransactionBy } from '../../../../src/kernel/reads/zoneTransactionBy.ts'
import { noSignal } from '../../checks/support.ts'

const head = 100_000

/** Zone blocks of 100 ms, of which each so many holds a transaction. */
async function find(every: number, ageMs: number) {
  const pages: number[] = []
  const by = createZoneTransactionBy({
    // Only what is read of an answer.
    callNonEmpty: (async (
      { id }: { id: string },
      { page = 1, height }: { page?: number; height?: number },
    ) => {
      if (id === 'E4')
        return {
          records: [
            { hash: '0x51', actionType: '' },
            { hash: `0x${height}`, actionType: 'order' },
          ],
        }
      pages.push(page)
      const records = Array.from({ length: 100 }, (_, n) => head - (page - 1) * 100 - n).map((at) => ({
        height: at,
        time: at * 100,
        transactionCount: at % every === 0 ? 1 : 0,
      }))
      return { records, totalPage: 1_000, empty: false }
    }) as never,
  })
  const found = await by(head * 100 - ageMs, { priority: 'urgent', signal: noSignal })
  return { found, pages }
}

test.each([
  ['the newest one, where nothing older is wanted', 1, 0, head, [1]],
  ['one of half a minute ago', 1, 30_000, head - 300, [1, 4]],
  ['one before empty blocks', 40, 30_000, head - 320, [1, 4]],
  ['one of the page behind', 1_000 / 8, 30_000, head - 375, [1, 4]],
] as const)('a transaction of the zone by its blocks is %s', async (_, every, ageMs, height, pages) => {
  expect(await find(every, ageMs)).toEqual({
    found: { hash: `0x${height}`, height, time: height * 100 },
    pages,
  })
})

test('where blocks hold none there is none', async () => {
  expect((await find(1_000_000, 30_000)).found).toBeNull()
})
