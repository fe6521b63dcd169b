import { expect, test } from 'vitest'
import { wantsRoom } from '../../../src/daemon/giveRoom.ts'

const megabyte = 1024 * 1024

test.each([
  { title: 'a process that watches keeps to little', share: 0.5, bytes: megabyte, expected: false },
  { title: 'one that is busy gets more', share: 0.51, bytes: megabyte, expected: true },
  { title: 'up to a bound', share: 1, bytes: 8 * megabyte, expected: false },
  { title: 'and not before it', share: 1, bytes: 8 * megabyte - 1, expected: true },
])('$title', ({ share, bytes, expected }) => {
  expect(wantsRoom({ share, bytes })).toBe(expected)
})
