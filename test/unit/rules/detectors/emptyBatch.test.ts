import { describe, expect, test } from 'vitest'
import type { LegEvidence, TokenMove } from '../../../../src/bridge/transfer.ts'
import { batchUnresolved } from '../../../../src/checks/transfers/batchUnresolved.ts'
import { transferMismatch } from '../../../../src/checks/transfers/mismatch.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { eventContext, transferOf } from '../transfers.ts'

const pay = (amountRaw: bigint, to = '0xbb', from = '0xe5', tokenId = ''): TokenMove => ({
  token: '0xcc',
  from,
  to,
  amountRaw,
  amount: null,
  tokenId,
})
const paidBy = (moves: readonly TokenMove[] | null): LegEvidence => ({
  chain: 'main',
  hash: hash('main'),
  source: 'E13',
  at: 1_000_000,
  status: 'success',
  errorMessage: '',
  moves,
})
const batch = (
  batchDetail: string | null,
  moves: readonly TokenMove[] | null,
  source: 'E3' | 'E12' = 'E12',
) =>
  transferOf(
    [toRecord({ crossType: 'BatchWithdraw', source, batchDetail })],
    moves === null ? [] : [paidBy(moves)],
  )
const told = (transfer: ReturnType<typeof batch>) =>
  [batchUnresolved, transferMismatch].flatMap(
    (detector) => detector.detect(transfer, {}, eventContext())?.kind ?? [],
  )

describe('a batch without a detail', () => {
  test.each([
    ['in one payment', [pay(1_500_000n)]],
    ['in several payments to its recipient', [pay(1_000_000n), pay(500_000n)]],
    ['in several token ids', [pay(1_000_000n, '0xbb', '0xe5', '7'), pay(500_000n, '0xbb', '0xe5', '8')]],
    ['to several recipients', [pay(1_000_000n), pay(500_000n, '0xb2')]],
    [
      'through a contract that shares it out',
      [pay(1_500_000n, '0x5a'), pay(1_000_000n, '0xbb', '0x5a'), pay(500_000n, '0xb2', '0x5a')],
    ],
  ])('that was paid %s is silent', (_, moves) => {
    expect(told(batch(null, moves))).toEqual([])
    expect(told(batch('[]', moves))).toEqual([])
  })

  test.each([
    ['too little', [pay(1_499_999n)]],
    ['too much', [pay(1_500_001n)]],
    ['to somebody else alone', [pay(1_500_000n, '0x99')]],
    [
      'as it says, beside more of another party',
      [pay(1_000_000n), pay(500_000n, '0xb2'), pay(9_000_000n, '0x99', '0xe6')],
    ],
  ])('that was paid %s is told', (_, moves) => {
    expect(told(batch(null, moves))).toContain('batch.unresolved')
    expect(told(batch('{}', moves))).toContain('batch.unresolved')
  })

  test('is not judged before its main transaction and its own detail were asked for', () => {
    expect(told(batch(null, null))).toEqual([])
    expect(told(batch('[]', null))).toEqual([])
    expect(batchUnresolved.detect(batch(null, [pay(1n)], 'E3'), {}, eventContext())).toBeNull()
  })

  test('of another token by another address is left to the comparison of tokens', () => {
    const moves = [{ ...pay(1_500_000n), token: '0xdd' }]
    expect(batchUnresolved.detect(batch(null, moves), {}, eventContext())).toBeNull()
  })
})
