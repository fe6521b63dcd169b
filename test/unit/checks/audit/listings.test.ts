import { expect, test } from 'vitest'
import { noteTransfers, openListings, readListed } from '../../../../src/checks/audit/listings.ts'
import { createTestKernel } from '../support.ts'
import { pendingSince } from '../../rules/transfers.ts'

test('of more than it keeps the oldest that the list does not show stay: its horizon follows from them', () => {
  const listings = openListings(createTestKernel())
  // A list that shows transfers before they are complete.
  noteTransfers(
    listings,
    [1, 2, 3].map((n) => pendingSince(n, n)),
    [],
  )
  for (let n = 1; n <= 600; n += 1)
    noteTransfers(listings, [{ ...pendingSince(n, n, { isListed: false }), key: `t${n}` }], [])
  const { provenUnlisted } = readListed(listings)
  expect(Math.min(...provenUnlisted)).toBe(1)
  expect(provenUnlisted.length).toBe(200)
})

test('what is on its way says nothing of a list that shows transfers only once they are complete (semantics 9)', () => {
  const listings = openListings(createTestKernel())
  const unlisted = { ...pendingSince(1, 1, { isListed: false }), key: 't9' }
  noteTransfers(listings, [unlisted], [])
  expect(readListed(listings).provenUnlisted).toEqual([])
  noteTransfers(
    listings,
    [2, 3, 4].map((n) => pendingSince(n, n)),
    [],
  )
  expect(readListed(listings).provenUnlisted).toEqual([1])
})
