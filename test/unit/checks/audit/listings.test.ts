import { expect, test } from 'vitest'
import { noteListed, noteTransfers, openListings, readListed } from '../../../../src/checks/audit/listings.ts'
import { saveAuditState } from '../../../../src/checks/audit/store.ts'
import { createTestKernel } from '../support.ts'
import { toRecord } from '../../../support/records.ts'
import { pendingSince, transferOf } from '../../rules/transfers.ts'

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

test('that all records come late is still known after a restart, until one comes in time', () => {
  const kernel = createTestKernel()
  const list = (listings: ReturnType<typeof openListings>, n: number, lagMs: number) => {
    const now = kernel.startedAt + 600_000 + n * 20_000
    kernel.list.readAt = now
    const after = { ...transferOf([toRecord()]), changedAt: now, listedLegAt: now - lagMs }
    noteListed(listings, { answers: [], changes: [{ before: null, after }] }, now)
  }
  const before = openListings(kernel)
  for (let n = 1; n <= 5; n += 1) list(before, n, 200_000)
  expect(readListed(before).lateMs).toBe(260_000)
  const after = openListings(kernel)
  list(after, 6, 210_000)
  expect(readListed(after).lateMs).toBe(260_000)
  list(after, 7, 5_000)
  expect(readListed(after).lateMs).toBeNull()
  expect(readListed(openListings(kernel)).lateMs).toBeNull()
})

test('what a damaged ledger says of it makes nothing wait for longer than a quarter of an hour', () => {
  const kernel = createTestKernel()
  saveAuditState(kernel.db, 'late', 1e15)
  expect(readListed(openListings(kernel)).lateMs).toBe(900_000)
  saveAuditState(kernel.db, 'late', 'long')
  expect(readListed(openListings(kernel)).lateMs).toBeNull()
})
