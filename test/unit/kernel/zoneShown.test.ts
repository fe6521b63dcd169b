import { expect, test } from 'vitest'
import { recordHead } from '../../../src/kernel/heads/heads.ts'
import { createTestKernel } from '../checks/support.ts'

const minute = 60_000

test('semantics.md 41: the zone is shown as far as its transactions are, where these are behind its blocks, for as long as that was seen a minute ago at most', async () => {
  const { clock, db, horizons } = createTestKernel({ start: 100 * minute })
  const start = clock.now()
  const read = () => {
    recordHead(db, 'zone', { height: clock.now() / 100, blockTime: clock.now(), at: clock.now() })
    return (horizons.read().zone ?? 0) - clock.now()
  }
  expect(read()).toBe(0)
  horizons.noteZoneShown(start - 3 * minute)
  expect(read()).toBe(-3 * minute)
  await clock.advance(minute / 2)
  expect(read()).toBe(-3.5 * minute)
  await clock.advance(minute / 2)
  expect(read()).toBe(0)
  horizons.noteZoneShown(start)
  horizons.noteZoneShown(null)
  expect(read()).toBe(0)
})
