import { expect, test } from 'vitest'
import { canonicalByExplorer } from '../../../../src/checks/preconf/canonicalByExplorer.ts'
import { createRpc } from '../../../../src/clients/rpc/createRpc.ts'
import type { Explorer } from '../../../../src/clients/explorer/createExplorer.ts'
import { hash } from '../../../support/records.ts'
import { createTestKernel, noSignal } from '../support.ts'

type Walk = Explorer['walk']

/** E7 over blocks of which some hold a transaction, and which may be throttled and look empty. */
function setUp(held: readonly number[]) {
  const world = { held: new Set(held), isThrottled: false }
  const asked: string[] = []
  const { clock, db } = createTestKernel({ start: 1_000_000 })
  const walk: Walk = async (_endpoint, params, how) => {
    const { startBlockHeight: first, endBlockHeight: last } = params as Record<string, number>
    asked.push(`${first} to ${last}`)
    const heights = world.isThrottled
      ? []
      : [...world.held].filter((at) => at >= Number(first) && at <= Number(last))
    const rows = heights.map((height) => ({
      hash: hash(`in ${height}`),
      height,
      time: null,
      state: 'success',
    }))
    await how.onNew?.(rows as never, {} as never)
    return { stopped: false, reasons: [], pages: 1, rows: rows.length } as never
  }
  const explorer = { walk, call: () => Promise.reject(new Error('E7 has pages')) }
  const rpc = { ...createRpc({ source: 'preconf', url: 'http://127.0.0.1:9', clock }) }
  const source = canonicalByExplorer({ clock, db, explorer, rpc: { ...rpc, callMany: async () => [] } })
  const read = async (...heights: number[]) => {
    const reading = source.blocks(heights, noSignal)
    await clock.advance(2_000)
    return [...(await reading)].map(([height, { transactions }]) => `${height}: ${transactions.size}`)
  }
  return { world, asked, read }
}

test('a range of which everything is gone is empty where a block that was shown before is shown beside it', async () => {
  const { read } = setUp([10, 40])
  expect(await read(10, 11)).toEqual(['10: 1', '11: 0'])
  expect(await read(20, 21)).toEqual(['20: 0', '21: 0'])
  expect(await read(40, 41)).toEqual(['40: 1', '41: 0'])
})

test('nothing is said of an empty range while nothing known is shown either, or is near', async () => {
  const { world, read, asked } = setUp([10])
  await expect(read(20)).rejects.toThrow('E7: empty for a range of finished blocks')
  await read(10)
  await expect(read(2_000)).rejects.toThrow('E7: empty')
  expect(asked.at(-1)).toBe('2000 to 2000')
  world.isThrottled = true
  await expect(read(20)).rejects.toThrow('E7: empty')
  expect(asked.at(-1)).toBe('10 to 20')
})
