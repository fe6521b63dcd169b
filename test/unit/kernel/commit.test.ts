import { expect, test } from 'vitest'
import { hash, toRecord } from '../../support/records.ts'
import { createTestKernel } from '../checks/support.ts'

test('without news a reading shares the next commit; with news it is a commit of its own', () => {
  const { commit, db } = createTestKernel()
  const record = toRecord({ id: hash('a'), zoneHash: hash('b'), mainHash: hash('c') })
  commit({ answers: [[record]], mayWait: 'without-news' })
  expect(db.held.isUnsaved()).toBe(false)
  commit({ answers: [[record]], mayWait: 'without-news' })
  expect(db.held.isUnsaved()).toBe(true)
  commit({ answers: [[{ ...record, status: 'failed' }]], mayWait: 'without-news' })
  expect(db.held.isUnsaved()).toBe(false)
})
