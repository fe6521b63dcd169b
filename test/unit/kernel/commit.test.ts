import { expect, test } from 'vitest'
import { listQueued } from '../../../src/ledger/evidence/evidenceQueue.ts'
import { hash, toRecord } from '../../support/records.ts'
import { createTestKernel } from '../checks/support.ts'

test('without news a reading shares the next commit and wakes nobody; with news it is a commit of its own', () => {
  const { after, commit, db } = createTestKernel()
  let woken = 0
  after.add(() => (woken += 1))
  const record = toRecord({ id: hash('a'), zoneHash: hash('b'), mainHash: hash('c') })
  const read = (status: 'success' | 'failed') => {
    commit({ answers: [[{ ...record, status }]], mayWait: 'without-news' })
    return { isUnsaved: db.held.isUnsaved(), woken }
  }
  expect(read('success')).toEqual({ isUnsaved: false, woken: 1 })
  expect(read('success')).toEqual({ isUnsaved: true, woken: 1 })
  expect(read('failed')).toEqual({ isUnsaved: false, woken: 2 })
})

test('of two payouts of one origin the earlier one is verified now, before other history where both were long ago', () => {
  const now = 100_000_000
  const payout = (name: string, mainTime: number) =>
    toRecord({
      id: hash(name),
      zoneHash: hash('left'),
      mainHash: hash(name),
      zoneTime: 1_000_000,
      mainTime,
      requestedAt: mainTime,
    })
  const askedNow = (of: readonly ReturnType<typeof payout>[]) => {
    const { commit, db } = createTestKernel({ start: now, config: { start: { from: { kind: 'genesis' } } } })
    for (const one of of) commit({ answers: [[one]] })
    const asked = (isLate: boolean) => listQueued(db, 'main', isLate, now, 9).map((leg) => leg.hash)
    return { fresh: asked(false), past: asked(true) }
  }
  const [first, second] = [payout('a', 2_000_000), payout('b', 3_000_000)]
  expect(askedNow([first, payout('b', now - 1_000)]).fresh).toContain(hash('a'))
  expect(askedNow([first, second])).toEqual({ fresh: [], past: [hash('a')] })
})
