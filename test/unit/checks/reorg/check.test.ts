import { expect, test } from 'vitest'
import { reorg } from '../../../../src/checks/reorg/check.ts'
import { createTestKernel } from '../support.ts'

test('a full disk does not keep the monitor from stopping', async () => {
  const commit = () => {
    throw new Error('database or disk is full')
  }
  const open = reorg.open({ ...createTestKernel(), commit })
  await expect(open.stop?.()).resolves.toBeUndefined()
})

test('no depth is asked for that is more than what is remembered', () => {
  const [kind] = reorg.kinds
  expect(kind?.params.safeParse({ depth: 0 }).success).toBe(true)
  expect(kind?.params.safeParse({ depth: 250 }).success).toBe(true)
  expect(kind?.params.safeParse({ depth: 300 }).success).toBe(false)
})
