import { expect, test } from 'vitest'
import { toRecord } from '../../../support/records.ts'
import { transferOf } from '../../rules/transfers.ts'

const inList = toRecord({ requestedAt: 1_000_000 })
const detail = toRecord({ source: 'E12', requestedAt: 1_000_000, updateTime: 900_000 })
const other = { amountRaw: 2_000_000n, value: '2' }

test.each([
  ['E12 that always differs from the list', [inList, { ...detail, ...other, requestedAt: 1_010_000 }], 0],
  [
    'E12 that was updated since the list showed it',
    [inList, { ...detail, ...other, requestedAt: 1_010_000, updateTime: 1_000_001 }],
    1,
  ],
  ['the list alone', [inList, { ...inList, ...other, requestedAt: 1_010_000 }], 0],
  [
    'the list, and E12 since',
    [
      inList,
      { ...inList, ...other, requestedAt: 1_010_000 },
      { ...detail, ...other, requestedAt: 1_020_000 },
    ],
    1,
  ],
  [
    'two answers of E12 under one update time, as of replicas of which one lags',
    [detail, { ...detail, ...other, requestedAt: 1_010_000 }],
    0,
  ],
  [
    'a later update by E12',
    [detail, { ...detail, ...other, requestedAt: 1_010_000, updateTime: 900_001 }],
    1,
  ],
] as const)('a final record is written again, or not, by %s (semantics 4)', (_, records, count) => {
  expect(transferOf(records).rewrites).toHaveLength(count)
})
