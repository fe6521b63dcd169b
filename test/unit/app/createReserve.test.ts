import { expect, test } from 'vitest'
import { createReserve } from '../../../src/app/createReserve.ts'

test('while the reserve cannot be taken back the state folder is told to be full, since then', () => {
  let hasRoom = true
  let asked = 0
  const reserve = createReserve({ ballast: { hold: () => (asked++, hasRoom), free: () => {} } })
  expect(reserve(0)).toEqual([])
  hasRoom = false
  expect(reserve(9_999)).toEqual([])
  expect(asked).toBe(1)
  expect(reserve(10_000).map(({ kind, since }) => [kind, since])).toEqual([
    ['monitor.state_not_persisted', 10_000],
  ])
  expect(reserve(25_000).map(({ since }) => since)).toEqual([10_000])
  hasRoom = true
  expect(reserve(35_000)).toEqual([])
})
