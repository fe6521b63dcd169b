import { expect, test } from 'vitest'
import { isNear, isWithinFee } from '../../../src/meaning/actionFee.ts'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import { toRecord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

const withdrawalOf = (token: Partial<Transfer['token']>): Transfer => {
  const transfer = transferOf([toRecord()])
  return { ...transfer, token: { ...transfer.token, decimals: 6, ...token } }
}

test.each([
  ['the address of the record', { address: '0xcc' }, '0xCC'],
  ['the address that it moves under', { address: '0xaa', movedAs: '0xcc' }, '0xcc'],
  ['the native currency, however it is spelled', { address: '' }, `0x${'e'.repeat(40)}`],
])('a fee is found by %s', (_, token, written) => {
  const fees = [{ token: written, direction: 'ZoneToMain', max: '0.5' }]
  const isWithin = (difference: bigint) => isWithinFee(withdrawalOf(token), difference, { fees })
  expect([500_000n, 500_001n, -1n].map(isWithin)).toEqual([true, false, false])
})

test.each([
  // A payout of 1.5 of which 0.5 may be kept: what came is no more than what the zone took.
  ['ZoneToMain', '1000000', 500_000n, true],
  ['ZoneToMain', '1000000', 499_999n, false],
  ['ZoneToMain', '1000000', 0n, false],
  ['ZoneToMain', '1000000', null, true],
  ['ZoneToMain', '999999', 500_001n, false],
  // A deposit of which 0.5 more may come: what is credited is no more than what came.
  ['MainToZone', '2000000', -500_000n, true],
  ['MainToZone', '2000000', 0n, false],
  ['MainToZone', '1000000', 0n, true],
] as const)('%s of 1.5 of which the zone names %s and %s was kept: %s', (direction, said, kept, expected) => {
  const half = 500_000n
  const settings = { fees: [], keptOf: () => ({ less: half, more: half }), keptHere: () => kept }
  expect(isNear(said, { ...withdrawalOf({}), direction }, settings)).toBe(expected)
})
