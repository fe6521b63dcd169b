import { expect, test } from 'vitest'
import { createStateWatch } from '../../../../src/checks/monitor/stateNotPersisted.ts'

function setUp() {
  const disk = { hasRoom: true, isInPlace: true, isUnsaved: false, looks: 0, errors: 0 }
  const watch = createStateWatch({
    diskErrors: () => ({ count: disk.errors, last: 'disk I/O error' }),
    ballast: { hold: () => disk.hasRoom, free: () => false },
    isUnsaved: () => disk.isUnsaved,
    isInPlace: () => {
      disk.looks += 1
      return disk.isInPlace
    },
  })
  return { disk, watch }
}

test('F16: while the reserve cannot be taken back the state folder is told to be full, since then', () => {
  const { disk, watch } = setUp()
  expect(watch(0)).toEqual([])
  disk.hasRoom = false
  expect(watch(9_999)).toEqual([])
  expect(disk.looks).toBe(1)
  expect(watch(10_000)).toMatchObject([
    {
      kind: 'monitor.state_not_persisted',
      since: 10_000,
      facts: { error: expect.stringContaining('disk is full') },
    },
  ])
  expect(watch(25_000).map(({ since }) => since)).toEqual([10_000])
  disk.hasRoom = true
  expect(watch(35_000)).toEqual([])
})

test('F17: a folder that was removed while it was in use is told as that, whatever room there is', () => {
  const { disk, watch } = setUp()
  disk.isInPlace = false
  disk.hasRoom = false
  expect(watch(0).map(({ facts }) => facts['error'])).toEqual([
    expect.stringMatching(/^it was removed or replaced/),
  ])
  disk.isInPlace = true
  disk.hasRoom = true
  expect(watch(10_000)).toEqual([])
})

test('F17: a write that was refused because the folder is gone is told as that at once, not as a disk that refuses', () => {
  const { disk, watch } = setUp()
  expect(watch(0)).toEqual([])
  disk.isInPlace = false
  disk.errors = 1
  expect(watch(1_000).map(({ facts }) => facts['error'])).toEqual([
    expect.stringMatching(/^it was removed or replaced/),
  ])
})

test('a disk that refuses now and then is told at the first refusal, until none came for a minute', () => {
  const { disk, watch } = setUp()
  expect(watch(0)).toEqual([])
  disk.errors = 1
  expect(watch(1_000).map(({ facts }) => facts['error'])).toEqual(['its disk refused: disk I/O error'])
  disk.errors = 2
  expect(watch(30_000).map(({ since }) => since)).toEqual([1_000])
  expect(watch(89_999)).toHaveLength(1)
  expect(watch(90_000)).toEqual([])
})
