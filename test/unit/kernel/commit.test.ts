import { expect, test } from 'vitest'
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
