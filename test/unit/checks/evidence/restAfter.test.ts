import { expect, test } from 'vitest'
import { restAfter } from '../../../../src/checks/evidence/restAfter.ts'

test.each([
  { title: 'a tenth of the time', isListRead: true, share: 0.1 },
  { title: 'a fortieth while the list is still being read', isListRead: false, share: 0.025 },
])('what is long over takes at most $title, and never a turn of the loop right after another', (of) => {
  for (const heldMs of [0, 1, 20, 250]) {
    const pauseMs = restAfter(heldMs, of.isListRead)
    expect(heldMs / (heldMs + pauseMs)).toBeLessThanOrEqual(of.share)
    expect(pauseMs).toBeGreaterThanOrEqual(50)
  }
})
