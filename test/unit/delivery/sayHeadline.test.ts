import { expect, test } from 'vitest'
import type { MessageCase } from '../../../src/delivery/channels/message.ts'
import type { KindCount } from '../../../src/delivery/countKinds.ts'
import { sayHeadline } from '../../../src/delivery/sayHeadline.ts'
import { createKinds } from '../../../src/rules/kinds.ts'

const two: KindCount = {
  status: 'event',
  kind: 'transfer.failed',
  severity: 'critical',
  count: 2,
  withdrawals: 2,
  deposits: 0,
  firstAt: 0,
  lastAt: 0,
  money: new Map(),
  error: null,
}

// The second and third were told again after the case had been closed, as of an alert that fired anew.
test.each([
  [4, ' (+2, 4 in all)'],
  [2, ''],
])('of a case of %i members it says so many in all, however often they were told', (members, expected) => {
  const about: Partial<MessageCase> = { members }
  const of = {
    severity: 'critical',
    items: [],
    counts: [two],
    total: 2,
    cases: [],
    caseCount: 0,
    changes: [],
  } as const
  const words = { kinds: createKinds([]), tokens: { symbolOf: () => null, priceOf: () => null } }
  const said = sayHeadline(words, { ...of, case: about as MessageCase, toldBefore: 3, now: 0 })
  expect(said).toBe(`CRITICAL: 2 more × transfer failed${expected}`)
})
