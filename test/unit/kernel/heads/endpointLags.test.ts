import { expect, test } from 'vitest'
import { createEndpointLags } from '../../../../src/kernel/heads/endpointLags.ts'

const e13 = { endpoint: 'E13', list: '' }
const second = 1_000
/** By which nothing is ahead. */
const late = { now: () => 1_000_000_000 }
const happened = (height: number) => ({ hash: `0x${height}`, height, time: height * second })

/** Transactions of these heights happened, and an endpoint was asked at a second and showed all up to a height. */
function play(heights: readonly number[], reading: { newest: number | null; to: number; at: number } | null) {
  const lags = createEndpointLags(late)
  for (const height of heights) lags.noteHappened(e13, happened(height))
  if (reading) lags.noteRead(e13, { ...reading, at: reading.at * second })
  return lags.list()
}

test('an endpoint lags that shows nothing as new as three transactions of others', () => {
  expect(play([12, 10, 11], { newest: 9, to: 1_000, at: 200 })).toEqual([
    { ...e13, since: 10 * second, lagMs: 190 * second, hashes: ['0x10', '0x11', '0x12'] },
  ])
})

test.each([
  ['two lack, which may have a reason of their own', [10, 11], { newest: 9, to: 1_000, at: 200 }],
  ['it shows the newest of them, whatever it leaves out', [10, 11, 12], { newest: 12, to: 1_000, at: 200 }],
  ['it was not asked so far', [10, 11, 12], { newest: 9, to: 11, at: 200 }],
  ['it was never asked', [10, 11, 12], null],
])('it does not where %s', (_, heights, reading) => {
  expect(play(heights, reading)).toEqual([])
})

test('it lags no more once it shows something newer, and no further than what it still lacks', () => {
  const lags = createEndpointLags(late)
  for (const height of [10, 11, 12, 13]) lags.noteHappened(e13, happened(height))
  lags.noteRead(e13, { newest: 10, to: 1_000, at: 200 * second })
  expect(lags.list().map(({ since }) => since)).toEqual([11 * second])
  lags.noteRead(e13, { newest: 13, to: 1_000, at: 230 * second })
  lags.noteHappened(e13, happened(12))
  expect(lags.list()).toEqual([])
})

test('an answer that would not have shown what lacks says nothing of how long that lacks', () => {
  const lags = createEndpointLags(late)
  for (const height of [10, 11, 12]) lags.noteHappened(e13, happened(height))
  lags.noteRead(e13, { newest: 9, to: 1_000, at: 20 * second })
  lags.noteRead(e13, { newest: 9, to: 1_000, at: null })
  expect(lags.list().map(({ lagMs }) => lagMs)).toEqual([10 * second])
  expect([9, 11, 500].map((at) => lags.newestLack(e13, at * second))).toEqual([null, '0x11', '0x12'])
})

test('a clock that was set back, and numbers of requests that go on from before, make nobody lag', () => {
  const clock = { at: 3_600 * second }
  const lags = createEndpointLags({ now: () => clock.at })
  lags.noteRead(e13, { newest: 9, to: 1_000, at: 3_600 * second })
  clock.at = 20 * second
  for (const height of [10, 11, 12]) lags.noteHappened(e13, happened(height))
  const lag = () => lags.list().map(({ lagMs }) => lagMs)
  lags.noteRead(e13, { newest: 9, to: 1_000, at: 3_601 * second })
  expect(lag()).toEqual([10 * second])
  lags.noteRead(e13, { newest: 9, to: 1_000, at: 21 * second })
  expect(lag()).toEqual([10 * second])
})
