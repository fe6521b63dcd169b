import { expect, test } from 'vitest'
import { watchLoopLag } from '../../../src/lib/loopLag.ts'

const minute = 60_000

function setUp() {
  const state = { now: 0, heldMs: 20, resets: 0 }
  const lag = watchLoopLag(
    { monotonicMs: () => state.now },
    {
      enable: () => true,
      percentile: () => state.heldMs * 1e6,
      reset: () => void (state.resets += 1),
    },
  )
  return { state, lag }
}

test('a loop that is free lags by nothing: the time between two looks is none', () => {
  const { state, lag } = setUp()
  expect(lag.read()).toBe(0)
  state.heldMs = 26
  expect(lag.read()).toBe(6)
  state.heldMs = NaN
  expect(lag.read()).toBe(0)
})

test('says what was within two minutes, and forgets what was before', () => {
  const { state, lag } = setUp()
  state.heldMs = 5_020
  state.now = minute
  expect(lag.read()).toBe(5_000)
  expect(state.resets).toBe(1)
  state.heldMs = 21
  state.now += minute - 1
  expect(lag.read()).toBe(5_000)
  state.now += 1
  expect(lag.read()).toBe(1)
  expect(lag.read()).toBe(1)
})

test('by the loop of this process', () => {
  const lag = watchLoopLag({ monotonicMs: () => performance.now() })
  expect(lag.read()).toBeGreaterThanOrEqual(0)
})
