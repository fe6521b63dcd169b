import { createMostKept } from '../../../../../src/meaning/mostKept.ts'
import { expect, test } from 'vitest'
import { countsSince, hasHappenedAt, toOwedLeg } from '../../../../../src/checks/escrow/owed/owed.ts'
import { toPending, toRecord } from '../../../../support/records.ts'
import { transferOf } from '../../../rules/transfers.ts'

const deposit = { direction: 'MainToZone', mainTime: 700_000 } as const
const legOf = (transfer: ReturnType<typeof transferOf>) => toOwedLeg(transfer, createMostKept([]), 6)

test('a credited deposit is owed, one that is not credited yet is not', () => {
  expect(legOf(transferOf([toRecord(deposit)]))).toMatchObject({ isCredit: true, amount: 1_500_000n })
  expect(legOf(transferOf([toPending(deposit)]))).toBeNull()
})

test('a withdrawal is owed no more as soon as it left the zone, unless nothing stands behind it', () => {
  expect(legOf(transferOf([toPending()]))).toMatchObject({ isCredit: false, mainHeight: null })
  expect(legOf({ ...transferOf([toRecord()]), originProof: 'absent' })).toBeNull()
})

test('what a deposit that is not there says of its block does not hide its credit', () => {
  const forged = {
    ...transferOf([toRecord({ ...deposit, mainHeight: 9_999_999 })]),
    originProof: 'absent' as const,
  }
  const leg = legOf(forged)
  expect(leg && [leg.mainHeight, countsSince(leg, { height: 500, time: 1 })]).toEqual([null, true])
})

test('a leg in the block of the first balance is in that balance', () => {
  const leg = legOf(transferOf([toRecord({ mainHeight: 500 })]))
  if (!leg) throw new Error('no leg')
  const counts = [499, 500].map((height) => countsSince(leg, { height, time: 0 }))
  expect(counts).toEqual([true, false])
})

test('a credit counts at a block that holds its deposit, a payout at the block that paid it', () => {
  const credit = legOf(transferOf([toRecord({ ...deposit, zoneTime: 800_000, mainHeight: 500 })]))
  const debit = legOf(transferOf([toRecord({ zoneTime: 900_000, mainHeight: 500 })]))
  if (!credit || !debit) throw new Error('no leg')
  const at = (height: number, time: number) =>
    [credit, debit].map((leg) => hasHappenedAt(leg, { height, time }))
  expect(at(499, 799_999)).toEqual([false, false])
  expect(at(500, 800_000)).toEqual([true, true])
  expect(at(499, 829_999)).toEqual([false, false])
  // A deposit that claims a higher block does not hide its credit for ever.
  expect(at(499, 830_000)).toEqual([true, false])
})
