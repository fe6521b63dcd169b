import { expect, test } from 'vitest'
import { createListings } from '../../../../src/checks/audit/listings.ts'
import { pendingSince } from '../../rules/transfers.ts'

test('of more than it keeps the oldest that the list does not show stay: its horizon follows from them', () => {
  const listings = createListings({ startedAt: 0, list: { readAt: null }, isShown: () => true })
  for (let n = 1; n <= 600; n += 1)
    listings.note([{ ...pendingSince(n, n, { isListed: false }), key: `t${n}` }], [])
  const { provenUnlisted } = listings.read()
  expect(Math.min(...provenUnlisted)).toBe(1)
  expect(provenUnlisted.length).toBe(200)
})
