import { expect, test } from 'vitest'
import { isWithinFee } from '../../../src/domain/actionFee.ts'
import type { Transfer } from '../../../src/domain/transfer.ts'
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
