import { expect, test } from 'vitest'
import { restAfter } from '../../../../src/checks/evidence/restAfter.ts'

test('what is long over takes at most a tenth of the time, and never a turn of the loop right after another', () => {
  for (const heldMs of [0, 1, 20, 250]) {
    const pauseMs = restAfter(heldMs)
    expect(heldMs / (heldMs + pauseMs)).toBeLessThanOrEqual(0.1)
    expect(pauseMs).toBeGreaterThanOrEqual(50)
  }
})
