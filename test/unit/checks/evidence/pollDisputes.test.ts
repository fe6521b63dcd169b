import { expect, test } from 'vitest'
import { createDisputesPoll } from '../../../../src/checks/evidence/pollDisputes.ts'
import { completed } from '../../rules/transfers.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'

test('a dispute is asked about after a minute and then at ever longer intervals, until it is over', async () => {
  const clock = createSteppedClock({ isManual: true })
  const toldAt = clock.now()
  const asked: number[] = []
  let isOpen = true
  const run = createDisputesPoll({
    clock,
    listDisputes: () => (isOpen ? [{ key: 't1', toldAt }] : []),
    getTransfer: () => completed(),
    askAgain: () => asked.push((clock.now() - toldAt) / 1_000),
  })
  for (let second = 0; second < 1_000; second += 10) {
    await run()
    await clock.advance(10_000)
  }
  expect(asked).toEqual([60, 120, 240, 480, 960])
  isOpen = false
  await clock.advance(3_600_000)
  await run()
  expect(asked).toHaveLength(5)
})
