import { expect, test } from 'vitest'
import { isLastPage } from '../../../../src/checks/transfers/feedPages.ts'
import { toRows } from '../support.ts'

const page = { requestedAt: 1, bad: [], totalPage: 3, total: 25, limit: 10 }
const bad = { endpoint: 'E3', problem: 'valueRaw', raw: '{}' }

test.each([
  ['a page that is not full, where pages and total say so', { records: toRows(5) }, 3, true],
  ['an empty page', { records: [], totalPage: null, total: null }, 7, true],
  ['no full page: there may be more by now', { records: toRows(10), total: 30 }, 3, false],
  [
    'none that rows fill which cannot be read',
    { records: toRows(5), bad: [bad, bad, bad, bad, bad], total: 30 },
    3,
    false,
  ],
  ['none before the last', { records: toRows(5) }, 2, false],
  ['none while the total says more', { records: toRows(5), total: 26 }, 3, false],
  ['none where the list is cut off', { records: toRows(5), totalPage: 10_000, total: null }, 10_000, false],
  ['none where nothing says how many there are', { records: toRows(5), totalPage: null }, 3, false],
] as const)('the list ends with %s', (_, of, number, isLast) => {
  expect(isLastPage({ ...page, ...of }, number)).toBe(isLast)
})
