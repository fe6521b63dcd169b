import { expect, test } from 'vitest'
import { transferRewritten } from '../../../../src/checks/transfers/rewritten.ts'
import type { LegEvidence } from '../../../../src/bridge/transfer.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { eventContext, transferOf } from '../../rules/transfers.ts'

const context = eventContext({ tellSince: 1_999_999 })
const before = toRecord({ requestedAt: 1_000_000 })
const changed = { requestedAt: 1_200_000, amountRaw: 9_000_000n, value: '9', updateTime: 1_190_000 }

test('a final record whose amount E12 gives anew is told with both values, however old it is', () => {
  const finding = transferRewritten.detect(
    transferOf([before, toRecord({ ...changed, source: 'E12' })]),
    {},
    context,
  )
  expect(finding?.facts).toEqual({
    changed: 'amountRaw',
    amountRawBefore: '1500000',
    amountRawAfter: '9000000',
  })
  expect(finding?.since).toBe(1_200_000)
})

test('what only the list says is not told', () => {
  expect(transferRewritten.detect(transferOf([before, toRecord(changed)]), {}, context)).toBeNull()
})

test('a record whose update time alone moved is not told', () => {
  const touched = toRecord({ source: 'E12', requestedAt: 1_200_000, updateTime: 1_190_000 })
  expect(transferRewritten.detect(transferOf([before, touched]), {}, context)).toBeNull()
})

test('another payout is told where the one before it is gone, and not where that failed on chain', () => {
  const retried = {
    source: 'E12',
    requestedAt: 1_200_000,
    mainHash: hash('retry'),
    updateTime: 1_190_000,
  } as const
  const tell = (first: Partial<LegEvidence>, change = {}) => {
    const asked: LegEvidence = {
      chain: 'main',
      hash: hash('main'),
      source: 'E7',
      at: 1_100_000,
      status: 'failed',
      errorMessage: '',
      moves: null,
      ...first,
    }
    const transfer = transferOf([before, toRecord({ ...retried, ...change })], [asked])
    return transferRewritten.detect(transfer, {}, context)?.facts['changed'] ?? null
  }
  expect(tell({})).toBeNull()
  expect(tell({ at: 1_300_000 })).toBeNull()
  expect(tell({ status: 'absent' })).toBe('mainHash')
  expect(tell({}, { amountRaw: 9_000_000n, value: '9' })).toBe('amountRaw, mainHash')
})
